"""Packets that are lost at an adapter because it is reset, or because its host crashes.

When that happens is known beforehand, so that a packet asks whether it happened while it was there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simio.components.faults.condition import Schedule
from simio.components.network.packet import Packet, dropped
from simio.program.builder import Builder, Register, since

if TYPE_CHECKING:
    from simio.description.faults import ResetSpan, Span


class RingFaults:
    """Losses of packets in the rings of an adapter, by its resets and the crashes of its host; without any, none."""

    def __init__(self, p: Builder, name: str, resets: Sequence[ResetSpan], crashes: Sequence[Span]) -> None:
        self.p, self.name = p, name
        self.crashes = Schedule(p, crashes)
        self.hanging = Schedule(p, [(hangs, reset) for hangs, reset, _ in resets])
        """Lose the packets that are in the transmit ring when it begins to hang, or that come until it is reset."""
        self.set_up = Schedule(p, [(reset, works) for _, reset, works in resets])
        self.deaf = Schedule(p, [*((hangs, works) for hangs, _, works in resets), *crashes])
        if self.deaf:
            self.transmitter = p.container(f"{name} transmitter", 1, 1, "packets")
            """Room for one packet, so that the next is in the adapter, and may be lost there, until that has left."""

    @contextmanager
    def leaving(self, packet: Packet) -> Iterator[Departure]:
        """Run the body for a packet that is handed to the interface."""
        with self.p.scope():
            yield Departure(self, packet)

    @contextmanager
    def arriving(self, packet: Packet, refused: Callable[[], None]) -> Iterator[Register | None]:
        """Run the body unless nothing takes packets now; then `refused` is emitted. Gives when the packet came."""
        if not self.deaf:
            yield None
            return
        with self.p.scope():
            came = self.p.now()
            with self._kept(packet, came, refused):
                yield came

    @contextmanager
    def served(self, packet: Packet, came: Register | None) -> Iterator[None]:
        """Run the body if a packet that `came` then is still there when the driver gets to it."""
        if came is None:
            yield
            return
        with self._kept(packet, came, lambda: None):
            yield

    @contextmanager
    def _kept(self, packet: Packet, since: Register, lose: Callable[[], None]) -> Iterator[None]:
        p = self.p
        with p.scope():
            lost = p.register(0)
            self.deaf.hit(lost, since)
            with p.when(lost == 1):
                dropped(p, self.name, packet, "lost")
                lose()
            with p.when(lost == 0):
                yield


class Departure:
    """A packet on its way out: registers say when it was made and entered the ring, and whether it is lost."""

    def __init__(self, faults: RingFaults, packet: Packet) -> None:
        p = faults.p
        self.p, self.faults, self.packet = p, faults, packet
        if faults.deaf:
            self.made, self.entered, self.lost = p.now(), p.register(), p.register(0)

    def queued(self) -> None:
        """The packet has a descriptor of the transmit ring; an adapter that is being set up does not look at it."""
        if self.faults.deaf:
            self.entered.set(since(0))
            self.faults.set_up.wait()

    @contextmanager
    def fetched(self) -> Iterator[None]:
        """Run the body, which fetches the packet, unless it is lost."""
        if not self.faults.deaf:
            yield
            return
        self._look()
        with self.p.when(self.lost == 0):
            yield

    @contextmanager
    def sent(self, left: Callable[[], None]) -> Iterator[None]:
        """Run the body when the transmitter gets to the packet, unless it is lost.

        What a lost packet holds is free, which `left` emits, when the adapter is reset.
        """
        p, faults = self.p, self.faults
        if not faults.deaf:
            yield
            return
        p.get(faults.transmitter, 1)
        self._look()
        with p.when(self.lost == 1):
            faults.hanging.wait()
            dropped(p, faults.name, self.packet, "lost")
            left()
        with p.when(self.lost == 0):
            yield

    def left(self) -> None:
        """The packet has left the adapter: the next one may."""
        if self.faults.deaf:
            self.p.put(self.faults.transmitter, 1)

    def _look(self) -> None:
        self.faults.crashes.hit(self.lost, self.made)
        self.faults.hanging.hit(self.lost, self.entered)
