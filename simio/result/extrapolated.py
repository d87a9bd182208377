"""Notes on costs: of a kernel for a CPU that is far from the one they were found on, or of a stack without any."""

from __future__ import annotations

from collections.abc import Iterator

from simio import units
from simio.description.model import Host, System
from simio.description.sheets.base import TIMER
from simio.description.workloads import WorkloadParams
from simio.wording import counted

FAR = 2
"""Times the clock that a kernel's costs hold for, or the inverse, beyond which a scaled cost is told: of the measured
tables, all but one of UNICOS are of hosts that lie nearer, so that nothing says how well costs scale further."""


def extrapolated(system: System) -> list[str]:
    """A sentence for each kernel whose costs are scaled to a clock beyond `FAR` times its own, with its hosts."""
    found: dict[str, list[str]] = {}
    for name, host in system.hosts.items():
        own, there = host.kernel.sheet.reference_clock, host.cpu.sheet.clock
        if (own > FAR * there or there > FAR * own) and _costs(host):
            clocks = (units.format_quantity(clock, "frequency") for clock in (own, there))
            told = "the costs of {}, found at {}, are scaled to {}".format(host.kernel.model, *clocks)
            found.setdefault(told, []).append(name)
    return [f"{told} on {_names(hosts)}: nothing measured tells how well that holds" for told, hosts in found.items()]


def _costs(host: Host) -> bool:
    """True if a service of the kernel takes time; of an ideal one none does."""
    sheet = host.kernel.sheet
    return any(getattr(sheet, key) for key, work in type(sheet).work.items() if work is not TIMER)


_PROTOCOL = ("socket_call", "tcp_send", "tcp_receive", "udp_send", "udp_receive", "ip_send", "ip_receive")
"""Costs of a stack by which packets take CPU time."""


def without_costs(system: System) -> list[str]:
    """A sentence for each stack that takes no time on hosts whose kernels do, and that a workload's packets pass."""
    found: dict[str, list[str]] = {}
    ends = {end for workload in system.workloads.values() for end in _ends(workload.params)}
    for name, host in system.hosts.items():
        if name in ends and host.stack and _costs(host):
            sheet = host.stack.sheet
            if not (sheet.copies or any(getattr(sheet, key) for key in _PROTOCOL)):
                found.setdefault(host.stack.model, []).append(name)
    return [
        f"TCP, UDP and copies take no CPU time on {_names(hosts)}, as {stack} has the protocol alone: "
        "stacks/linux-5.4 and stacks/linux-6.x-jumbo have costs"
        for stack, hosts in found.items()
    ]


def _ends(params: WorkloadParams) -> Iterator[str]:
    """The hosts between whose stacks a workload's packets go."""
    if not params.sends_packets or getattr(params, "transport", "") == "rdma" or hasattr(params, "verb"):
        return
    for key in (key for pair in params.ways for key in pair):
        named = getattr(params, key)
        yield from (named,) if isinstance(named, str) else named or ()


def _names(hosts: list[str]) -> str:
    return hosts[0] + (f" and {counted(len(hosts) - 1, 'other')}" if len(hosts) > 1 else "")
