"""An I/O bus that is arbitrated burst by burst, and the DMA that crosses it into memory."""

from __future__ import annotations

from fractions import Fraction

from simio.description.model import Part
from simio.program.builder import Builder, Handle
from simio.program.service import ceil_times, clocks


class ParallelBus:
    """One transaction at a time; each burst pays arbitration, address and turn-around before its data.

    A transfer of n bytes occupies the bus for ceil(n / width) + ceil(n / burst) * overhead_cycles clocks, and
    memory, through which it passes at the same time, for n bytes at memory's rate.
    """

    def __init__(self, p: Builder, part: Part, memory: Handle, memory_byte: Fraction) -> None:
        self.p = p
        self.sheet = part.sheet
        self.bus = p.resource(part.name)
        self.memory = memory
        self.memory_byte = memory_byte

    def occupied(self, amount: int) -> int:
        """Time that a transfer of `amount` bytes occupies the bus, in ps."""
        sheet = self.sheet
        cycles = -(-amount // sheet.width) + -(-amount // sheet.burst) * sheet.overhead_cycles
        return clocks(cycles, sheet.clock)

    def duration(self, amount: int, device_byte: Fraction = Fraction(0)) -> int:
        """Time of an undisturbed transfer by a device that moves a byte in `device_byte` ps, in ps."""
        return max(
            self.occupied(amount), ceil_times(amount, device_byte), ceil_times(amount, self.memory_byte)
        )

    def transfer(self, amount: int, device_byte: Fraction = Fraction(0)) -> None:
        """DMA of `amount` bytes by a device that moves a byte in `device_byte` ps.

        A device slower than the bus lets go of it between bursts, so that others may use it meanwhile: the bus
        and memory are busy for their own parts of the time, and the transfer as a whole takes the longest.
        """
        p = self.p
        on_memory, on_bus = ceil_times(amount, self.memory_byte), self.occupied(amount)
        both = min(on_memory, on_bus)
        p.seize(self.bus)
        p.seize(self.memory)
        p.advance(both)
        if on_memory > both:
            p.release(self.bus)
            p.advance(on_memory - both)
            p.release(self.memory)
        else:
            p.release(self.memory)
            p.advance(on_bus - both)
            p.release(self.bus)
        p.advance(self.duration(amount, device_byte) - max(on_memory, on_bus))
