"""A latch, and a batch that ends when it is full or too old."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

PENDING = 0
"""Members of the present batch."""
BATCH = 1
"""Number of the present batch."""


@machine("parts")
def arrive(state: NDArray, base: int, count: int) -> int:
    """One more member: its number in the batch from 1 on; with `count`, the batch is full and another begins."""
    if count < 1:
        return -1
    pending = state[base] + 1
    if pending >= count:
        state[base] = 0
        state[base + 1] += 1
    else:
        state[base] = pending
    return pending


@machine("parts")
def batch(state: NDArray, base: int) -> int:
    """Number of the present batch."""
    return state[base + 1]


@machine("parts")
def expire(state: NDArray, base: int, number: int) -> int:
    """End batch `number` if it is still the present one; returns its members, or 0."""
    if state[base + 1] != number:
        return 0
    pending = state[base]
    state[base] = 0
    state[base + 1] += 1
    return pending
