"""A player of frames and its buffer: the clock of an isochronous stream."""

from __future__ import annotations

from simio.program.builder import Builder, Handle, Operand, since


class Told:
    """Observations of players: start, lateness of frames, and the buffer's level.

    The level is what a frame leaves in the buffer, as long as not all of the stream has come.
    """

    def __init__(self, p: Builder, name: str, delivered: Handle) -> None:
        self.begin = p.observation(f"{name}: begins after", "time", "ps")
        self.late = p.observation(f"{name}: late", "time", "ps")
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
        # Level of the buffer, which a step cannot read from a container.
        self.level = p.variable(f"{name} level")
        self.late = p.variable(f"{name} late")
        p.tally(name, "late", self.late.offset, "frames")

    def fill(self, got: Operand) -> None:
        """Add `amount` bytes, for which there was room, to the buffer."""
        with self.p.scope():
            self.level.increment(got)
        self.p.put(self.filled, got)

    def play(self, frames: int, prefill: int, told: Told) -> None:
        """Play a number of frames, the first as soon as `prefill` bytes are there; a late one moves all that follow.

        A frame is delivered when it begins to be shown; the steps end when the last has been shown.
        """
        p = self.p
        size, rest = p.register(self.frame), p.register(frames * self.frame)
        begun = p.now()
        p.get(self.filled, prefill)
        p.put(self.filled, prefill)
        begun.set(since(begun))
        with p.loop(frames):
            due = p.now()
            p.get(self.filled, self.frame)
            late = p.register(since(due))
            with p.when(late > 0):
                p.mark(told.late, late)
                self.late.increment()
            level = self.level.load()
            level.set(level - self.frame)
            self.level.store(level)
            rest.set(rest - self.frame)
            # Once all has come, the level says no longer how near the next late frame was.
            with p.when(level < rest):
                p.mark(told.level, level)
            p.put(self.room, self.frame)
            # In a register, since the sender of the bytes has promised them to the bound.
            p.mark(told.delivered, size)
            p.advance(self.period)
        # Only now, since marks before the measured span are not reported.
        p.mark(told.begin, begun)
