"""A player of frames and its buffer: the clock of an isochronous stream."""

from __future__ import annotations

from simio.machines import coalesce
from simio.program.builder import Amount, Builder, Handle, Register


class Told:
    """What players tell: when they begin, by how much frames are late, and the buffer's level.

    The level is what a frame leaves in the buffer, as long as not all of the stream has come.
    """

    def __init__(self, p: Builder, name: str, delivered: Handle) -> None:
        self.begin = p.observation(f"{name}: begins after", "latency", "ps")
        self.late = p.observation(f"{name}: late", "latency", "ps")
        self.level = p.observation(f"{name}: buffer", "other", "bytes")
        self.delivered = delivered


class Playout:
    """A buffer that a program fills block by block and a player empties frame by frame, at constant intervals.

    The program reads a block when there is room for a whole one. The player begins when `prefill` bytes have come. It
    is a device with a clock of its own, such as a frame store, and takes no CPU time.
    """

    def __init__(self, p: Builder, name: str, buffer: int, frame: int, period: int) -> None:
        """`buffer` and `frame` in bytes, `period` in ps from one frame to the next."""
        self.p = p
        self.frame, self.period = frame, period
        self.room = p.container(f"{name} room", buffer, buffer)
        self.filled = p.container(f"{name} buffer", buffer)
        # What is in the buffer, which a step cannot ask a container for.
        self.level = p.machine(f"{name} level", [0])
        self.missed = p.machine(f"{name} late", [0])
        p.tally(name, "late", self.missed, "frames")

    def fill(self, got: Amount) -> None:
        """So many bytes, for which there was room, are in the buffer."""
        with self.p.loop(1):
            self._count(self.p.register(), self.level, "ADD", got)
        self.p.put(self.filled, got)

    def play(self, frames: int, prefill: int, told: Told) -> None:
        """Play so many frames, the first as soon as `prefill` bytes are there; a late one moves all that follow.

        A frame is delivered when it begins to be shown; the steps end when the last has been shown.
        """
        p = self.p
        begun, due, level, size = p.register(), p.register(), p.register(), p.register(self.frame)
        rest = p.register(frames * self.frame)
        p.let(begun, "SINCE", 0)
        p.get(self.filled, prefill)
        p.put(self.filled, prefill)
        p.let(begun, "SINCE", begun)
        with p.loop(frames):
            p.let(due, "SINCE", 0)
            p.get(self.filled, self.frame)
            p.let(due, "SINCE", due)
            with p.when(due, ">", 0):
                p.mark(told.late, due)
                self._count(due, self.missed, "ADD", 1)
            self._count(level, self.level, "SUB", self.frame)
            p.let(rest, "SUB", rest, self.frame)
            # Once all has come, the level says no longer how near the next late frame was.
            with p.when(level, "<", rest):
                p.mark(told.level, level)
            p.put(self.room, self.frame)
            # In a register, since whoever sends the bytes has promised them to the bound.
            p.mark(told.delivered, size)
            p.advance(self.period)
        # Only now, since what is marked before the measured span is not told.
        p.mark(told.begin, begun)

    def _count(self, value: Register, word: int, function: str, amount: Amount) -> None:
        """Add to a word of state, or subtract; `value` is what it is then. No time passes, so none comes between."""
        p = self.p
        p.call(value, coalesce.swap, word, 0)
        p.let(value, function, value, amount)
        with p.loop(1):
            old = p.register()
            p.call(old, coalesce.swap, word, value)
