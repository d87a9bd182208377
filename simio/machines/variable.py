"""A word that several threads read and change (`simio.program.variable`)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine


@machine("parts")
def swap(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value`; returns what it was."""
    old = state[base]
    state[base] = value
    return old


@machine("parts")
def maximum(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value` if that is larger; returns the word."""
    if value < 0:
        return -1
    state[base] = max(state[base], value)
    return state[base]


@machine("parts")
def add(state: NDArray, base: int, amount: int) -> int:
    """Add `amount` to the word; returns the sum."""
    if amount < 0:
        return -1
    state[base] += amount
    return state[base]


@machine("parts")
def load(state: NDArray, base: int) -> int:
    """The word."""
    return state[base]
