"""PCI Express: a link whose directions carry packets independently, and the root complex behind it.

A device writes host memory by posted packets: it is done with them when they have left. It reads by requests, each of
which holds a tag until its data have come back in completions.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

from simio.components.passage import Passage
from simio.description.model import Part
from simio.description.sheets.pcie import PcieBusSheet, PcieDevice, RootComplexSheet
from simio.machines import iommu
from simio.program.builder import Builder, Handle, Operand, OperandT, Register, least, maximum
from simio.program.labels import labelled
from simio.program.service import ceil_div, ceil_times, per_byte, ratio
from simio.wording import counted

WORD = 4
"""Bytes of a double word, of which all packets consist."""
PIECE = 4096
"""Bytes that pass a link together: no request crosses such a boundary (PCI Express Base 3.0, 2.2.7)."""

Stage = tuple[Handle, Any, Fraction]
"""Something that bytes pass: the resource, the time that they take of it, and that of one byte."""


class RootComplex:
    """The way from links to the caches and memory of a host, one for all links of it."""

    def __init__(self, p: Builder, name: str, part: Part[RootComplexSheet]) -> None:
        self.p, self.name = p, name
        self.sheet = sheet = part.sheet
        self.ordering = p.resource(f"{name} posted writes") if sheet.write_time else None
        self.sockets = p.resource(f"{name} socket link") if sheet.socket_rate else None
        self.socket_byte = per_byte(sheet.socket_rate) if sheet.socket_rate else Fraction(0)
        self.translations: int | None = None
        self.walkers = p.window(f"{name} IOMMU walkers", sheet.iommu_walks) if sheet.iommu else None
        if sheet.iommu:
            state = iommu.initial(sheet.iommu_entries, sheet.iommu_walks, sheet.iommu_walk, sheet.iommu_page)
            self.translations = p.machine(f"{name} IOMMU", state)
            for what, word in (("hits", iommu.HITS), ("misses", iommu.MISSES), ("shared walks", iommu.JOINED)):
                p.tally(f"{name} IOMMU", what, self.translations + word, "pages")

    @property
    def holds_writes(self) -> bool:
        """True if posted writes can wait here."""
        return self.ordering is not None or self.translations is not None

    @labelled("address translation", "name")
    def translate(self, amount: Operand, place: Operand | None) -> None:
        """Wait until the pages of a transfer are translated: those from address `place` on, or ones mapped for it."""
        if self.translations is None:
            return
        p = self.p
        with p.scope():
            if place is None:
                p.wait(p.answer(iommu.translate_fresh, self.translations, amount))
            else:
                p.wait(p.answer(iommu.translate, self.translations, place, amount))

    def walks(self, amount: Operand, place: Operand | None) -> None:
        """Declare to the bound the certain walks of a transfer: one a page that is mapped for it."""
        if self.walkers is not None and place is None:
            self.p.occupy(self.walkers, least(amount) // self.sheet.iommu_page * self.sheet.iommu_walk)

    def store(self, packets: Operand) -> None:
        """Take posted writes of this many packets in order."""
        if self.ordering is not None:
            with self.p.hold(self.ordering):
                self.p.advance(0, packets, self.sheet.write_time)


class PcieBus:
    """A link of PCI Express and the devices on it, which share its directions and tags.

    A direction carries n bytes in ceil(n / MPS) packets (completions: of at most what the root complex sends), each
    with its headers. A link behind another, the `uplink`, is that of a switch's port, and what crosses it keeps both.
    Memory is busy meanwhile for its own part of the time, unless a cache has the lines.
    """

    def __init__(
        self,
        p: Builder,
        part: Part[PcieBusSheet],
        root: RootComplex,
        memory: Handle,
        memory_byte: Fraction,
        uplink: PcieBus | None,
        devices: Sequence[PcieDevice],
    ) -> None:
        """`devices` are those at the other end of the link, to which it trains."""
        self.p = p
        self.part = part
        self.name = part.name
        self.sheet = sheet = part.sheet.trained(devices)
        self.root = root
        self.memory, self.memory_byte = memory, memory_byte
        self.uplink = uplink
        self.byte = per_byte(sheet.rate)
        self.up, self.down = p.resource(f"{part.name} up"), p.resource(f"{part.name} down")
        self.tags = p.container(f"{part.name} tags", sheet.tags, sheet.tags, "requests")
        self.window = p.window(f"{part.name} tags", sheet.tags)
        posted = root.sheet.posted
        self.credits = p.container(f"{part.name} posted", posted, posted, "packets") if root.holds_writes else None
        self.delay: int = sheet.latency + (sheet.switch_latency + uplink.delay if uplink else 0)
        """Time of a packet's way through links and switches, beside the time that it takes of them, in ps."""

    def into(self, memory: Handle, memory_byte: Fraction) -> PcieBus:
        """The same link, as transfers cross it whose other end is a memory that is not the host's own."""
        other = copy.copy(self)
        other.memory, other.memory_byte = memory, memory_byte
        return other

    def keeps_below(self, speed: Fraction | None) -> str:
        """A sentence on the link if devices keep it below what the host's end has, and below a speed, else ''."""
        own, link = self.part.sheet, self.sheet
        if (own.generation, own.lanes) == (link.generation, link.lanes) or (speed or 0) <= link.rate:
            return ""
        return (
            f"{self.name} of generation {own.generation} with {counted(own.lanes, 'lane')} trains to generation "
            f"{link.generation} with {counted(link.lanes, 'lane')}, which the adapter has"
        )

    def of_its_own(self, name: str, device: PcieDevice) -> PcieBus:
        """A link like this one for one device, which shares only the uplink and the parts behind it."""
        part = replace(self.part, name=name)
        return PcieBus(self.p, part, self.root, self.memory, self.memory_byte, self.uplink, (device,))

    # --- times -------------------------------------------------------------------------------------------

    def packets(self, amount: OperandT, read: bool = False) -> OperandT:
        """Packets that carry `amount` bytes: a device's writes, or the completions of its reads."""
        return ceil_div(amount, self.sheet.largest_completion if read else self.sheet.payload)

    def requests(self, amount: OperandT) -> OperandT:
        """Read requests for `amount` bytes."""
        return ceil_div(amount, self.sheet.read_request)

    def carried(self, amount: OperandT, read: bool = False) -> OperandT:
        """Bytes on the link that carry `amount` bytes in the direction of the data."""
        header = self.sheet.answer if read else self.sheet.request
        return ceil_div(amount, WORD) * WORD + self.packets(amount, read) * header

    def latency(self, cached: bool = False, remote: bool = False) -> int:
        """Time from a read request's end to the beginning of its first completion, in ps."""
        sheet = self.root.sheet
        reach = 0 if cached else sheet.memory_latency
        return 2 * self.delay + sheet.read_latency + reach + (sheet.socket_latency if remote else 0)

    def duration(self, amount: int, device_byte: Fraction = Fraction(0), read: bool = False) -> int:
        """Time of an undisturbed transfer by a device that moves a byte in `device_byte` ps, in ps."""
        moved = max(
            ceil_times(self.carried(amount, read), self.byte),
            ceil_times(amount, device_byte),
            ceil_times(amount, self.memory_byte),
        )
        if not read:
            return moved + self.delay
        first = min(amount, self.piece)
        asked = ceil_times(self.requests(first) * self.sheet.request, self.byte)
        return asked + self.latency() + moved

    @property
    def piece(self) -> int:
        """Bytes of a read that are asked for together: no more than there are tags for."""
        return min(PIECE, self.sheet.tags * self.sheet.read_request)

    def passage(self, read: bool, cached: bool = False) -> Passage:
        """The passage of transfers to memory, or from it (`read`); those to or from a cache leave memory out."""
        wire = self.down if read else self.up
        largest = self.sheet.largest_completion if read else self.sheet.payload
        packet = self.byte * (1 + ratio(self.sheet.answer if read else self.sheet.request, largest))
        windows = {}
        if read:
            windows[self.window] = Fraction(self.latency(cached=True), self.sheet.read_request)
        behind = Passage() if cached else Passage({self.memory: self.memory_byte})
        above = self.uplink.passage(read, cached) if self.uplink else behind
        return Passage({wire: packet}, windows) + above

    # --- steps -------------------------------------------------------------------------------------------

    @labelled("DMA", "name")
    def transfer(self, amount: Operand, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """DMA of `amount` bytes by a device that moves a byte in `device_byte` ps; `read`: from memory.

        Returns when the data are at the other end.
        """
        if read:
            self.read(amount, device_byte)
        else:
            self.write(amount, device_byte)
            self.p.advance(self.delay)

    def transfer_packet(self, amount: Register, device_byte: Fraction = Fraction(0), read: bool = False) -> None:
        """Transfer as many bytes as a register holds, one at least; see `transfer`."""
        self.transfer(amount, device_byte, read)

    def write(
        self,
        amount: Operand,
        device_byte: Fraction = Fraction(0),
        cached: bool = False,
        place: Operand | None = None,
        remote: bool = False,
    ) -> None:
        """A device writes `amount` bytes to memory, or into a cache; returns when they have left the device.

        `place` is the address for the IOMMU; without one, whole pages are mapped for this transfer. `remote`: the
        memory belongs to another socket.
        """
        p, root = self.p, self.root
        for part in p.pieces(amount, PIECE):
            with p.scope():
                packets = self.packets(part)
                if self.credits is not None:
                    p.get(self.credits, packets)
                self._carry(part, False, device_byte, cached, remote)
                if self.credits is not None:
                    with p.fork("posted"):
                        p.advance(self.delay)
                        root.translate(part, place)
                        root.store(packets)
                        p.put(self.credits, packets)

    def read(
        self,
        amount: Operand,
        device_byte: Fraction = Fraction(0),
        cached: bool = False,
        place: Operand | None = None,
        remote: bool = False,
        reach: Operand | None = None,
    ) -> None:
        """A device reads `amount` bytes from memory, or out of a cache; returns when the last has come.

        Parts of a large amount are under way together, as far as there are tags. `reach` is the time in ps by which
        the data are farther than the near cache, where the caller knows that; the rest is as for `write`.
        """
        p = self.p

        def fetch(part: Any) -> None:
            with p.scope():
                self._fetch(part, device_byte, cached, place, remote, reach)

        if isinstance(amount, int) and amount <= self.piece:
            fetch(amount)
            return
        for part in p.pieces(amount, self.piece):
            if device_byte > self.byte:
                fetch(part)
            else:
                with p.fork("read", joined=True):
                    fetch(part)
        p.join()

    def _fetch(
        self,
        amount: Any,
        device_byte: Fraction,
        cached: bool,
        place: Operand | None,
        remote: bool,
        reach: Operand | None,
    ) -> None:
        """A read of at most `piece` bytes: requests with tags, the root complex, completions."""
        p, known = self.p, reach is not None
        latency = self.latency(cached or known, remote and not known)
        requests = self.requests(amount)
        certain = least(amount)
        wired = self.requests(certain) * self.sheet.request + self.carried(certain, read=True)
        p.occupy(self.window, self.requests(certain) * (latency + floor(wired * self.byte)))
        p.get(self.tags, requests)
        self._pass(self._wires(requests * self.sheet.request, "up"))
        # Bytes written may count as delivered before their pages are known.
        self.root.walks(amount, place)
        self.root.translate(amount, place)
        p.advance(latency, 0 if reach is None else reach, 1)
        self._carry(amount, True, device_byte, cached, remote)
        p.put(self.tags, requests)

    @labelled("DMA", "name")
    def post(self, *amounts: int) -> None:
        """A device writes a few small packets, one after another, into a cache; returns when they are there."""
        self._pass(self._wires(sum(self.carried(amount) for amount in amounts), "up"))
        self.p.advance(self.delay)

    @labelled("register access", "name")
    def mmio_write(self, amount: int) -> None:
        """A CPU's posted write of `amount` bytes to a device; returns when it is there."""
        self._pass(self._wires(amount + self.sheet.request, "down"))
        self.p.advance(self.delay)

    def _carry(self, amount: Any, read: bool, device_byte: Fraction, cached: bool, remote: bool) -> None:
        """The packets of at most PIECE bytes cross links and memory; a slower device lets go of them between."""
        p = self.p
        with p.scope():
            stages = self._wires(self.carried(amount, read), "down" if read else "up")
            if remote and self.root.sockets:
                stages.append((self.root.sockets, ceil_times(amount, self.root.socket_byte), self.root.socket_byte))
            if not cached:
                stages.append((self.memory, ceil_times(amount, self.memory_byte), self.memory_byte))
            passed = self._pass(stages)
            if device_byte:
                moved = ceil_times(amount, device_byte)
                p.wait(max(moved - passed, 0) if isinstance(amount, int) else maximum(moved - passed, 0))

    def _wires(self, carried: Any, way: str) -> list[Stage]:
        """The links of one direction, from the device's own on, and the times that these bytes take of them."""
        own: Stage = (getattr(self, way), ceil_times(carried, self.byte), self.byte)
        return [own, *(self.uplink._wires(carried, way) if self.uplink else [])]

    def _pass(self, stages: Sequence[Stage]) -> Any:
        """Pass through all of these at once, each being busy for its own time; gives the longest time."""
        p = self.p
        for resource, _, _ in stages:
            p.seize(resource)
        passed: Any = 0
        for resource, time, _ in sorted(stages, key=lambda stage: stage[2]):
            if isinstance(time, int):
                p.advance(max(time - passed, 0))
                passed = max(passed, time)
            else:
                time = p.register(time)
                p.wait(maximum(time - passed, 0))
                passed = p.register(maximum(time, passed))
            p.release(resource)
        return passed
