"""A latch, and a batch that ends when it is full or too old."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("batch")
PENDING = WORDS.word("pending", about="members of the present batch")
BATCH = WORDS.word("batch", about="number of the present batch")


@machine("parts")
def arrive(state: NDArray, base: int, count: int) -> int:
    """One more member: its number in the batch from 1 on; with `count`, the batch is full and another begins."""
    if count < 1:
        return -1
    pending = state[base + PENDING] + 1
    if pending >= count:
        state[base + PENDING] = 0
        state[base + BATCH] += 1
    else:
        state[base + PENDING] = pending
    return pending


@machine("parts", word=BATCH)
def batch(state: NDArray, base: int) -> int:
    """Number of the present batch."""
    return state[base + BATCH]


@machine("parts")
def expire(state: NDArray, base: int, number: int) -> int:
    """End batch `number` if it is still the present one; returns its members, or 0."""
    if state[base + BATCH] != number:
        return 0
    pending = state[base + PENDING]
    state[base + PENDING] = 0
    state[base + BATCH] += 1
    return pending
