"""Packets that a link loses: with a probability each, or with one a bit or cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from simio.components.faults.condition import Schedule
from simio.components.network.packet import Packet, dropped
from simio.machines.network import errors
from simio.program.builder import Builder, Operand, Register, maximum, since

if TYPE_CHECKING:
    from simio.description.faults import Span

_PARTS = 2**30
"""Parts in which probabilities of bursts are drawn."""
_FINEST = 2**50
"""Probabilities are fractions with a denominator of at most this."""


class Loss:
    """A wire's losses and marks of packets.

    Packets are lost with probability `packets` each, drawn for each. Units (bits, cells) are hit with probability
    `units` each, independently; the number of units from one hit to the next is then geometric, and is drawn once a
    hit as an exponential of mean 1 / `units`, rounded down, which differs from it by less than `units` itself.
    All that are on the wire while it is `down` are lost. `bursts` are the probabilities, with each packet, that a
    burst of losses begins or ends, and of a packet in it (E. N. Gilbert, *Bell System Technical Journal* 39(5), 1960;
    E. O. Elliott, 42(5), 1963).
    """

    def __init__(
        self,
        p: Builder,
        name: str,
        packets: float,
        units: float,
        down: Sequence[Span],
        bursts: tuple[float, float, float] | None = None,
    ) -> None:
        self.p = p
        self.name = name
        self.outages = Schedule(p, down)
        # A probability of so many digits that they do not fit is meant to be near the one that does.
        self.packets, self.units = (Fraction(str(value)).limit_denominator(_FINEST) for value in (packets, units))
        self.bursts = [int(Fraction(str(chance)) * _PARTS) for chance in bursts or ()]
        if self.bursts:
            self.turn = p.uniform(f"{name} bursts", 0, _PARTS - 1)
            self.inside = p.variable(f"{name} in a burst")
        if self.packets:
            self.fate = p.uniform(f"{name} loss", 0, self.packets.denominator - 1)
        if self.units:
            self.distance = p.exponential(f"{name} errors", int(1 / self.units))
            self.state = p.machine(f"{name} errors", errors.WORDS.initial())

    @contextmanager
    def survived(
        self,
        packet: Packet,
        units: Register | None = None,
        time: Operand = 0,
        fixed: int = 0,
        refused: Callable[[Packet], None] | None = None,
    ) -> Iterator[None]:
        """Run the body unless the packet, of so many units, is lost, and then `refused`.

        It began to leave `time` + `fixed` ps ago.
        """
        p = self.p
        if not self.packets and not self.units and not self.outages and not self.bursts:
            yield
            return
        with p.scope():
            lost = p.register(0)
            if self.packets:
                p.draw(lost, self.fate)
                lost.set(maximum(self.packets.numerator - 1 - lost, -1) + 1)
            if self.bursts:
                self._burst(lost)
            if self.units:
                self._hit(lost, units or packet.length)
            if self.outages:
                self._cut(lost, time, fixed)
            with p.when(lost > 0):
                dropped(p, self.name, packet, "lost")
                if refused:
                    refused(packet)
            with p.when(lost == 0):
                yield

    def _burst(self, lost: Register) -> None:
        """Set `lost` if a burst takes the packet; the burst may begin or end before it."""
        p = self.p
        begins, ends, takes = self.bursts
        with p.scope():
            luck, inside = p.register(), p.register()
            p.draw(luck, self.turn)
            inside.set(self.inside.load())
            with p.when(inside == 0), p.when(luck < begins):
                self.inside.swap(1)
            with p.when(inside == 1), p.when(luck < ends):
                self.inside.swap(0)
            inside.set(self.inside.load())
            with p.when(inside == 1):
                p.draw(luck, self.turn)
                with p.when(luck < takes):
                    lost.set(1)

    def _cut(self, lost: Register, time: Operand, fixed: int) -> None:
        """Set `lost` if the wire was down while the packet was on it."""
        with self.p.scope():
            self.outages.hit(lost, self.p.register(since(fixed) - time))

    def _hit(self, lost: Register, units: Register) -> None:
        """Add to `lost` the units that are hit; each draws the distance to the next."""
        p = self.p
        hit, distance = p.register(), p.register()
        with p.until(hit == 0):
            p.call(hit, errors.passing, self.state, units)
            with p.when(hit != 0):
                p.draw(distance, self.distance)
                p.call(distance, errors.following, self.state, distance)
                lost.set(lost + distance)
