"""A core that polls and finds nothing: until a packet comes, someone else wants the core, or its time is over."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("empty polls")
SPINNING = WORDS.word("spinning", about="1 while a program polls, and finds nothing")
NUMBER = WORDS.word("number", about="times that it began to")
BEGAN = WORDS.word("began", "ps", about="when it began last")
SPUN = WORDS.word("spun", "ns", about="time in polls that found nothing")


@machine("network")
def begin(state: NDArray, base: int, now: int) -> int:
    """A program begins to poll: the number of this time. Refuses if one is at it."""
    if state[base + SPINNING]:
        return -1
    state[base + SPINNING] = 1
    state[base + NUMBER] += 1
    state[base + BEGAN] = now
    return state[base + NUMBER]


@machine("network")
def stop(state: NDArray, base: int) -> int:
    """A packet has come, or someone wants the core: 1 if a program polls and has to be woken, else 0."""
    spinning = state[base + SPINNING]
    state[base + SPINNING] = 0
    return spinning


@machine("network")
def expire(state: NDArray, base: int, number: int) -> int:
    """The time of a program's polls is over: 1 if it still polls and has to be woken, else 0."""
    if state[base + NUMBER] != number:
        return 0
    spinning = state[base + SPINNING]
    state[base + SPINNING] = 0
    return spinning


@machine("network")
def rest(state: NDArray, base: int, now: int, each: int) -> int:
    """Time until the poll that is under way ends, of polls that take `each`."""
    past = now - state[base + BEGAN]
    left = -past % each if each > 0 else 0
    state[base + SPUN] += (past + left) // 1000
    return left
