"""Ethernet on a shared medium, half duplex: carrier sense with collision detection (IEEE 802.3 clause 4).

A station waits until it hears nothing, and for a gap more, and then begins (1-persistent). If another did so before
they could hear one another, both jam, wait for a random number of slots of 512 bits and try again: of 0 to 2**k - 1
after the kth collision, k being 10 at most, and after the sixteenth the frame is given up (clause 4.2.3.2.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.network.ethernet import EthernetFrames
from simio.components.network.loss import Loss
from simio.components.network.packet import Left, Packet, dropped
from simio.description.model import Link
from simio.description.sheets.ethernet import SharedEthernetSheet
from simio.machines.network import carrier
from simio.machines.network.carrier import initial
from simio.program.builder import Builder, Register, minimum
from simio.program.service import ceil_times, per_byte


class SharedEthernet:
    """The medium between all stations."""

    def __init__(self, p: Builder, link: Link[SharedEthernetSheet]) -> None:
        self.p = p
        self.sheet = link.part.sheet
        self.name = link.name
        self.down = link.down
        self.byte = per_byte(self.sheet.rate)
        self.delay = ceil_times(1, link.length * self.sheet.propagation) + self.sheet.transceivers
        gap, preamble, jam = (
            ceil_times(size, self.byte) for size in (self.sheet.gap, self.sheet.preamble, self.sheet.jam)
        )
        self.slot = ceil_times(self.sheet.slot, self.byte)
        self.wire = p.resource(self.name)
        self.state = p.machine(self.name, initial(self.delay, gap, preamble, jam))
        self.backoff = p.uniform(f"{self.name} backoff", 0, 2**self.sheet.backoff_limit - 1)
        self.collisions = p.observation(f"{self.name} collisions", "other", "attempts")


class SharedEthernetWire(EthernetFrames):
    """The medium as one station uses it to send to another."""

    streams = False

    def __init__(self, p: Builder, medium: SharedEthernet, source: str, target: str) -> None:
        super().__init__(p, medium.sheet, source, target)
        self.medium = medium
        self.wire = medium.wire
        self.delay = medium.delay
        self.order = p.container(f"{source} first", 1, 1, "packets")
        self.loss = Loss(p, self.name, self.sheet.loss, self.sheet.bit_errors, medium.down)

    def time(self, length: int) -> int:
        """Time from the first to the last bit of the frame of a packet of `length` bytes, in ps."""
        return self.span(length)

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`."""
        p = self.p
        with p.scope():
            time, collisions, rest = p.register(), p.register(0), p.register(0)
            p.get(self.order, 1)
            time.set(self.span(packet.length))
            # Until it is sent (-1) or given up.
            with p.until(collisions < 0):
                self._attempt(time, rest)
                with p.when(rest == 0):
                    collisions.set(-1)
                with p.when(rest > 0):
                    self._collided(packet, collisions, rest)
            if left:
                left()
            p.put(self.order, 1)
            with p.when(rest == 0):
                p.advance(self.delay)
                with self.intact(packet, time):
                    yield

    def _attempt(self, time: Register, rest: Register) -> None:
        """Wait for silence and send: `rest` is 0 if that went well, else the time until the jam ends."""
        p, medium = self.p, self.medium
        with p.until(rest == 0):
            p.call(rest, carrier.ask, medium.state)
            p.wait(rest)
        p.call(rest, carrier.start, medium.state, time)
        with p.when(rest == 0):
            p.seize(self.wire)
            p.advance(medium.delay)
            p.call(rest, carrier.check, medium.state)
            with p.when(rest == 0):
                p.wait(time - medium.delay)
            p.release(self.wire)

    def _collided(self, packet: Packet, collisions: Register, rest: Register) -> None:
        """Jam, and wait for some slots; after too many attempts, `collisions` is -1 and the packet dropped."""
        p, medium, sheet = self.p, self.medium, self.medium.sheet
        p.wait(rest)
        collisions.set(collisions + 1)
        p.mark(medium.collisions, collisions)
        with p.when(collisions == sheet.attempts):
            dropped(p, self.name, packet)
            collisions.set(-1)
        with p.when(collisions > 0), p.scope():
            slots, below = p.register(), p.register(1)
            with p.loop(minimum(collisions, sheet.backoff_limit)):
                below.set(below * 2)
            p.draw(slots, medium.backoff)
            p.advance(0, slots % below, medium.slot)
            rest.set(0)
