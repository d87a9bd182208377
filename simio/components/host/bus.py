"""An I/O bus that is arbitrated burst by burst, and the DMA that crosses it into memory."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from simio.components.passage import Passage
from simio.machines import bus as turns
from simio.program.builder import Builder, Handle, Operand, Register, maximum, minimum, since
from simio.program.labels import labelled
from simio.program.service import SECOND, ceil_times, clocks, per_byte, ratio

if TYPE_CHECKING:
    from simio.description.model import Part
    from simio.description.sheets.adapters import StorageAdapter
    from simio.description.sheets.buses import ParallelBusSheet
    from simio.description.sheets.network import NetworkCard


def dma_byte(adapter: StorageAdapter | NetworkCard) -> Fraction:
    """Time in which an adapter itself moves a byte to or from the bus, in ps; zero if it says no rate."""
    return per_byte(adapter.dma) if adapter.dma else Fraction(0)


class DmaPath(Protocol):
    """The way of an adapter's transfers into some memory: a bus of the host, or memory of its own."""

    p: Builder

    def duration(self, amount: int, device_byte: Fraction = Fraction(0), read: bool = False) -> int:
        """Time of an undisturbed transfer by a device that moves a byte in `device_byte` ps, in ps."""

    def transfer(self, amount: Any, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """Transfer `amount` bytes to memory, or from it (`read`)."""

    def transfer_packet(self, amount: Register, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """Transfer as many bytes as a register holds, one at least; see `transfer`."""

    def passage(self, read: bool) -> Passage:
        """The passage of transfers to memory, or from it (`read`)."""


class HostBus(DmaPath, Protocol):
    """A bus of a host that adapters sit on."""

    def into(self, memory: Handle, memory_byte: Fraction) -> HostBus:
        """The same bus, as transfers cross it whose other end is a memory that is not the host's own."""

    def keeps_below(self, speed: Fraction | None) -> str:
        """A sentence on the bus if devices keep it below what the host's end has, and below a speed, else ''."""


class ParallelBus:
    """One transaction at a time; each burst pays arbitration, address and turn-around before its data.

    A transfer of n bytes occupies the bus for ceil(n / width) + ceil(n / burst) * overhead_cycles clocks, and
    memory, through which it passes at the same time, for n bytes at memory's rate. Devices that transfer at the same
    time have the bus in turns, a burst each (`simio.machines.bus`).
    """

    def __init__(self, p: Builder, part: Part[ParallelBusSheet], memory: Handle, memory_byte: Fraction) -> None:
        self.p = p
        self.sheet = part.sheet
        self.bus = p.resource(part.name)
        self.memory = memory
        self.memory_byte = memory_byte
        period = SECOND / self.sheet.clock
        self.bus_byte = ratio(period, self.sheet.width)
        self.state = p.machine(part.name, turns.initial(period, self.sheet.width, self.sheet.burst))

    def keeps_below(self, speed: Fraction | None) -> str:
        """Always '': devices of all clocks and widths cross it at its own."""
        return ""

    def into(self, memory: Handle, memory_byte: Fraction) -> ParallelBus:
        """The same bus, as transfers cross it whose other end is a memory that is not the host's own."""
        other = copy.copy(self)
        other.memory, other.memory_byte = memory, memory_byte
        return other

    def overhead(self, read: bool) -> int:
        """Clocks of a burst beside its data, from memory (`read`) or to it."""
        sheet = self.sheet
        if read and sheet.read_overhead_cycles is not None:
            return sheet.read_overhead_cycles
        return sheet.overhead_cycles

    def occupied(self, amount: int, read: bool = False) -> int:
        """Time that a transfer of `amount` bytes occupies the bus, in ps."""
        sheet = self.sheet
        cycles = -(-amount // sheet.width) + -(-amount // sheet.burst) * self.overhead(read)
        return clocks(cycles, sheet.clock)

    def passage(self, read: bool) -> Passage:
        """The passage of transfers to memory, or from it (`read`)."""
        overhead = ratio(self.overhead(read), self.sheet.burst) * SECOND / self.sheet.clock
        return Passage({self.bus: self.bus_byte + overhead, self.memory: self.memory_byte})

    def duration(self, amount: int, device_byte: Fraction = Fraction(0), read: bool = False) -> int:
        """Time of an undisturbed transfer by a device that moves a byte in `device_byte` ps, in ps."""
        return max(self.occupied(amount, read), ceil_times(amount, device_byte), ceil_times(amount, self.memory_byte))

    @labelled("DMA", "bus.name")
    def transfer(self, amount: Operand, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """DMA of `amount` bytes by a device that moves a byte in `device_byte` ps; `read`: from memory.

        A device slower than the bus lets go of it between bursts, so that others may use it meanwhile: the bus
        and memory are busy for their own parts of the time, and the transfer as a whole takes the longest.
        """
        if not isinstance(amount, int):
            with self.p.scope():
                self.transfer_packet(self.p.register(amount), device_byte, read)
            return
        if not amount:
            return
        p = self.p
        times = ceil_times(amount, self.memory_byte), self.occupied(amount, read)
        with p.scope():
            turn = p.answer(turns.begin, self.state, amount, self.overhead(read))
            with p.when(turn < turns.PLACES), p.fork("bus"):
                self._hold(*times)
            # Held under a condition, while the time passes in any case: so the bound counts it for the bus, whoever
            # holds that.
            self._hold(*times, turn)
            p.advance(self.duration(amount, device_byte, read) - max(times))
            self._wait_for_others(turn)

    @labelled("DMA", "bus.name")
    def transfer_packet(self, amount: Register, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """Transfer as many bytes as a register holds, one at least; see `transfer`."""
        p = self.p
        with p.scope():
            turn = p.answer(turns.begin, self.state, amount, self.overhead(read))
            on_bus = p.answer(turns.lasting, self.state)
            on_memory = p.register(ceil_times(amount, self.memory_byte))
            longest, hold = on_bus, partial(self._hold_for, on_memory, on_bus)
            if self.memory_byte <= self.bus_byte:
                hold = partial(self._hold_bus_longer, on_memory, p.register(on_bus - on_memory))
            else:
                longest = p.register(maximum(on_bus, on_memory))
            with p.either(turn < turns.PLACES) as otherwise:
                with p.fork("bus"):
                    hold()
                p.wait(longest)
                otherwise()
                hold()
            if device_byte > max(self.bus_byte, self.memory_byte):
                moved = p.register(ceil_times(amount, device_byte))
                with p.when(moved > longest):
                    p.wait(moved - longest)
            self._wait_for_others(turn)

    def _hold_bus_longer(self, on_memory: Register, rest: Register) -> None:
        """Pass through a memory no slower than the bus, which is held for the `rest` of its time; see `_hold`."""
        p = self.p
        self._take()
        p.wait(on_memory)
        p.release(self.memory)
        p.wait(rest)
        p.release(self.bus)

    def _hold_for(self, on_memory: Register, on_bus: Register) -> None:
        """Pass through memory, holding the bus, for times in registers; see `_hold`."""
        p = self.p
        self._take()
        both = p.register(minimum(on_memory, on_bus))
        p.wait(both)
        rest = p.register(maximum(on_memory, on_bus) - both)
        # The amount decides which of them is done first.
        for first, second, order in (
            (self.memory, self.bus, on_memory <= on_bus),
            (self.bus, self.memory, on_memory > on_bus),
        ):
            with p.when(order):
                p.release(first)
                p.wait(rest)
                p.release(second)

    def _hold(self, on_memory: int, on_bus: int, turn: Register | None = None) -> None:
        """Pass through memory, holding the bus, which stands still while memory serves others; then release both.

        The resources keep account of what is busy: a transfer that finds the bus idle holds them itself, for any
        other a child does, since turns do not end in the order of arrival. With `turn`, only the former holds.
        """
        p, both = self.p, min(on_memory, on_bus)
        with self._if_alone(turn):
            self._take()
        p.advance(both)
        with self._if_alone(turn):
            p.release(self.bus if on_memory > both else self.memory)
        p.advance(max(on_memory, on_bus) - both)
        with self._if_alone(turn):
            p.release(self.memory if on_memory > both else self.bus)

    def _take(self) -> None:
        """Seize the bus and then memory; while memory serves others the bus stands still."""
        p = self.p
        p.seize(self.bus)
        begun = p.now()
        p.seize(self.memory)
        stalled = p.register(since(begun))
        with p.when(stalled > 0):
            p.call(stalled, turns.stall, self.state, stalled)

    @contextmanager
    def _if_alone(self, turn: Register | None) -> Iterator[None]:
        """Run the body if the transfer found the bus idle, or if there is no question of that."""
        if turn is None:
            yield
        else:
            with self.p.when(turn >= turns.PLACES):
                yield

    def _wait_for_others(self, turn: Register) -> None:
        """Wait for the bursts of others that came between."""
        p = self.p
        left = p.answer(turns.rest, self.state, turn)
        with p.while_(left > 0):
            p.wait(left)
            p.call(left, turns.rest, self.state, turn)


class BusMaster:
    """A device that transfers over a bus one thing after another, in order of arrival, a byte in `device_byte` ps."""

    def __init__(self, bus: DmaPath, name: str, device_byte: Fraction) -> None:
        self.bus = bus
        self.device_byte = device_byte
        self.order = bus.p.container(f"{name} DMA", 1, 1, "transfers")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Run the body after all that was asked of the device before."""
        self.bus.p.get(self.order, 1)
        yield
        self.bus.p.put(self.order, 1)

    def duration(self, amount: int) -> int:
        """Least time of a transfer to memory, in ps."""
        return self.bus.duration(amount, self.device_byte)

    def transfer(self, amount: Operand) -> None:
        """DMA of `amount` bytes to memory in a turn of its own."""
        with self.turn():
            self.bus.transfer(amount, self.device_byte)

    def move(self, amount: Register, read: bool = False) -> None:
        """DMA of as many bytes as a register holds, from memory if `read`, in the turn that the caller has."""
        self.bus.transfer_packet(amount, self.device_byte, read)

    def read(self, amount: Operand) -> None:
        """DMA of `amount` bytes from memory, in the turn that the caller has."""
        self.bus.transfer(amount, self.device_byte, read=True)
