"""A host: CPUs that do work, memory that copies and DMA pass through, and the buses between."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from simio.description.model import Host, fits
from simio.errors import RunError
from simio.program.builder import Builder, Operand, OperandT, Register
from simio.program.labels import labelled
from simio.program.service import ceil_times, per_byte, ratio
from simio.wording import and_others

if TYPE_CHECKING:
    from simio.components.block.cores import Cores
    from simio.components.host.bus import HostBus
    from simio.components.host.pcie import PcieBus, RootComplex

INTERRUPT = 0
"""Priority of interrupt service: ahead of everything else that waits for a CPU."""
PROCESS = 1
"""Priority of work on behalf of a process."""

SLICE = 10 * 10**6
"""Part of the time of work on memory after which DMA may get in; the CPU's own accesses are far shorter."""


class Computer:
    """CPUs, memory and buses of one host, as resources of the program.

    Costs in a kernel's datasheet hold for a CPU of its `reference_clock`; here they scale inversely with the
    clock of the CPU that is in the host.
    """

    def __init__(self, p: Builder, description: Host) -> None:
        self.p = p
        self.description = description
        self.name = description.name
        # Hardware threads count for work that has a core of its own; the rest has the cores.
        self.cpu = p.resource(f"{self.name}.cpu", description.cores)
        self.memory = p.resource(f"{self.name}.memory")
        self.memory_byte = per_byte(description.memory.sheet.moved)
        self.copy_byte = per_byte(description.memory.sheet.copy_rate)
        self.xor_byte = per_byte(description.memory.sheet.xor_rate)
        self.scale = ratio(description.kernel.sheet.reference_clock, description.cpu.sheet.clock)
        self.streamed = 2 if description.cpu.sheet.whole_lines else 3
        self.stalled = ratio(description.kernel.sheet.memory_share or 0)
        self._buses: dict[str, HostBus] = {}
        self._root: RootComplex | None = None

    @cached_property
    def cores(self) -> Cores:
        """Its cores as places, for work that is pinned."""
        from simio.components.block.cores import Cores

        return Cores(self.p, self)

    def bus(self, key: str) -> HostBus:
        """The bus of this name, made when something first uses it; raises RunError for a kind without behaviour."""
        if key not in self._buses:
            self._buses[key] = self._make_bus(key)
        return self._buses[key]

    def tell(self, linked: AbstractSet[str]) -> None:
        """Tell of adapters in use on a bus of another socket than the first, whose data have no socket, and of links
        of PCI Express that keep an adapter below its rate; `linked` are the names of adapters at links."""
        for key, bus in self._buses.items():
            socket = getattr(self.description.buses[key].sheet, "socket", 0)
            own = [each.part for each in self.description.adapters.values() if each.bus == key]
            for part in own:
                if part.name in linked and (told := bus.keeps_below(getattr(part.sheet, "speed", None))):
                    self.p.tell(f"{told}, less than the rate of {part.name}")
            names = [part.name for part in own if not part.sheet.sockets]
            if socket and names:
                self.p.tell(
                    f"{and_others(names)} on socket {socket}: data, CPUs and memory are taken to be near in any "
                    "case; only transfers of dma know sockets"
                )

    def pcie(self, key: str) -> PcieBus:
        """The PCI Express link of this name. Raises RunError for a bus of another kind."""
        from simio.components.host.pcie import PcieBus

        bus = self.bus(key)
        if not isinstance(bus, PcieBus):
            part = self.description.buses[key]
            raise RunError(
                f"bus {part.name!r} is of kind {part.kind!r}; what sits on it needs PCI Express (kind 'pcie')"
            )
        return bus

    def _make_bus(self, key: str) -> HostBus:
        from simio.components.host.bus import ParallelBus
        from simio.description.sheets.buses import ParallelBusSheet

        part = self.description.buses[key]
        if fits(part, ParallelBusSheet):
            return ParallelBus(self.p, part, self.memory, self.memory_byte)
        from simio.components.host.pcie import PcieBus, RootComplex
        from simio.description.sheets.nvme import NvmeAdapter
        from simio.description.sheets.pcie import PcieBusSheet, PcieDevice

        if fits(part, PcieBusSheet) and self.description.root is not None:
            if self._root is None:
                self._root = RootComplex(self.p, self.name, self.description.root)
            uplink = self.pcie(part.sheet.behind) if part.sheet.behind != "root" else None
            cards = [each.part.sheet for each in self.description.adapters.values() if each.bus == key]
            # NVMe drives have lanes of their own. A card that does not say what its end has takes all of the slot.
            cards = [sheet for sheet in cards if not isinstance(sheet, NvmeAdapter)]
            devices = [sheet for sheet in cards if isinstance(sheet, PcieDevice)]
            ends = devices if len(devices) == len(cards) else ()
            return PcieBus(self.p, part, self._root, self.memory, self.memory_byte, uplink, ends)
        raise RunError(f"bus {part.name!r} is of kind {part.kind!r}, which this path cannot cross")

    def span(self, cost: OperandT) -> OperandT:
        """Time in ps that `cost` ps of the reference CPU's time take on a CPU of this host."""
        return ceil_times(cost, self.scale)

    def work(self, cost: Operand, priority: int = PROCESS) -> None:
        """Keep one CPU busy for `cost` ps of the reference CPU's time, which are none only as a constant."""
        if isinstance(cost, int) and not cost:
            return
        with self.p.hold(self.cpu, priority=priority):
            if not self.stalled:
                self.p.wait(self.span(cost))
                return
            for part in self.p.pieces(cost, SLICE):
                with self.p.hold(self.memory):
                    self.p.wait(ceil_times(part, self.scale * self.stalled))
                self.p.wait(ceil_times(part, self.scale * (1 - self.stalled)))

    def work_on(self, cost: int, amount: Operand, byte: Fraction, priority: int) -> None:
        """Keep one CPU busy for `cost` ps of the reference CPU's time and `byte` ps of its own for each byte."""
        span = self.span(cost)
        if span or byte:
            with self.p.hold(self.cpu, priority=priority):
                self.p.advance(span, amount, byte)

    @labelled("copies", "name")
    def copy_amount(self, amount: Register, size: int) -> None:
        """One CPU copies `amount` bytes at once between the kernel's memory and a program's buffer of `size` bytes.

        As `copy`, but memory is held for the whole of the amount, which is at most a packet or a kernel's buffer.
        """
        p = self.p
        crossing = self.memory_byte * self._crossings(size)
        with p.hold(self.cpu, priority=PROCESS):
            with p.hold(self.memory):
                p.advance(0, amount, crossing)
            if self.copy_byte > crossing:
                p.advance(0, amount, self.copy_byte - crossing)

    def _crossings(self, size: int) -> int:
        """Crossings of the memory bus by a byte that is copied to a program's buffer of `size` bytes; see `copy`."""
        return 1 if 2 * size <= self.description.cpu.sheet.cache else self.streamed

    @labelled("copies", "name")
    def copy(self, size: int, buffer: int = 0, behind: int | None = None) -> None:
        """One CPU copies `size` bytes between the kernel's memory and a program's buffer, of that size or `buffer`.

        The source comes from memory. A target that fits into half of the CPU's cache stays there; a larger one is
        fetched line by line before it is written (write-allocate), unless the CPU copies whole lines, and goes back
        to memory in the end, so that three bytes, or two, cross the memory bus for each byte copied.

        `behind` are the bytes that were touched since the source was, itself included. Where these and the buffer lie
        in a cache whose rate of copies the CPU's datasheet has, the copy goes at that rate, and memory is left alone.
        """
        byte = None if behind is None else self.cached_copy(behind + (buffer or size))
        if byte is not None:
            self._touch(size, 0, byte)
            return
        self._touch(size, self._crossings(buffer or size) * size, self.copy_byte)

    def cached_copy(self, among: int) -> Fraction | None:
        """Time in ps of a byte that is copied among `among` bytes in the nearest cache that holds them; or None.

        A cache of which no rate is known does not count.
        """
        cpu, root = self.description.cpu.sheet, self.description.root
        levels = ((cpu.l1, cpu.copy_l1), (cpu.cache, cpu.copy_l2), (root and root.sheet.cache, cpu.copy_llc))
        return next((per_byte(rate) for room, rate in levels if room and rate and among <= room), None)

    @labelled("copies", "name")
    def bounce(self, size: Operand, priority: int = PROCESS) -> None:
        """One CPU copies `size` bytes to bounce buffers, or from them.

        Neither end is in a cache, so that as many bytes cross the memory bus as for a large target in `copy`.
        """
        p = self.p
        crossing = self.streamed * self.memory_byte
        for amount in p.pieces(size, self.description.kernel.sheet.page):
            with p.hold(self.cpu, priority=priority):
                with p.hold(self.memory):
                    p.advance(0, amount, crossing)
                p.advance(0, amount, max(self.copy_byte - crossing, Fraction(0)))

    @labelled("parity", "name")
    def xor(self, sources: int, size: int, weighted: bool = False) -> None:
        """One CPU computes parity over `sources` buffers of `size` bytes into another one.

        Sums that are `weighted` in a Galois field take the CPU's rate for those, if that is known.
        """
        coding = self.description.cpu.sheet.coding if weighted else None
        self._touch(sources * size, (sources + 2) * size, per_byte(coding) if coding else self.xor_byte)

    def gathered(self, size: int) -> AbstractContextManager[None]:
        """Nothing: data that are read are in memory, where they are wanted."""
        return nullcontext()

    def kept(self) -> AbstractContextManager[None]:
        """End of the way."""
        return nullcontext()

    def _touch(self, size: int, traffic: int, byte: Fraction) -> None:
        """A CPU works through `size` bytes at `byte` ps each, of which `traffic` bytes cross the memory bus.

        Page by page, so that interrupts and DMA get in between; the CPU waits while others have the memory bus.
        """
        p = self.p
        for amount in p.pieces(size, self.description.kernel.sheet.page):
            crossing = ceil_times(amount * traffic, self.memory_byte / size)
            with p.hold(self.cpu, priority=PROCESS):
                if traffic:
                    with p.hold(self.memory):
                        p.advance(crossing)
                p.advance(max(ceil_times(amount, byte) - crossing, 0))
