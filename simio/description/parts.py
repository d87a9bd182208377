"""Parts of a system, and the origins of their values from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from simio.description.model import Host, Origin, Part, Scenario, System


def used_values(scenario: Scenario) -> dict[str, Origin]:
    """Origin of each value of the catalogue that the scenario's parts have, by 'model: value'.

    Protocol stacks count where a workload goes over the network.
    """
    found: dict[str, Origin] = {}
    for case in scenario.cases:
        networked = any(workload.params.sends_packets for workload in case.system.workloads.values())
        for part in parts(case.system):
            if part.category != "stack" or networked:
                found |= {f"{part.model}: {name}": origin for name, origin in part.origins.items()}
    return found


def fitted_values(scenario: Scenario) -> tuple[str, ...]:
    """Values with basis 'fitted' that the scenario's parts use, as 'model: value', each once."""
    return tuple(name for name, origin in used_values(scenario).items() if origin.basis == "fitted")


def parts(system: System) -> Iterator[Part]:
    """Every part of a system."""
    for host in system.hosts.values():
        yield from _host_parts(host)
    for disk in system.disks.values():
        yield from (part for part in (disk.part, disk.file_system) if part)
    for volume in system.volumes.values():
        yield from (part for part in (volume.file_system, volume.controller) if part)
    yield from (switch.part for switch in system.switches.values())
    yield from (link.part for link in system.links)


def _host_parts(host: Host) -> Iterator[Part]:
    yield from (host.part, host.cpu, host.memory, host.kernel, *host.buses.values())
    if host.stack is not None:
        yield host.stack
    if host.root is not None:
        yield host.root
    for adapter in host.adapters.values():
        yield adapter.part
