"""IP over Fibre Channel: a datagram is a sequence of frames, which switches cut through.

The first frame has a network header of 16 bytes and LLC and SNAP of 8 before the datagram (RFC 2625, section 3).
Frames follow one another as fast as the line and buffer-to-buffer credit allow; so a sequence takes the line for as
long as its frames do, or, where credit is short, for a frame in each time that a credit takes to come back. It holds
every link on its way, which at most a few frames of it can be between: a port of a switch that is busy holds up the
links before it. A receiver without room gives no credit, and nothing is lost but what is on a link that goes down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from simio.components.network.loss import Loss
from simio.components.network.packet import Left, Packet
from simio.components.storage.fibre_channel import Hop
from simio.program.builder import Builder, Operand, since
from simio.program.service import ceil_times

if TYPE_CHECKING:
    from simio.description.faults import Span

HEADER = 24
"""Bytes of network header, LLC and SNAP before a datagram (RFC 2625, section 3)."""
MTU = 65280
"""Largest IP datagram over Fibre Channel in bytes (RFC 2625, section 3.1)."""


class FibreChannelRoute:
    """The links from one adapter to another, and the switches between, for the sequences of one direction."""

    streams = False
    header = 0

    def __init__(
        self,
        p: Builder,
        hops: Sequence[Hop],
        credits: Sequence[int],
        latencies: Sequence[int],
        payload: int,
        down: Sequence[Span],
        refused: Callable[[Packet], None] | None,
    ) -> None:
        """`credits` of receiving ports, `latencies` of the switches in ps, `payload` of a frame in bytes.

        A sequence that is under way at an instant of `down` is lost, and `refused` gives the receiver its room back.
        """
        self.p = p
        self.hops = hops
        self.latencies = latencies
        self.payload = min(payload, *(hop.sheet.max_payload for hop in hops))
        ends = [hop.name.split(">") for hop in hops]
        self.name = ">".join((ends[0][0], *(end[1] for end in ends)))
        self.loss = Loss(p, self.name, 0, 0, down)
        self.refused = refused
        self.mtu = MTU
        self.delay: int = sum(hop.delay for hop in hops) + sum(latencies)
        self.slowest = max(hops, key=lambda hop: hop.byte)
        self.wire = self.slowest.wire
        self.frame = self.slowest.frame_time(self.payload)
        waits = [*latencies, 0]
        cycles = (
            Fraction(hop.frame_time(self.payload) + 2 * hop.delay + wait, credit)
            for hop, credit, wait in zip(hops, credits, waits, strict=True)
        )
        self.interval = max(self.frame, *(-(-cycle.numerator // cycle.denominator) for cycle in cycles))
        """Time from one full frame to the next, in ps: the line's, or that of a credit."""

    def time(self, length: int) -> int:
        """Time of the frames of a datagram of `length` bytes, in ps."""
        full = (length + HEADER - 1) // self.payload
        return full * self.interval + self.slowest.frame_time(length + HEADER - full * self.payload)

    def head(self) -> int:
        """Time until the header of the first frame has passed, in ps."""
        return ceil_times(self.slowest.sheet.frame_overhead, self.slowest.byte)

    def span(self, length: Operand) -> Operand:
        """Time of the frames of a datagram of `length` bytes, in ps."""
        beside = HEADER + self.slowest.sheet.frame_overhead + self.slowest.sheet.gap
        full = self.p.register((length + (HEADER - 1)) // self.payload)
        return full * self.interval + ceil_times(length - full * self.payload + beside, self.slowest.byte)

    @contextmanager
    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> Iterator[None]:
        """See `Wire.crossing`."""
        p = self.p
        with p.scope():
            p.seize(self.hops[0].wire)
            begun = p.now() if self.loss.outages else None
            for before, hop, latency in zip(self.hops, self.hops[1:], self.latencies, strict=False):
                p.advance(before.delay + latency)
                p.seize(hop.wire)
            time = p.register(self.span(packet.length))
            p.wait(time)
            if left:
                left()
            for hop in self.hops:
                p.release(hop.wire)
            p.advance(self.hops[-1].delay)
            if begun is not None:
                time.set(since(begun))
            with self.loss.survived(packet, time=time, refused=self.refused):
                yield
