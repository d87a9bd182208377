"""Switches of packets: queues before ports, drops, and the load of the backplane."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from fractions import Fraction

from simio.components.network.discipline import ManagedQueue
from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import DropQueue, Left, Packet, Wire
from simio.components.network.pause import Memory, Pauses, lossless, tell_of_no_pauses
from simio.description.model import Switch
from simio.description.sheets.ethernet import EthernetSwitch, PacketSwitchSheet
from simio.errors import RunError
from simio.program.builder import Builder, Handle, Register
from simio.program.service import per_byte
from simio.units import format_quantity


class PacketSwitch:
    """A switch that queues at its outputs, in a memory that its ports share, or at its inputs.

    With input buffers the first packet of each waits for its output and holds up those behind it (head-of-line
    blocking; M. J. Karol, M. G. Hluchyj and S. P. Morgan, "Input versus output queueing on a space-division packet
    switch", IEEE Transactions on Communications 35(12), 1987).
    """

    def __init__(self, p: Builder, switch: Switch[PacketSwitchSheet]) -> None:
        self.p = p
        self.name = switch.name
        self.sheet = switch.part.sheet
        self.cuts_through = isinstance(self.sheet, EthernetSwitch) and self.sheet.forwarding == "cut-through"
        self.streams = self.cuts_through
        self.backplane: Handle | None = None
        if self.sheet.backplane:
            self.backplane = p.resource(f"{self.name} backplane")
            self.backplane_byte = per_byte(self.sheet.backplane)
        self._queues: dict[str, DropQueue] = {}
        self._orders: dict[str, Handle] = {}
        self._managed: dict[str, ManagedQueue] = {}
        self._outputs: dict[str, DropQueue] = {}
        self._pauses: dict[str, tuple[DropQueue, Pauses]] = {}
        """The memory that packets of each input take, and pause frames against it, where it can be stopped."""
        self._lossless: dict[str, Mapping[int, Memory]] = {}
        """The memory of each class of each input that must not be lost."""

    def check(self, mtu: int, outgoing: Wire) -> None:
        """Raise RunError if its buffer is too small for a packet of `mtu` bytes, all of which it would drop."""
        size, least = mtu + outgoing.header, self.sheet.least_memory
        if size > least:
            has, need = (format_quantity(amount, "size") for amount in (least, size))
            whose = " for some classes" if self.sheet.pause_classes else ""
            raise RunError(f"{self.name!r} has a buffer of {has}{whose}, and packets have up to {need}")

    def _queue(self, packet: Packet, incoming: Wire, outgoing: Wire) -> DropQueue:
        """The buffer in which a packet from one wire to another waits; at an output each class has its own.

        Else a class that waits would fill the buffer, and the more urgent ones be dropped as often.
        """
        where = {"output": outgoing.name, "input": incoming.name, "shared": self.name}[self.sheet.buffering]
        if self.sheet.buffering == "output" and self.sheet.discipline == "priority":
            where = f"{where} class {packet.traffic_class}"
        if where not in self._queues:
            self._queues[where] = DropQueue(self.p, f"{where} buffer", self.sheet.lossy_memory, self.name)
        return self._queues[where]

    def _order(self, incoming: Wire) -> Handle:
        """The turn of the first packet of an input."""
        if incoming.name not in self._orders:
            self._orders[incoming.name] = self.p.container(f"{incoming.name} first", 1, 1, "packets")
        return self._orders[incoming.name]

    @contextmanager
    def forward(self, packet: Packet, incoming: Wire, outgoing: Wire, streaming: bool, early: bool) -> Iterator[None]:
        """Emit a packet's way from where one wire ends to where the next one does (or, `early`, begins to).

        With `streaming`, the packet has come so far that it may be passed on, else all of it.
        """
        with (
            self._passed(packet, incoming, outgoing, streaming) as left,
            outgoing.crossing(packet, early, left),
        ):
            yield

    @contextmanager
    def _passed(self, packet: Packet, incoming: Wire, outgoing: Wire, streaming: bool) -> Iterator[Left]:
        """The body runs when the packet may go out, unless it is dropped; gives what follows when it has left."""
        p = self.p
        self._check_classes(outgoing)
        order = self._order(incoming) if self.sheet.buffering == "input" else None
        with p.scope():
            size = p.register(packet.length + outgoing.header)
            with self._stored(packet, size, incoming, outgoing) as gone:
                if streaming:
                    self._fill(packet, incoming, outgoing)
                p.advance(self.sheet.latency)
                if order:
                    p.get(order, 1)
                if self.backplane:
                    with p.hold(self.backplane):
                        p.advance(0, size, self.backplane_byte)

                def left() -> None:
                    gone()
                    if order:
                        p.put(order, 1)

                if self.sheet.managed:
                    managed = self._managed_queue(outgoing)
                    with managed.passed(packet, size, gone):

                        def left_managed() -> None:
                            left()
                            managed.left(packet)

                        yield left_managed
                else:
                    yield left

    @contextmanager
    def _stored(self, packet: Packet, size: Register, incoming: Wire, outgoing: Wire) -> Iterator[Left]:
        """The body runs if the packet finds room in memory; gives what frees it."""
        memory = self._lossless.get(incoming.name, {}).get(packet.traffic_class)
        if memory:
            with memory.entered(packet, size):
                yield lambda: memory.leave(size)
            return
        queue, pauses = self._queue(packet, incoming, outgoing), self._pauses.get(incoming.name)
        output = self._output(outgoing) if self.sheet.share else None
        held = [(output, size)] if output else []
        with ExitStack() as stack:
            if output:
                # An amount below a share of the free room fits into the room.
                stack.enter_context(output.entered_below(packet, size, queue, self.sheet.share))
            stack.enter_context(queue.entered(packet, size))
            if pauses:
                stack.enter_context(pauses[0].entered(packet, size, *held, (queue, size)))
                pauses[1].entered()

            def gone() -> None:
                queue.leave(size)
                if output:
                    output.leave(size)
                if pauses:
                    pauses[0].leave(size)
                    pauses[1].left()

            yield gone

    def _managed_queue(self, outgoing: Wire) -> ManagedQueue:
        """The queue of an output that a discipline manages; its memory is counted by `_queue`."""
        if outgoing.name not in self._managed:
            byte = Fraction(outgoing.time(1000), 1000)
            name = f"{outgoing.name} queue"
            stops = isinstance(outgoing, EthernetWire) and outgoing.stops_classes
            self._managed[outgoing.name] = managed = ManagedQueue(
                self.p, name, self.sheet.buffer, self.sheet, byte, outgoing.name, stops
            )
            if isinstance(outgoing, EthernetWire):
                outgoing.queued_by(managed)
        return self._managed[outgoing.name]

    def _check_classes(self, outgoing: Wire) -> None:
        """Raise RunError if the far end of a wire can stop classes, and all wait here in one queue."""
        if isinstance(outgoing, EthernetWire) and outgoing.stops_classes and self.sheet.discipline != "priority":
            raise RunError(
                f"the far end of {outgoing.name!r} stops classes of traffic (pause_classes), and all classes wait in "
                f"one queue of {self.name!r} (discipline {self.sheet.discipline!r}), where one that is stopped would "
                "hold up the others; give it discipline: priority",
                f"switches.{self.name}.discipline",
            )

    def _output(self, outgoing: Wire) -> DropQueue:
        """An output's part of a shared buffer.

        A. K. Choudhury and E. L. Hahne, "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM
        Transactions on Networking 6(2), 1998.
        """
        if outgoing.name not in self._outputs:
            self._outputs[outgoing.name] = DropQueue(self.p, f"{outgoing.name} share", self.sheet.buffer, self.name)
        return self._outputs[outgoing.name]

    def pauses(self, incoming: Wire) -> None:
        """Have a wire stop where too much of it is in the switch; before any packet's way over it is emitted."""
        sheet, name = self.sheet, incoming.name
        tell_of_no_pauses(self.p, self.name, sheet, incoming)
        if sheet.pause_classes:
            if name not in self._lossless:
                self._lossless[name] = lossless(self.p, self.name, sheet, incoming)
        elif sheet.pause_above and isinstance(incoming, EthernetWire) and name not in self._pauses:
            inside = DropQueue(self.p, f"{name} inside", sheet.buffer, self.name)
            self._pauses[name] = inside, Pauses(self.p, inside, sheet, incoming)

    def _fill(self, packet: Packet, incoming: Wire, outgoing: Wire) -> None:
        """Wait so long that a packet that is passed on while it comes does not run dry on a faster wire."""
        p = self.p
        with p.scope():
            lead = p.register(incoming.span(packet.length) - outgoing.span(packet.length) - incoming.head())
            with p.when(lead > 0):
                p.wait(lead)
