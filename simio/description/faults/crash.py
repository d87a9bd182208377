"""A host that crashes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from simio.description.faults.base import Passing, Surroundings, register_fault
from simio.description.workloads import references, yaml_key
from simio.errors import quote

if TYPE_CHECKING:
    from simio.description.model import System, Workload


@register_fault("crash")
class Crash(Passing):
    """A host loses all that is in its memory, and is there again, booted anew, when the time is over."""

    targets: ClassVar[tuple[str, ...]] = ("host",)
    state: ClassVar[str] = "lost to a crash"

    def check(self, known: Surroundings) -> None:
        """Refuse a host that runs what cannot do without its memory, or that has adapters that keep packets."""
        for workload in known.workloads:
            for key in self._keys(workload):
                found = f"{quote(self.of)}, which is workload.{workload.name}.{key}"
                known.refuse("of", found, "a host that only serves NFS or receives what ttcp sends")
                return
        ports = {end for link in known.links for end in link.ends}
        for name, part in known.parts["adapter"].items():
            host, _, key = name.partition(".")
            if host == self.of and name in ports and part is not None and part.kind == "hippi":
                found = f"{quote(host)} with a {part.kind} adapter in use, {quote(key)} ({part.model})"
                known.refuse("of", found, "a host whose adapters can be reset")

    def _keys(self, workload: Workload) -> Iterator[str]:
        """The keys of a workload that name the host and whose host may not crash."""
        params = workload.params
        for field, what in references(type(params)).items():
            if what == "host" and self.of in params.named(field) and field not in params.may_crash:
                yield yaml_key(type(params), field)

    def applied(self, system: System) -> System:
        """The host knows when it crashes and when it runs again."""
        host = system.hosts[self.of]
        crashed = replace(host, crashes=(*host.crashes, self.span))
        return replace(system, hosts={**system.hosts, self.of: crashed})
