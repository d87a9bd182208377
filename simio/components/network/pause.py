"""Pause frames: a receiver whose buffer fills stops the far end of its link (IEEE 802.3 annex 31B)."""

from __future__ import annotations

from simio.components.network.ethernet import EthernetWire
from simio.components.network.packet import DropQueue
from simio.program.builder import Builder


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

    def left(self) -> None:
        """Something has left the buffer."""
        p = self.p
        with p.scope():
            level = p.register()
            self.buffer.level(level)
            with p.when(level <= self.above // 2):
                stopped = self.stopped.swap(0)
                with p.when(stopped == 1), p.fork("resume", delay=self.delay, daemon=True):
                    p.put(self.permission, 1)
