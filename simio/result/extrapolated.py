"""Notes on the costs of a kernel for a CPU that is far from the one they were found on."""

from __future__ import annotations

from simio import units
from simio.description.model import System
from simio.wording import and_others

FAR = 2
"""Factor between a host's clock and that of a kernel's costs beyond which a note says so. All measured tables but one
of UNICOS are of hosts within it, so that no measurement shows how well costs scale further."""


def extrapolated(system: System) -> list[str]:
    """A sentence for each kernel whose costs are scaled to a clock beyond `FAR` times its own, with its hosts."""
    found: dict[str, list[str]] = {}
    for name, host in system.hosts.items():
        own, there = host.kernel.sheet.reference_clock, host.cpu.sheet.clock
        if (own > FAR * there or there > FAR * own) and host.kernel.sheet.takes_time:
            clocks = (units.format_quantity(clock, "frequency") for clock in (own, there))
            told = "the costs of {}, found at {}, are scaled to {}".format(host.kernel.model, *clocks)
            found.setdefault(told, []).append(name)
    return [
        f"{told} on {and_others(hosts)}: nothing measured tells how well that holds" for told, hosts in found.items()
    ]
