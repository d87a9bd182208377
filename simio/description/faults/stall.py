"""A host that stands still."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from simio.description.faults.base import Passing, register_fault

if TYPE_CHECKING:
    from simio.components.site import Site
    from simio.description.model import System


@register_fault("stall")
class Stall(Passing):
    """A host stands still: its processors stop, while its buses and adapters work on."""

    targets: ClassVar[tuple[str, ...]] = ("host",)

    def applied(self, system: System) -> System:
        """The host knows when its processors stand still."""
        host = system.hosts[self.of]
        stalled = replace(host, stalls=(*host.stalls, self.span))
        return replace(system, hosts={**system.hosts, self.of: stalled})

    @classmethod
    def emit(cls, site: Site) -> None:
        """A stall holds all processors of its host."""
        for host in site.hosts:
            site.downtime(f"{host.name} stalls", host.cpu, host.description.cores, host.description.stalls)
