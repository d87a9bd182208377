"""Packets that are lost at an adapter because it is reset, or because its host crashes.

When that happens is known beforehand, so that a packet asks whether it happened while it was there
(`simio.components.faults.outages`); no thread changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from simio.components.faults.outages import Outages
from simio.components.network.packet import Packet, dropped
from simio.description.faults import ResetSpan, Span
from simio.program.builder import Builder, Register


class Purges:
    """What an adapter does to packets in its resets and in the crashes of its host; without any, nothing."""

    def __init__(self, p: Builder, name: str, resets: Sequence[ResetSpan], crashes: Sequence[Span]) -> None:
        self.p, self.name = p, name
        self.resets = tuple(sorted(resets))
        self.crashes = Outages(p, crashes)
        self.rings = Outages(p, [(hangs, reset) for hangs, reset, _ in self.resets])
        """What was in the transmit ring when it hung, and what came until it was reset."""
        self.deaf = Outages(p, [*((hangs, works) for hangs, _, works in self.resets), *crashes])

        if self:
            self.transmitter = p.container(f"{name} transmitter", 1, 1, "packets")
            """So that a packet is in the adapter, and may be lost there, until the one before has left."""

    def __bool__(self) -> bool:
        return bool(self.deaf)

    @contextmanager
    def leaving(self, packet: Packet) -> Iterator[Leaving | None]:
        """Run the body for a packet that is handed to the interface, and watch over it; None where nothing can be."""
        if not self:
            yield None
            return
        p = self.p
        with p.loop(1):
            made, taken, lost = p.register(), p.register(), p.register(0)
            p.let(made, "SINCE", 0)
            yield Leaving(self, packet, made, taken, lost)

    @contextmanager
    def arriving(self, packet: Packet, refused: Callable[[], None]) -> Iterator[Register | None]:
        """Run the body unless nothing takes packets now; then `refused` is emitted. Gives when the packet came."""
        if not self:
            yield None
            return
        p = self.p
        with p.loop(1):
            came, lost = p.register(), p.register(0)
            p.let(came, "SINCE", 0)
            self.deaf.hit(lost, came)
            with p.when(lost, "==", 1):
                dropped(p, self.name, packet, "lost")
                refused()
            with p.when(lost, "==", 0):
                yield came

    @contextmanager
    def taken(self, packet: Packet, came: Register | None) -> Iterator[None]:
        """Run the body if a packet that `came` then is still there when the driver gets to it."""
        if came is None:
            yield
            return
        p = self.p
        with p.loop(1):
            lost = p.register(0)
            self.deaf.hit(lost, came)
            with p.when(lost, "==", 1):
                dropped(p, self.name, packet, "lost")
            with p.when(lost, "==", 0):
                yield


@dataclass(frozen=True)
class Leaving:
    """A packet on its way out: registers for when it was `made` and `taken` by the adapter, and if it is `lost`."""

    purges: Purges
    packet: Packet
    made: Register
    taken: Register
    lost: Register

    def in_ring(self) -> None:
        """The packet has a descriptor of the transmit ring; an adapter that is being set up does not look at it."""
        p = self.purges.p
        p.let(self.taken, "SINCE", 0)
        for _, reset, works in self.purges.resets:
            with p.loop(1):
                rest = p.register()
                p.let(rest, "SUB", works, self.taken)
                with p.when(self.taken, ">=", reset), p.when(rest, ">", 0):
                    p.advance(0, rest, 1)

    @contextmanager
    def fetched(self) -> Iterator[None]:
        """Run the body, which fetches the packet, unless it is lost."""
        self._look()
        with self.purges.p.when(self.lost, "==", 0):
            yield

    def _look(self) -> None:
        self.purges.crashes.hit(self.lost, self.made)
        self.purges.rings.hit(self.lost, self.taken)

    @contextmanager
    def sent(self, left: Callable[[], None]) -> Iterator[None]:
        """Run the body when it is the packet's turn on the wire, unless it is lost.

        The place of one that is lost is free, which `left` tells, when the adapter is reset.
        """
        p = self.purges.p
        p.get(self.purges.transmitter, 1)
        self._look()
        with p.when(self.lost, "==", 1):
            for hangs, reset, _ in self.purges.resets:
                with p.loop(1):
                    rest = p.register()
                    p.let(rest, "SINCE", 0)
                    with p.when(rest, ">", hangs):
                        p.let(rest, "SUB", reset, rest)
                        with p.when(rest, ">", 0):
                            p.advance(0, rest, 1)
            dropped(p, self.purges.name, self.packet, "lost")
            left()
        with p.when(self.lost, "==", 0):
            yield

    def left(self) -> None:
        """The packet has left the adapter: the next one may."""
        self.purges.p.put(self.purges.transmitter, 1)
