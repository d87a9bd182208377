"""Switches of packets: where packets wait for a port, what is dropped, and what the backplane carries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.network.packet import DropQueue, Left, Packet, Wire
from simio.description.model import Switch
from simio.description.sheets.ethernet import EthernetSwitch, PacketSwitchSheet
from simio.errors import RunError
from simio.program.builder import Builder, Handle
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

    def check(self, mtu: int, outgoing: Wire) -> None:
        """Raise RunError if its buffer is too small for a packet of `mtu` bytes, all of which it would drop."""
        size = mtu + outgoing.header
        if size > self.sheet.buffer:
            has, need = (format_quantity(amount, "size") for amount in (self.sheet.buffer, size))
            raise RunError(f"{self.name!r} has a buffer of {has}, and packets have up to {need}")

    def _queue(self, incoming: Wire, outgoing: Wire) -> DropQueue:
        """The buffer in which packets from one wire to another wait."""
        where = {"output": outgoing.name, "input": incoming.name, "shared": self.name}[self.sheet.buffering]
        if where not in self._queues:
            self._queues[where] = DropQueue(self.p, f"{where} buffer", self.sheet.buffer, self.name)
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
        p, queue = self.p, self._queue(incoming, outgoing)
        order = self._order(incoming) if self.sheet.buffering == "input" else None
        with p.scope():
            size = p.register(packet.length + outgoing.header)
            with queue.entered(packet, size):
                if streaming:
                    self._fill(packet, incoming, outgoing)
                p.advance(self.sheet.latency)
                if order:
                    p.get(order, 1)
                if self.backplane:
                    with p.hold(self.backplane):
                        p.advance(0, size, self.backplane_byte)

                def left() -> None:
                    queue.leave(size)
                    if order:
                        p.put(order, 1)

                yield left

    def _fill(self, packet: Packet, incoming: Wire, outgoing: Wire) -> None:
        """Wait so long that a packet that is passed on while it comes does not run dry on a faster wire."""
        p = self.p
        with p.scope():
            lead = p.register(incoming.span(packet.length) - outgoing.span(packet.length) - incoming.head())
            with p.when(lead > 0):
                p.wait(lead)
