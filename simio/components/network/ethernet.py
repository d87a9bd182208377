"""Ethernet, full duplex: frames of IEEE 802.3 on one direction of a link.

A frame is preamble and start-frame delimiter (8 bytes), header (14), the packet padded to the least size, and check
sequence (4); the next begins after a gap of 96 bit times (IEEE 802.3 clauses 3.1.1 and 4.4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simio.components.network.discipline import ManagedQueue
from simio.components.network.loss import Loss
from simio.components.network.packet import Left, Packet, Wire
from simio.description.model import Link
from simio.description.sheets.ethernet import EthernetLink
from simio.description.sheets.queues import QueueSheet
from simio.machines.network import spacing
from simio.program.builder import Builder, Handle, Operand, OperandT, maximum
from simio.program.service import ceil_times, per_byte, terms

ALL = 2**40
"""Room of a queue that holds whatever its sender has room for, in bytes."""


class EthernetFrames:
    """Frames from one port to another, over whatever medium."""

    delay: int
    loss: Loss

    def __init__(self, p: Builder, sheet: EthernetLink, source: str, target: str) -> None:
        self.p = p
        self.sheet = sheet
        self.name = f"{source}>{target}"
        self.mtu: int = sheet.mtu
        self.header: int = sheet.header + sheet.check
        self.byte = per_byte(sheet.rate)

    def head(self) -> int:
        """Time until the header has passed, in ps."""
        return ceil_times(self.sheet.preamble + self.sheet.header, self.byte)

    def _bytes(self, length: OperandT, preamble: int = 0) -> OperandT:
        """Bytes of the frame of a packet of `length` bytes, padded to the least size, behind a preamble."""
        return maximum(length, self.sheet.minimum - self.header) + (preamble + self.header)

    def span(self, length: OperandT) -> OperandT:
        """Time from the first to the last bit of a packet of `length` bytes, preamble first, in ps."""
        return ceil_times(self._bytes(length, self.sheet.preamble), self.byte)

    @contextmanager
    def intact(self, packet: Packet, time: Operand) -> Iterator[None]:
        """Run the body unless the packet, or a bit of its frame, is lost on its way of `time` and the delay."""
        with self.p.scope():
            bits = self.p.register(self._bytes(packet.length) * 8) if self.sheet.bit_errors else None
            with self.loss.survived(packet, bits, time, self.delay):
                yield


class EthernetWire(EthernetFrames):
    """One direction of a full-duplex link."""

    streams = True

    def __init__(self, p: Builder, link: Link[EthernetLink], source: str, target: str) -> None:
        super().__init__(p, link.part.sheet, source, target)
        if link.member:
            self.name = f"{self.name} {link.member.number}"
        self.delay = ceil_times(1, link.length * self.sheet.propagation) + self.sheet.coding
        self.gap = ceil_times(self.sheet.gap, self.byte)
        self.wire = p.resource(self.name)
        least, beside = self.sheet.minimum - self.header, self.sheet.preamble + self.header
        initial = spacing.initial(self.gap, least, beside, *terms(self.byte))
        self.spacing = p.machine(f"{self.name} spacing", initial)
        self.loss = Loss(p, self.name, self.sheet.loss, self.sheet.bit_errors, link.down)
        self.permission: Handle | None = None
        """Taken away while pause frames stop the wire, if the far end can send them."""
        self.opposite: Callable[[], Wire]
        """Gives the other direction of the link."""
        self.pausing = False
        """True if pause frames for classes of the other direction go over it."""
        self.stops_classes = False
        """True if the far end can stop classes of traffic."""
        self.port: ManagedQueue
        """Then the queues of its sender, one for each class."""
        self.sorts: bool | None = None
        """True if they are its own, since it begins at a host."""

    def time(self, length: int) -> int:
        """Time that the wire is taken by a packet of `length` bytes alone, the gap included, in ps."""
        return self.span(length) + self.gap

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`."""
        p = self.p
        with p.scope(), self._turn(packet, left) as left:
            p.seize(self.wire)
            if self.permission:
                p.get(self.permission, 1)
            whole = p.answer(spacing.begin, self.spacing, packet.length)
            time = self.span(packet.length)
            if early:
                time = p.register(time)
                p.wait(whole - time)
                with p.fork("frame", daemon=True):
                    p.wait(time)
                    self._sent(left)
                p.advance(self.head() + self.delay)
            else:
                p.wait(whole)
                self._sent(left)
                p.advance(self.delay)
            with self.intact(packet, self.head() if early else time):
                yield

    def queued_by(self, port: ManagedQueue, own: bool = False) -> None:
        """Take note that the sender has a queue for each class, `port`."""
        self.port, self.sorts = port, own

    @contextmanager
    def _turn(self, packet: Packet, left: Left | None) -> Iterator[Left | None]:
        """Run the body when a packet has its turn among classes, and its own may go; gives what follows then."""
        if not self.stops_classes:
            yield left
            return
        if self.sorts is None:
            sheet = QueueSheet.model_validate({"discipline": "priority"})
            self.queued_by(ManagedQueue(self.p, f"{self.name} queue", ALL, sheet, self.byte, self.name, True), True)
        if not self.sorts:
            yield left
            return

        def sent() -> None:
            if left:
                left()
            self.port.left(packet)

        with self.port.passed(packet, self.p.register(packet.length)):
            yield sent

    def control(self) -> None:
        """Emit the way of a frame of MAC control, which goes before all that waits (IEEE 802.3 clause 31)."""
        p = self.p
        with p.scope():
            p.seize(self.wire, priority=-1)
            whole = p.answer(spacing.begin, self.spacing, 0)
            p.wait(whole)
            p.release(self.wire)
        p.advance(self.delay)

    def _sent(self, left: Left | None) -> None:
        """The last bit has left; the next sender waits for the rest of the gap."""
        if self.permission:
            self.p.put(self.permission, 1)
        if left:
            left()
        self.p.release(self.wire)
