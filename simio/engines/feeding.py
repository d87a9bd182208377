"""Machines that get more words while a program runs, for both engines."""

from __future__ import annotations

from collections.abc import Iterator

from simio.engines.outcome import Ints
from simio.program.steps import Program


class Feeding:
    """The sources of a program's feeds in one run."""

    def __init__(self, program: Program) -> None:
        self._sources: dict[int, Iterator[Ints]] = {feed.at: feed.source() for feed in program.feeds}

    def feed(self, state: Ints, at: int) -> bool:
        """Put the next words into the state of the machine at `at`; False if there are none."""
        words = next(self._sources[at], None) if at in self._sources else None
        if words is None:
            return False
        state[at : at + len(words)] = words
        return True
