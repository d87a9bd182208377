"""A queue of limited size that refuses what does not fit, rather than let it wait."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("queue")
CAPACITY = WORDS.word("capacity", about="most that may be in the queue, in packets or bytes")
LEVEL = WORDS.word("level", about="what is in it")
MOST = WORDS.word("most", about="the most that has been in it")
REFUSED = WORDS.word("refused", about="entrants that were turned away")


def initial(capacity: int) -> State:
    """State of an empty queue."""
    return WORDS.initial(capacity=capacity)


@machine("network")
def enter(state: NDArray, base: int, amount: int) -> int:
    """Let `amount` in if it fits: 1 if it is in, 0 if it was turned away."""
    if amount < 0 or amount > 2**40:
        return -1
    level = state[base + LEVEL] + amount
    if level > state[base + CAPACITY]:
        state[base + REFUSED] += 1
        return 0
    state[base + LEVEL] = level
    state[base + MOST] = max(state[base + MOST], level)
    return 1


@machine("network")
def leave(state: NDArray, base: int, amount: int) -> int:
    """`amount` leaves; returns what is left, or -1 if so much was not there."""
    if amount < 0 or amount > state[base + LEVEL]:
        return -1
    state[base + LEVEL] -= amount
    return state[base + LEVEL]


@machine("network")
def free(state: NDArray, base: int) -> int:
    """Room that is left."""
    return state[base + CAPACITY] - state[base + LEVEL]


@machine("network")
def enter_below(state: NDArray, base: int, amount: int, most: int) -> int:
    """Let `amount` in if no more than `most` are in the queue then: 1 if it is in, 0 if it was turned away."""
    if amount < 0 or amount > 2**40:
        return -1
    if state[base + LEVEL] + amount > most:
        state[base + REFUSED] += 1
        return 0
    state[base + LEVEL] += amount
    return 1
