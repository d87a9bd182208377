"""Notes on the costs of a kernel for a CPU that is far from the one they were found on."""

from __future__ import annotations

from simio import units
from simio.description.model import System
from simio.wording import and_others

FAR = 2
"""Times the clock that a kernel's costs hold for, or the inverse, beyond which a scaled cost is told: of the measured
tables, all but one of UNICOS are of hosts that lie nearer, so that nothing says how well costs scale further."""


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
