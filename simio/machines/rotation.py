"""A turn that goes round: which of several alike devices serves the next request."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine


def initial() -> list[int]:
    """State of one rotation, of one word: the number that is next."""
    return [0]


@machine("parts")
def following(state: NDArray, base: int, count: int) -> int:
    """The next of the numbers 0 to count - 1, in order and from the start again; -1 if count is below 1."""
    if count < 1:
        return -1
    number = state[base] % count
    state[base] = (number + 1) % count
    return number
