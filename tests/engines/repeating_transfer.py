"""A transfer that repeats itself, for tests of skipping periods."""

from __future__ import annotations

from simio.program.builder import Builder
from simio.program.steps import Program


def transfer(rounds: int, wakes: int = 0, holds: int = 0) -> Program:
    """A disk and a link with a buffer between, 3 and 2 ms a block; somebody may wake, and may take the disk."""
    p = Builder()
    disk, link = p.resource("disk"), p.resource("link")
    buffer, done = p.container("buffer", 4 * 65536), p.observation("done", "delivered", "bytes")
    with p.thread("reader"), p.loop(rounds):
        with p.hold(disk):
            p.advance(3 * 10**9)
        p.put(buffer, 65536)
    with p.thread("sender"), p.loop(rounds):
        p.get(buffer, 65536)
        with p.hold(link):
            p.advance(2 * 10**9)
        p.mark(done, 65536)
    if wakes:
        with p.thread("sleeper", daemon=True), p.forever():
            p.advance(wakes)
            if holds:
                with p.hold(disk):
                    p.advance(holds)
    return p.build()
