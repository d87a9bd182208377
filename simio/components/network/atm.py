"""IP over ATM: AAL5 frames as cells, and switches that pass cells on as they come.

A datagram has 8 bytes of LLC and SNAP before it (RFC 1483, section 4.1) and 8 of AAL5 trailer behind it, and is
padded to whole cells of 48 bytes (ITU-T I.363.5), each of which takes 53 bytes of the link (I.361). SONET leaves
cells 260 of 270 columns: 149.76 of 155.52 Mbit/s (STS-3c), 599.04 of 622.08 (STS-12c).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.network.loss import Loss
from simio.components.network.packet import Left, Packet, Wire, dropped
from simio.description.model import Link, Switch
from simio.description.sheets.atm import AtmLink, AtmSwitchSheet
from simio.machines.network import cells
from simio.program.builder import Builder, Operand, OperandT, Register
from simio.program.service import ceil_times, per_byte


class AtmWire:
    """One direction of an ATM link; packets go one after another, each as its cells."""

    streams = True
    header = 0

    def __init__(self, p: Builder, link: Link[AtmLink], source: str, target: str) -> None:
        self.p = p
        self.sheet = link.part.sheet
        self.name = f"{source}>{target}"
        self.mtu: int = self.sheet.mtu
        self.delay = ceil_times(1, link.length * self.sheet.propagation)
        self.cell = self.sheet.cell * per_byte(self.sheet.rate)
        """Time of a cell in ps."""
        self.beside: int = self.sheet.encapsulation + self.sheet.trailer
        self.wire = p.resource(self.name)
        self.loss = Loss(p, self.name, self.sheet.loss, self.sheet.cell_loss, link.down)

    def cells_of(self, length: OperandT) -> OperandT:
        """Cells of a datagram of `length` bytes."""
        payload: int = self.sheet.cell_payload
        return (length + (self.beside + payload - 1)) // payload

    def time(self, length: int) -> int:
        """Time of the cells of a datagram of `length` bytes, in ps."""
        return ceil_times(self.cells_of(length), self.cell)

    def head(self) -> int:
        """Time of the first cell, in ps."""
        return ceil_times(1, self.cell)

    def span(self, length: Operand) -> Operand:
        """Time from the first to the last bit of a datagram of `length` bytes, in ps."""
        return self.times(self.cells_of(length))

    def times(self, count: Operand) -> Operand:
        """Time of a number of cells, in ps."""
        return ceil_times(count, self.cell)

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`; `early` is when the first cell has arrived."""
        p = self.p
        with p.scope():
            count = p.register(self.cells_of(packet.length))
            time = p.register(self.times(count))
            p.seize(self.wire)
            if early:
                with p.fork("cells", daemon=True):
                    p.wait(time)
                    if left:
                        left()
                    p.release(self.wire)
                p.advance(self.head() + self.delay)
            else:
                p.wait(time)
                if left:
                    left()
                p.release(self.wire)
                p.advance(self.delay)
            with self.loss.survived(packet, count, self.head() if early else time, self.delay):
                yield


class AtmSwitch:
    """A switch that queues cells at its outputs and passes them on in order of arrival.

    Where cells find a buffer full, each packet that is coming to that port misses one, and is dropped in the end;
    what was taken of it is served in vain. With early packet discard, a packet that begins while the buffer is filled
    above a threshold is not taken at all (A. Romanow and S. Floyd, "Dynamics of TCP traffic over ATM networks", IEEE
    Journal on Selected Areas in Communications 13(4), 1995). A packet that comes from another switch of cells is
    taken to come whole, at the instant of its last cell.
    """

    cuts_through = True
    streams = False

    def __init__(self, p: Builder, switch: Switch[AtmSwitchSheet]) -> None:
        self.p = p
        self.name = switch.name
        self.sheet = switch.part.sheet
        self._ports: dict[str, int] = {}

    def _port(self, outgoing: AtmWire) -> int:
        """State of the port that a wire goes out of."""
        if outgoing.name not in self._ports:
            byte = outgoing.cell / outgoing.sheet.cell
            capacity = ceil_times(self.sheet.buffer, byte)
            discard = ceil_times(self.sheet.discard_above or 0, byte)
            state = cells.initial(capacity, discard)
            self._ports[outgoing.name] = self.p.machine(f"{outgoing.name} buffer", state)
        return self._ports[outgoing.name]

    @contextmanager
    def forward(self, packet: Packet, incoming: Wire, outgoing: Wire, streaming: bool, early: bool) -> Iterator[None]:
        """Emit a packet's way from where one wire ends to where the next one does.

        With `streaming`, the packet's first cell has come, else all of it.
        """
        assert isinstance(incoming, AtmWire)
        assert isinstance(outgoing, AtmWire)
        p, port = self.p, self._port(outgoing)
        with p.scope():
            count, answer = p.register(outgoing.cells_of(packet.length)), p.register()
            if streaming:
                self._stream(incoming, outgoing, port, count, answer)
            else:
                p.call(answer, cells.whole, port, outgoing.times(count - 1))
            with p.when(answer == 0):
                dropped(p, self.name, packet)
            with p.when(answer != 0):
                if not streaming:
                    self._account(outgoing, count)
                answer.set(answer - 1)
                p.advance(outgoing.head() + self.sheet.latency + outgoing.delay, answer, 1)
                beside = outgoing.head() + self.sheet.latency + outgoing.delay
                with outgoing.loss.survived(packet, count, answer, beside):
                    yield

    def _stream(self, incoming: AtmWire, outgoing: AtmWire, port: int, count: Register, answer: Register) -> None:
        """The rest of the packet comes cell by cell; `answer` is 1 + its last cell's wait, or 0 if it is lost."""
        p = self.p
        share = int(outgoing.cell * cells.UNIT / incoming.cell)
        with p.scope():
            token = p.answer(cells.start, port, share)
            answer.set(token)
            with p.when(token != 0):
                self._account(outgoing, count)
                p.wait(incoming.times(count - 1))
                p.call(answer, cells.finish, port, share, token)

    def _account(self, outgoing: AtmWire, count: Register) -> None:
        """The way out is busy for the packet's cells, wherever they lie between those of others."""
        p = self.p
        with p.fork("cells", daemon=True), p.scope():
            time = p.register(outgoing.times(count))
            with p.hold(outgoing.wire):
                p.wait(time)
