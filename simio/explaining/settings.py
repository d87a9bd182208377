"""Settings that are no component: windows, timers, queues and the like, each changed as a planner would."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from simio.description.bonding import bonds, with_bonds
from simio.description.bonds import MOST
from simio.description.model import System, Workload
from simio.explaining.components import alike_of, together
from simio.explaining.parts import placed, with_values

WIDE = 2**26
"""Bytes of a socket buffer that limits nothing."""
LARGE_PAGE = 2**21
"""Bytes of a page of the second level of tables (x86-64)."""


@dataclass(frozen=True, eq=False)
class Setting:
    """A changed setting: what it is in words, the values that it changes, and the system with them."""

    what: str
    values: tuple[str, ...]
    system: System


def _twice(value: int) -> int:
    return 2 * value


_OF_PARTS: tuple[tuple[str, str, str, Callable[[Any], Any]], ...] = (
    ("stack", "ack_every", "every segment acknowledged at once (delayed ACK off)", lambda _: 1),
    ("filesystem", "read_ahead", "read-ahead of the file systems doubled", _twice),
    ("filesystem", "write_behind", "write-behind of the file systems doubled", _twice),
    ("filesystem", "dirty_limit", "dirty limit of the file systems doubled", _twice),
    ("disk", "queue_depth", "queue depth of the disks doubled", _twice),
    ("disk", "write_cache", "write cache in the disks", lambda _: True),
    ("adapter", "queue_depth", "commands that drivers keep outstanding doubled", _twice),
    ("adapter", "reads", "READs of a queue pair that may be outstanding doubled", _twice),
    ("bus", "lanes", "lanes of PCI Express doubled", _twice),
    ("adapter", "coalesce_count", "an interrupt for each packet or command (coalescing off)", lambda _: 1),
    ("adapter", "checksum", "checksums computed by the adapters", lambda _: True),
)
"""Class of part, field, what the change is called, and the value that it has then."""
_OF_WORKLOADS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("nodelay", "small segments sent at once (TCP_NODELAY)", lambda _: True),
    ("depth", "requests that a thread keeps outstanding doubled", lambda depth: 2 * (depth or 1)),
    ("biods", "daemons of the NFS clients doubled", _twice),
    ("nfsds", "threads of the NFS servers doubled", _twice),
    ("aligned", "programs' buffers that begin on a page", lambda _: True),
)
"""The same of fields of workloads."""
_CREDITS = ("credit", "login_credit", "ready_window")


def what_ifs(system: System) -> Iterator[Setting]:
    """Each setting that the system has, changed to what the language accepts; some may make no difference."""
    yield from _translations(system)
    yield from _overlapped(system)
    yield from _variations(system)
    yield from _windows(system)
    yield from _bonds(system)
    for category, field, what, change in _OF_PARTS:
        yield from _changed(system, what, _in_parts(system, (field,), change, category))
    yield from _queues(system)
    yield from _changed(system, "credits of the links doubled", _in_parts(system, _CREDITS, _twice))
    for field, what, change in _OF_WORKLOADS:
        yield from _changed(system, what, _in_workloads(system, field, change))
    alike = alike_of(system)
    hosts: dict[Hashable, list[str]] = {}
    for name in system.hosts:
        hosts.setdefault((alike(name), system.hosts[name].cpus), []).append(name)
    for names in hosts.values():
        hosts_of = {name: system.hosts[name] for name in names}
        more = {f"hosts.{name}.cpus": host.cpus + host.cpu.sheet.threads for name, host in hosts_of.items()}
        yield from _changed(system, f"one more CPU in {together(names)}", more)


def _changed(system: System, what: str, values: dict[str, Any]) -> Iterator[Setting]:
    """The setting, without values that a scenario could not have."""
    of = {item.path: item.part.sheet for item in placed(system)}
    of |= {f"workload.{name}": workload.params for name, workload in system.workloads.items()}
    accepted = {path: value for path, value in values.items() if _accepted(of, path, value)}
    if accepted:
        yield Setting(what, tuple(accepted), with_values(system, accepted))


def _accepted(of: Mapping[str, BaseModel], path: str, value: Any) -> bool:
    """True if a sheet or a workload may have a value in place of its own."""
    owner, _, field = path.rpartition(".")
    model = of[owner]
    # A key at its default counts as not given: some keys exclude one another.
    given = {name: getattr(model, name) for name in model.model_fields_set}
    try:
        type(model).model_validate({**given, field: value})
    except ValidationError:
        return False
    return True


def _in_parts(
    system: System, fields: tuple[str, ...], change: Callable[[Any], Any], category: str | None = None
) -> dict[str, Any]:
    return {
        f"{item.path}.{field}": change(getattr(item.part.sheet, field))
        for item in placed(system)
        for field in fields
        if category in (None, item.part.category) and hasattr(item.part.sheet, field)
    }


def _in_workloads(system: System, field: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    return {
        f"workload.{name}.{field}": change(getattr(workload.params, field))
        for name, workload in system.workloads.items()
        if hasattr(workload.params, field) and not (field == "depth" and _unlimited(workload.params))
    }


def _unlimited(params: Any) -> bool:
    """True for requests that arrive and are outstanding in any number."""
    return params.depth is None and getattr(params, "arrivals", None) is not None


def _variations(system: System) -> Iterator[Setting]:
    """Changes that kinds of workloads have of their own, each made in all workloads at once."""
    found: dict[str, dict[str, Workload]] = {}
    for name, workload in system.workloads.items():
        for what, params in workload.params.variations():
            found.setdefault(what, {})[name] = replace(workload, params=params)
    for what, changed in found.items():
        paths = tuple(f"workload.{name}" for name in changed)
        yield Setting(what, paths, replace(system, workloads={**system.workloads, **changed}))


def _windows(system: System) -> Iterator[Setting]:
    """Socket buffers of all connections, doubled and so large that they limit nothing."""
    stacks = [item for item in placed(system) if item.part.category == "stack"]
    users = {
        name: workload.params
        for name, workload in system.workloads.items()
        if workload.params.network and hasattr(workload.params, "window")
    }
    if not stacks or not users:
        return
    usual = min(min(item.part.sheet.send_space, item.part.sheet.receive_space) for item in stacks)
    room = {f"{item.path}.max_space": 2 * WIDE for item in stacks}
    for what, size in (("doubled", None), ("without a limit", WIDE)):
        windows = {f"workload.{name}.window": size or 2 * (params.window or usual) for name, params in users.items()}
        yield from _changed(system, f"socket buffers {what}", {**room, **windows})


def _queues(system: System) -> Iterator[Setting]:
    """Memory of switches and emulated links for packets that wait, doubled where that could limit anything."""
    for category, field, what in (
        ("switch", "buffer", "buffers of the switches doubled"),
        ("link", "queue", "queues of the links doubled"),
    ):
        values = _in_parts(system, (field,), lambda size: size and 2 * size, category)
        yield from _changed(system, what, {path: size for path, size in values.items() if size and size < 2 * WIDE})


def _translations(system: System) -> Iterator[Setting]:
    """IOMMUs whose walks take time, with large pages, and switched off."""
    roots = [item for item in placed(system) if item.part.category == "root" and item.part.sheet.iommu]
    walking = [item.path for item in roots if item.part.sheet.iommu_walk]
    large = {f"{path}.iommu_page": LARGE_PAGE for path in walking}
    yield from _changed(system, "large pages (2 MiB) in the IOMMUs", large)
    yield from _changed(system, "no translation by the IOMMUs", {f"{path}.iommu": False for path in walking})


def _bonds(system: System) -> Iterator[Setting]:
    """Bonds with one member more, as far as switches have ports for it, and those that tell flows apart by ports."""
    known = {name: own[0].member.bond for name, own in bonds(system).items() if own[0].member}
    if not known:
        return
    larger = with_bonds(system, lambda bond: bond.model_copy(update={"members": min(bond.members + 1, MOST)}))
    joins = {name: switch.part.sheet.joins for name, switch in system.switches.items()}
    if all(
        most is None or sum(link.ends.count(name) for link in larger.links) <= most for name, most in joins.items()
    ):
        yield Setting(
            f"one more member in {' and '.join(known)}", tuple(f"links.{name}.bond.members" for name in known), larger
        )
    coarse = [name for name, bond in known.items() if bond.mode == "802.3ad" and not bond.by_ports]
    if coarse:
        by_ports = with_bonds(
            system, lambda bond: bond.model_copy(update={"hash": "layer3+4"}) if bond.mode == "802.3ad" else bond
        )
        what = f"flows told apart by ports in {' and '.join(coarse)} (hash layer3+4)"
        yield Setting(what, tuple(f"links.{name}.bond.hash" for name in coarse), by_ports)


def _overlapped(system: System) -> Iterator[Setting]:
    """Programs that read and write in turns, as two processes each."""
    values = _in_workloads(system, "overlap", lambda _: True)
    yield from _changed(system, "a process each for disk and network at both ends (overlap)", values)
