"""The parts of a system by their key paths, and a system with other values in some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from simio.description.model import Host, Part, System
from simio.description.quantities import Values

V = TypeVar("V", bound=Values)

Change = Callable[[str, Part], Part]


@dataclass(frozen=True)
class Placed:
    """A part and the key path that a scenario would override its values under, as in 'hosts.onyx.memory'."""

    path: str
    part: Part


def placed(system: System) -> Iterator[Placed]:
    """Every part of a system with its key path."""
    found: list[Placed] = []

    def note(path: str, part: Part) -> Part:
        found.append(Placed(path, part))
        return part

    changed(system, note)
    yield from found


def changed(system: System, change: Change) -> System:
    """The system with each part as `change(path, part)` makes it."""
    return replace(
        system,
        hosts={name: _host(f"hosts.{name}", host, change) for name, host in system.hosts.items()},
        disks={
            name: replace(
                disk,
                part=change(f"disks.{name}", disk.part),
                file_system=_perhaps(f"disks.{name}.file_system", disk.file_system, change),
            )
            for name, disk in system.disks.items()
        },
        volumes={
            name: replace(
                volume,
                file_system=_perhaps(f"volumes.{name}.file_system", volume.file_system, change),
                controller=_perhaps(f"volumes.{name}.controller", volume.controller, change),
            )
            for name, volume in system.volumes.items()
        },
        switches={
            name: replace(switch, part=change(f"switches.{name}", switch.part))
            for name, switch in system.switches.items()
        },
        links=tuple(replace(link, part=change(f"links.{link.name}", link.part)) for link in system.links),
    )


def _perhaps(path: str, part: Part | None, change: Change) -> Part | None:
    return None if part is None else change(path, part)


def _host(path: str, host: Host, change: Change) -> Host:
    return replace(
        host,
        part=change(path, host.part),
        cpu=change(f"{path}.cpu", host.cpu),
        memory=change(f"{path}.memory", host.memory),
        kernel=change(f"{path}.kernel", host.kernel),
        stack=_perhaps(f"{path}.stack", host.stack, change),
        root=_perhaps(f"{path}.root", host.root, change),
        buses={key: change(f"{path}.buses.{key}", bus) for key, bus in host.buses.items()},
        adapters={
            key: replace(adapter, part=change(f"{path}.adapters.{key}", adapter.part))
            for key, adapter in host.adapters.items()
        },
    )


def with_values(system: System, values: Mapping[str, Any]) -> System:
    """The system with values written over those of its parts and workloads, by key path; nothing is checked.

    A path such as 'hosts.onyx.kernel.interrupt' names a field of a sheet by its Python name, 'workload.ftp.window'
    one of a workload's parameters, 'hosts.onyx.cpus' the number of CPUs.
    """
    of: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        owner, _, field = path.rpartition(".")
        of.setdefault(owner, {})[field] = value

    def change(path: str, part: Part) -> Part:
        return replace(part, sheet=_with(part.sheet, of[path])) if path in of else part

    changed_parts = changed(system, change)
    return replace(
        changed_parts,
        hosts={
            name: replace(host, cpus=of[f"hosts.{name}"].get("cpus", host.cpus)) if f"hosts.{name}" in of else host
            for name, host in changed_parts.hosts.items()
        },
        workloads={
            name: replace(workload, params=_with(workload.params, of[f"workload.{name}"]))
            if f"workload.{name}" in of
            else workload
            for name, workload in changed_parts.workloads.items()
        },
    )


def _with(values: V, update: Mapping[str, Any]) -> V:
    return values.model_copy(update=dict(update))
