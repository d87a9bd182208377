"""Parts of one piece of work beside one another, in copies of this process that know what it knows.

A pool (`simio.sweeps.copies`) works on tasks that can be sent to it; a part is any function, and has no file to read.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from simio.sweeps.copies import copy, copyable, end

T = TypeVar("T")


def beside(works: Sequence[Callable[[], T]]) -> list[T]:
    """The result of each function; on each processor there is, some are called, none of which sees another's effects.

    All are called here where this process cannot be copied safely: on systems other than Linux, and where it has
    other threads. So none may count on what another leaves behind, or on leaving anything itself.
    """
    processes = max(1, min(len(works), _processors()))
    shares = [works[first::processes] for first in range(processes)]
    copies = [_Copy(share) for share in shares[1:]]
    try:
        found = [[work() for work in shares[0]], *(copy.results() for copy in copies)]
    finally:
        for copy in copies:
            copy.end()
    return [found[number % processes][number // processes] for number in range(len(works))]


def _processors() -> int:
    """Processors that this process may use; 1 where it is not to be copied."""
    return len(os.sched_getaffinity(0)) if copyable() else 1


class _Copy:
    """A copy of this process that calls functions, sends their results, and ends; `number` is None without room."""

    def __init__(self, works: Sequence[Callable[[], Any]]) -> None:
        self.works = works
        reading, writing = os.pipe()
        try:
            self.number: int | None = copy(lambda: _serve(works, reading, writing))
        except OSError:
            self.number = None
        os.close(writing)
        self.pipe = os.fdopen(reading, "rb")

    def results(self) -> list[Any]:
        """Results of the functions, called here if the copy came to harm: errors are those of this process."""
        sent = self.pipe.read()
        try:
            found: list[Any] = pickle.loads(sent)
        except (EOFError, pickle.UnpicklingError):
            return [work() for work in self.works]
        return found

    def end(self) -> None:
        """Leave no process behind."""
        self.pipe.close()
        if self.number is not None:
            end(self.number)


def _serve(works: Sequence[Callable[[], Any]], reading: int, writing: int) -> None:
    """The life of a copy."""
    os.close(reading)
    sent = pickle.dumps([work() for work in works])
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(sent)
