"""Pause frames: a receiver whose buffer fills stops the far end of its link, or one class of traffic there.

IEEE 802.3 annex 31B and IEEE 802.1Q, clause 36 (priority-based flow control, 802.1Qbb).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import DropQueue, Packet, Wire
from simio.description.sheets.pausing import PauseSheet
from simio.errors import RunError
from simio.program.builder import Builder, Operand
from simio.program.steps import PAUSES


class Pauses:
    """Stops a wire when more than `pause_above` is in a buffer, and starts it again at `resume_at`.

    A pause frame takes the time of the shortest frame and the way there. What has begun is sent to its end, and so is
    what the far end begins meanwhile: the buffer has to have room for that beyond `pause_above`.
    """

    def __init__(self, p: Builder, buffer: DropQueue, sheet: PauseSheet, wire: EthernetWire, what: str = "") -> None:
        """`what` of the wire is stopped, all of it if that is empty."""
        self.p = p
        self.buffer = buffer
        self.above, self.resumes = sheet.pause_above or 0, sheet.resumes
        self.wire = wire
        name = f"{wire.name} {what}" if what else wire.name
        self._declare()
        self.stopped = p.variable(f"{name} stopped")
        self.since, self.paused = p.variable(f"{name} stopped at"), p.variable(f"{name} paused")
        p.tally(name, PAUSES, self.paused.offset, "ps", self.since.offset)

    def _declare(self) -> None:
        wire = self.wire
        self.delay = wire.time(0) + wire.delay
        wire.permission = self.permission = self.p.container(f"{wire.name} permission", 1, 1, "frames")
        _agree(wire, wire.pausing)

    def entered(self) -> None:
        """Something has come into the buffer."""
        p = self.p
        with p.scope():
            level = p.register()
            self.buffer.level(level)
            with p.when(level > self.above):
                stopped = self.stopped.swap(1)
                with p.when(stopped == 0):
                    self._stop()

    def left(self) -> None:
        """Something has left the buffer."""
        p = self.p
        with p.scope():
            level = p.register()
            self.buffer.level(level)
            with p.when(level <= self.resumes):
                stopped = self.stopped.swap(0)
                with p.when(stopped == 1):
                    self._resume()

    def _stop(self) -> None:
        p = self.p
        with p.fork("pause", delay=self.delay, daemon=True):
            p.get(self.permission, 1)
            # The wire stands still from now on, unless it is to go on by now.
            with p.when(self.stopped.load() == 1):
                self.since.store(p.now())

    def _resume(self) -> None:
        with self.p.fork("resume", delay=self.delay, daemon=True):
            self._ends()
            self.p.put(self.permission, 1)

    def _ends(self) -> None:
        """The wire goes on: count the time for which it stood still."""
        since = self.since.swap(0)
        with self.p.when(since > 0):
            self.paused.increment(self.p.now() - since)


class ClassPauses(Pauses):
    """Stops one class of traffic on a wire, by its own part of a buffer.

    The frame goes over the other direction of the link, before all that waits there and after a frame under way.
    """

    def __init__(self, p: Builder, buffer: DropQueue, sheet: PauseSheet, wire: EthernetWire, number: int) -> None:
        """`number` is that of the class."""
        self.number = number
        super().__init__(p, buffer, sheet, wire, f"class {number}")

    def _declare(self) -> None:
        self.wire.stops_classes = True
        back = self.wire.opposite()
        assert isinstance(back, EthernetWire)
        back.pausing = True
        _agree(self.wire, back.permission is not None)
        self.back = back

    def _stop(self) -> None:
        p = self.p
        with p.fork("pause", daemon=True):
            self.back.control()
            self.since.store(p.now())
            self.wire.port.stop(self.number)

    def _resume(self) -> None:
        with self.p.fork("resume", daemon=True):
            self.back.control()
            self._ends()
            self.wire.port.resume(self.number)


def _agree(wire: EthernetWire, differs: bool) -> None:
    """Raise RunError if one end of a link stops classes, and the other all of it."""
    if differs:
        raise RunError(
            f"one end of {wire.name!r} stops classes of traffic and the other the whole link, which no link has at "
            "once (IEEE 802.1Q, clause 36); give both ends pause_classes, or one of them no pause_above"
        )


class Memory:
    """A receiver's memory for packets of one link, or of a class there, and pauses that keep it from running over."""

    def __init__(self, queue: DropQueue) -> None:
        self.queue = queue
        self.pauses: Pauses | None = None

    @contextmanager
    def entered(self, packet: Packet, size: Operand) -> Iterator[None]:
        """Run the body if a packet fits; else it is dropped."""
        with self.queue.entered(packet, size):
            if self.pauses:
                self.pauses.entered()
            yield

    def leave(self, size: Operand) -> None:
        """A packet has left."""
        self.queue.leave(size)
        if self.pauses:
            self.pauses.left()


class Receiver:
    """An adapter's memory for packets that have come."""

    def __init__(self, p: Builder, name: str, sheet: PauseSheet) -> None:
        self.p, self.name, self.sheet = p, name, sheet
        self.rest = Memory(DropQueue(p, f"{name} receive buffer", sheet.lossy_memory, name))
        self._classes: Mapping[int, Memory] = {}

    def of(self, packet: Packet) -> Memory:
        """The memory that a packet takes."""
        return self._classes.get(packet.traffic_class, self.rest)

    def fed_by(self, wire: Wire) -> None:
        """Packets come over a wire; before any packet's way over it is emitted."""
        tell_of_no_pauses(self.p, self.name, self.sheet, wire)
        if self.sheet.pause_classes:
            self._classes = self._classes or lossless(self.p, self.name, self.sheet, wire)
        elif self.sheet.pause_above and isinstance(wire, EthernetWire) and not self.rest.pauses:
            self.rest.pauses = Pauses(self.p, self.rest.queue, self.sheet, wire)


def tell_of_no_pauses(p: Builder, owner: str, sheet: PauseSheet, wire: Wire) -> None:
    """Tell where a receiver is to stop a wire that has no pause frames."""
    if sheet.pause_above and not isinstance(wire, EthernetWire):
        p.tell(
            f"{owner} stops nothing over {wire.name}, in spite of pause_above: only links of kind 'ethernet' pause"
        )


def lossless(p: Builder, owner: str, sheet: PauseSheet, wire: Wire) -> dict[int, Memory]:
    """The memory of each class that must not be lost, for packets that come over a wire.

    Drops are counted for `owner`. Only Ethernet has pause frames; over other links too much is dropped.
    """
    found = {}
    for number in sheet.pause_classes:
        found[number] = Memory(DropQueue(p, f"{wire.name} class {number} buffer", sheet.class_memory, owner))
        if isinstance(wire, EthernetWire):
            found[number].pauses = ClassPauses(p, found[number].queue, sheet, wire, number)
    return found
