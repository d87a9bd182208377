"""A link that software makes, as tc's tbf and netem do: a token bucket with a queue, then delay and jitter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction

from simio.components.network.discipline import ManagedQueue
from simio.components.network.loss import Loss
from simio.components.network.packet import DropQueue, Left, Packet, dropped
from simio.description.model import Link
from simio.description.sheets.emulated import EmulatedLink
from simio.machines.network import shaper
from simio.program.builder import Builder, OperandT, Register
from simio.program.service import ceil_times, per_byte


class EmulatedWire:
    """One direction of an emulated link. It is busy while the tokens that packets have taken flow in again."""

    streams = False

    def __init__(self, p: Builder, link: Link[EmulatedLink], source: str, target: str) -> None:
        self.p = p
        self.sheet = link.part.sheet
        self.name = f"{source}>{target}"
        self.mtu: int = self.sheet.mtu
        self.header: int = self.sheet.header
        self.delay = ceil_times(1, link.length * self.sheet.propagation)
        self.wire = p.resource(self.name)
        bursts = (self.sheet.burst_begins, self.sheet.burst_ends, self.sheet.burst_loss)
        self.loss = Loss(p, self.name, self.sheet.loss, 0, link.down, bursts if self.sheet.burst_begins else None)
        self.byte = per_byte(self.sheet.rate) if self.sheet.rate else Fraction(0)
        self.queue: DropQueue | None = None
        if self.sheet.rate:
            depth = ceil_times(self.sheet.burst, self.byte)
            self.bucket = p.machine(f"{self.name} tokens", shaper.full(depth))
            p.early(self.wire, depth)
            self.managed: ManagedQueue | None = None
            if self.sheet.managed:
                assert self.sheet.queue
                self.managed = ManagedQueue(
                    p, f"{self.name} queue", self.sheet.queue, self.sheet, self.byte, self.name
                )
            elif self.sheet.queue:
                self.queue = DropQueue(p, f"{self.name} queue", self.sheet.queue, self.name)
        if self.sheet.jitter:
            self.jitter = p.uniform(f"{self.name} jitter", 0, self.sheet.jitter)
            self.relay = p.machine(f"{self.name} relay", shaper.idle())

    def time(self, length: int) -> int:
        """Time in which the tokens of a packet of `length` bytes flow in, in ps."""
        return self.span(length)

    def head(self) -> int:
        """A packet is passed on whole, which takes no time by itself."""
        return 0

    def span(self, length: OperandT) -> OperandT:
        """Time in which the tokens of a packet of `length` bytes flow in, in ps."""
        return ceil_times(length + self.header, self.byte)

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`; the packet leaves its sender at once, and is dropped if the queue is full."""
        p = self.p
        if left:
            left()
        with p.scope():
            wait, size = p.register(), p.register(packet.length + self.header)
            with self._admitted(packet, size, wait):
                self._hold(wait)
                held, fixed = (wait, 0) if self.sheet.jitter else (0, self.delay)
                with self.loss.survived(packet, None, held, fixed):
                    yield

    @contextmanager
    def _admitted(self, packet: Packet, size: Register, wait: Register) -> Iterator[None]:
        """Run the body when a packet has its tokens, unless the queue or the policer drops it."""
        if not self.sheet.rate:
            yield
        elif self.sheet.policed:
            time = self.p.register(self.span(packet.length))
            self.p.call(wait, shaper.police, self.bucket, time)
            with self.p.when(wait == 0):
                dropped(self.p, self.name, packet)
            with self.p.when(wait > 1):
                self._refill()
            with self.p.when(wait > 0):
                yield
        elif self.managed:
            with self.managed.passed(packet, size):
                self._take(packet, wait)
                self.managed.left(packet)
                yield
        else:
            with self.queue.entered(packet, size) if self.queue else nullcontext():
                self._take(packet, wait)
                if self.queue:
                    self.queue.leave(size)
                yield

    def _take(self, packet: Packet, wait: Register) -> None:
        """Wait for a packet's tokens, which then flow in again."""
        p = self.p
        time = p.register(self.span(packet.length))
        p.call(wait, shaper.take, self.bucket, time)
        p.wait(wait)
        with p.fork("tokens", daemon=True), p.hold(self.wire):
            p.wait(time)

    def _refill(self) -> None:
        """Tokens flow into a policer until it is full again, which takes longer if more packets take some."""
        p = self.p
        with p.fork("tokens", daemon=True), p.hold(self.wire), p.scope():
            rest = p.answer(shaper.lacks, self.bucket)
            with p.while_(rest > 0):
                p.wait(rest)
                p.call(rest, shaper.lacks, self.bucket)

    def _hold(self, wait: Register) -> None:
        """The delay, and the jitter."""
        p = self.p
        if not self.sheet.jitter:
            p.advance(self.delay)
            return
        p.draw(wait, self.jitter)
        wait.set(wait + self.delay)
        if not self.sheet.reorder:
            p.call(wait, shaper.hold, self.relay, wait)
        p.wait(wait)
