"""A word that several threads read and change (`simio.program.variable`)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("variable")
VALUE = WORDS.word("value")


@machine("parts", word=VALUE)
def load(state: NDArray, base: int) -> int:
    """The word."""
    return state[base + VALUE]


@machine("parts")
def swap(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value`; returns what it was."""
    old = state[base + VALUE]
    state[base + VALUE] = value
    return old


@machine("parts")
def add(state: NDArray, base: int, amount: int) -> int:
    """Add `amount`, which is not negative, to the word; returns what it was."""
    if amount < 0:
        return -1
    old = state[base + VALUE]
    state[base + VALUE] = old + amount
    return old


@machine("parts")
def maximum(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value`, which is not negative, if that is larger; returns the word."""
    if value < 0:
        return -1
    state[base + VALUE] = max(state[base + VALUE], value)
    return state[base + VALUE]
