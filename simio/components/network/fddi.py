"""IP over FDDI (RFC 1390): stations on a ring that send while they have the token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.network.loss import Loss
from simio.components.network.packet import Left, Packet
from simio.description.model import Link
from simio.description.sheets.fddi import FddiRingSheet
from simio.machines.network import ring as token_ring
from simio.machines.network.ring import OTHER, initial
from simio.program.builder import Builder, Operand
from simio.program.service import ceil_times, per_byte


class FddiRing:
    """The ring, which one station at a time sends on. Stations lie on it in the order in which they are named."""

    def __init__(self, p: Builder, link: Link[FddiRingSheet]) -> None:
        self.p = p
        self.sheet = link.part.sheet
        self.stations = link.ends
        self.down = link.down
        self.name = link.name
        self.byte = per_byte(self.sheet.rate)
        fibre = ceil_times(1, link.length * self.sheet.propagation)
        self.hop = max(-(-fibre // len(link.ends)) + self.sheet.station_delay, 1)
        """Time from one station to the next, in ps."""
        token = ceil_times(self.sheet.preamble + self.sheet.token, self.byte)
        self.wire = p.resource(self.name)
        self.state = p.machine(self.name, initial(len(link.ends), self.hop, token, self.sheet.target_rotation))
        self.released = p.container(f"{self.name} token", unit="stations")

    def catch(self, station: int) -> None:
        """Emit waiting until a station may send."""
        p = self.p
        with p.scope():
            answer = p.register()
            with p.until(answer == 0):
                p.call(answer, token_ring.ask, self.state, station)
                with p.when(answer == OTHER):
                    p.get(self.released, 1)
                with p.when(answer < OTHER):
                    p.wait(answer)

    def done(self, station: int) -> None:
        """Emit the end of a station's packet: its next one follows, or the token moves on."""
        p = self.p
        with p.scope():
            answer = p.answer(token_ring.done, self.state, station)
            with p.when(answer > 1):
                p.put(self.released, answer - 1)


class FddiWire:
    """The ring as one station uses it to send to another."""

    streams = False
    header = 0

    def __init__(self, p: Builder, ring: FddiRing, source: str, target: str) -> None:
        self.p = p
        self.ring = ring
        self.sheet = ring.sheet
        self.name = f"{source}>{target}"
        self.wire = ring.wire
        self.mtu: int = self.sheet.mtu
        self.station = ring.stations.index(source)
        away = (ring.stations.index(target) - self.station) % len(ring.stations)
        self.delay = away * ring.hop
        self.beside: int = self.sheet.preamble + self.sheet.header + self.sheet.encapsulation
        self.order = p.container(f"{source} first", 1, 1, "packets")
        self.loss = Loss(p, self.name, self.sheet.loss, 0, ring.down)

    def time(self, length: int) -> int:
        """Time of the frame of a datagram of `length` bytes, in ps."""
        return ceil_times(self.beside + length, self.ring.byte)

    def head(self) -> int:
        """Time until the header has passed, in ps."""
        return ceil_times(self.sheet.preamble + self.sheet.header, self.ring.byte)

    def span(self, length: Operand) -> Operand:
        """Time from the first to the last bit of a datagram of `length` bytes, in ps."""
        return ceil_times(length + self.beside, self.ring.byte)

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`."""
        p = self.p
        with p.scope():
            p.answer(token_ring.arrive, self.ring.state, self.station)
            p.get(self.order, 1)
            self.ring.catch(self.station)
            time = p.register(self.span(packet.length))
            with p.hold(self.wire):
                p.wait(time)
            if left:
                left()
            self.ring.done(self.station)
            p.put(self.order, 1)
            p.advance(self.delay)
            with self.loss.survived(packet, None, time, self.delay):
                yield
