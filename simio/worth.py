"""Work that goes on in copies of this process once that is worth it; what copies need is imported only then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

WORTH_COPIES = 0.5
"""Seconds of work left that are worth copies of this process, which take 0.2 s of CPU."""


def as_worth(works: Sequence[Callable[[], T]]) -> Iterator[tuple[int, T]]:
    """The number and the result of each function when it is done, as `simio.sweeps.beside.as_done` gives them.

    They are called here, one after another, while too little is left for copies.
    """
    begun = time.monotonic()
    for number, work in enumerate(works):
        if number and (time.monotonic() - begun) / number * (len(works) - number) > WORTH_COPIES:
            from simio.sweeps.beside import as_done

            yield from ((number + other, result) for other, result in as_done(works[number:]))
            return
        yield number, work()
