"""A queue of limited size that refuses what does not fit, rather than let it wait."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

CAPACITY = 0
"""Most that may be in the queue (packets or bytes)."""
LEVEL = 1
"""What is in it."""
MOST = 2
"""The most that has been in it."""
REFUSED = 3
"""Entrants that were turned away."""


def initial(capacity: int) -> list[int]:
    """State of an empty queue."""
    return [capacity, 0, 0, 0]


@machine("network")
def enter(state: NDArray, base: int, amount: int) -> int:
    """Let `amount` in if it fits: 1 if it is in, 0 if it was turned away."""
    if amount < 0 or amount > 2**40:
        return -1
    level = state[base + 1] + amount
    if level > state[base]:
        state[base + 3] += 1
        return 0
    state[base + 1] = level
    state[base + 2] = max(state[base + 2], level)
    return 1


@machine("network")
def leave(state: NDArray, base: int, amount: int) -> int:
    """`amount` leaves; returns what is left, or -1 if so much was not there."""
    if amount < 0 or amount > state[base + 1]:
        return -1
    state[base + 1] -= amount
    return state[base + 1]
