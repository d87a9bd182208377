"""Which hosts can crash: those on which nothing runs but what can do without what was in its memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simio.description.model import Link, Workload
from simio.description.workloads import references, yaml_key
from simio.errors import Place, quote
from simio.loading.context import Context
from simio.loading.links import Inventory
from simio.loading.problems import a

_EXPECTED = "a host that only serves NFS or receives what ttcp sends"


def check_crash(
    ctx: Context,
    host: str,
    path: str,
    place: Place,
    workloads: Mapping[str, Workload | None],
    links: Sequence[Link],
    inventory: Inventory,
) -> None:
    """Note a crash of a host that something runs on which would end with it, or with adapters that keep packets."""
    for workload in filter(None, workloads.values()):
        params = workload.params
        for field in _fields(workload, host):
            if field not in params.may_crash:
                key = f"workload.{workload.name}.{yaml_key(type(params), field)}"
                ctx.problems.add(path, f"{quote(host)}, which is {key}", _EXPECTED, place=place)
                return
    site = inventory.hosts.get(host)
    ports = {end.partition(".")[2] for link in links for end in link.ends if end.startswith(f"{host}.")}
    for key, part in (site.adapters or {}).items() if site else ():
        if part is not None and key in ports and part.kind == "hippi":
            found = f"{quote(host)} with {a(part.kind)} adapter in use, {quote(key)} ({part.model})"
            ctx.problems.add(path, found, "a host whose adapters can be reset", place=place)


def _fields(workload: Workload, host: str) -> list[str]:
    """The fields of a workload that name a host."""
    found = []
    for field, what in references(type(workload.params)).items():
        value = getattr(workload.params, field)
        if what == "host" and host in (value if isinstance(value, tuple) else (value,)):
            found.append(field)
    return found
