"""Pause frames: a receiver whose buffer fills stops the far end of its link (IEEE 802.3 annex 31B)."""

from __future__ import annotations

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import DropQueue
from simio.program.builder import Builder
from simio.program.steps import PAUSES


class Pauses:
    """Stops a wire when more than `above` bytes are in a buffer, and starts it again when half of that is left.

    A pause frame takes the time of the shortest frame and the way there. What has begun is sent to its end, and so is
    what the far end begins meanwhile: the buffer has to have room for that beyond `above`.
    """

    def __init__(self, p: Builder, buffer: DropQueue, above: int, wire: EthernetWire) -> None:
        self.p = p
        self.buffer = buffer
        self.above = above
        self.delay = wire.time(0) + wire.delay
        wire.permission = self.permission = p.container(f"{wire.name} permission", 1, 1, "frames")
        self.stopped = p.variable(f"{wire.name} stopped")
        self.since, self.paused = p.variable(f"{wire.name} stopped at"), p.variable(f"{wire.name} paused")
        p.tally(wire.name, PAUSES, self.paused.offset, "ps")

    def entered(self) -> None:
        """Something has come into the buffer."""
        p = self.p
        with p.scope():
            level = p.register()
            self.buffer.level(level)
            with p.when(level > self.above):
                stopped = self.stopped.swap(1)
                with p.when(stopped == 0), p.fork("pause", delay=self.delay, daemon=True):
                    p.get(self.permission, 1)
                    self._begins()

    def left(self) -> None:
        """Something has left the buffer."""
        p = self.p
        with p.scope():
            level = p.register()
            self.buffer.level(level)
            with p.when(level <= self.above // 2):
                stopped = self.stopped.swap(0)
                with p.when(stopped == 1), p.fork("resume", delay=self.delay, daemon=True):
                    self._ends()
                    p.put(self.permission, 1)

    def _begins(self) -> None:
        """The wire stands still from now on, unless it is to go on by now."""
        with self.p.when(self.stopped.load() == 1):
            self.since.store(self.p.now())

    def _ends(self) -> None:
        """The wire goes on: count the time for which it stood still."""
        since = self.since.swap(0)
        with self.p.when(since > 0):
            self.paused.increment(self.p.now() - since)
