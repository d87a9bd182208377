"""A host: CPUs that do work, memory that copies and DMA pass through, and the buses between."""

from __future__ import annotations

from fractions import Fraction

from simio.components.bus import ParallelBus
from simio.description.model import Host as HostDescription
from simio.program.builder import Builder
from simio.program.service import ceil_times, per_byte

INTERRUPT = 0
"""Priority of interrupt service: ahead of everything else that waits for a CPU."""
PROCESS = 1
"""Priority of work on behalf of a process."""


class Host:
    """CPUs, memory and buses of one host, as resources of the program.

    Costs in a kernel's datasheet hold for a CPU of its `reference_clock`; here they scale inversely with the
    clock of the CPU that is in the host.
    """

    def __init__(self, p: Builder, description: HostDescription) -> None:
        self.p = p
        self.description = description
        self.name = description.name
        self.cpu = p.resource(f"{self.name}.cpu", description.cpus)
        self.memory = p.resource(f"{self.name}.memory")
        self.memory_byte = per_byte(description.memory.sheet.rate)
        self.scale = Fraction(description.kernel.sheet.reference_clock) / description.cpu.sheet.clock
        self.buses = {
            key: ParallelBus(p, part, self.memory, self.memory_byte)
            for key, part in description.buses.items()
        }

    def work(self, cost: int, priority: int = PROCESS) -> None:
        """Keep one CPU busy for `cost` ps of the reference CPU's time."""
        span = ceil_times(cost, self.scale)
        if span:
            with self.p.hold(self.cpu, priority=priority):
                self.p.advance(span)
