"""A word that several threads read and change (`simio.program.variable`)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared

SWAP = 19
MAXIMUM = 91
ADD = 92
LOAD = 95
NAMES = {SWAP: "variable.swap", MAXIMUM: "variable.maximum", ADD: "variable.add", LOAD: "variable.load"}


@shared
def swap(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value`; returns what it was."""
    old = state[base]
    state[base] = value
    return old


@shared
def maximum(state: NDArray, base: int, value: int) -> int:
    """Set the word to `value` if that is larger; returns the word."""
    if value < 0:
        return -1
    state[base] = max(state[base], value)
    return state[base]


@shared
def add(state: NDArray, base: int, amount: int) -> int:
    """Add `amount` to the word; returns what it was."""
    if amount < 0:
        return -1
    old = state[base]
    state[base] = old + amount
    return old


@shared
def load(state: NDArray, base: int) -> int:
    """The word."""
    return state[base]
