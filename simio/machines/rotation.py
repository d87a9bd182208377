"""A turn that goes round: which of several alike devices serves the next request."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("rotation")
NEXT = WORDS.word("next", about="the number that is next")


@machine("parts")
def following(state: NDArray, base: int, count: int) -> int:
    """The next of the numbers 0 to count - 1, in order and from the start again; -1 if count is below 1."""
    if count < 1:
        return -1
    number = state[base + NEXT] % count
    state[base + NEXT] = (number + 1) % count
    return number
