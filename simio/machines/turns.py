"""Turns that serve all who asked before they began: flushes of a drive, commits of a journal, writes of a log.

Who comes while a turn is under way is served by the next one, together with all others who come meanwhile. A turn is
made by the first that finds room for it; the others sleep until a turn has ended that began after they came.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

TURNS = Layout("turns")
LIMIT = TURNS.word("limit", "turns", initial=1, about="most turns under way at once, which end in their order")
BEGUN = TURNS.word("begun", "turns")
ENDED = TURNS.word("ended", "turns", about="turns that have ended, and all before them")
WAITING = TURNS.word("waiting", "threads", about="threads that sleep until a turn ends")

SLEEP, OVER, MAKE = range(3)
"""Answers of `ask`: the caller waits for the end of another turn; the turn is over; the caller makes it."""


def turns(limit: int = 1) -> State:
    """State of turns of which at most `limit` are under way at once."""
    return TURNS.initial(limit=limit)


@machine("files")
def next_turn(state: NDArray, base: int) -> int:
    """Number of the turn that serves whoever asks now, which has not begun."""
    return state[base + BEGUN] + 1


@machine("files")
def begun(state: NDArray, base: int, number: int) -> int:
    """1 if turn `number` has begun, else 0."""
    return 1 if state[base + BEGUN] >= number else 0


@machine("files")
def over(state: NDArray, base: int, number: int) -> int:
    """1 if turn `number` has ended, else 0."""
    return 1 if state[base + ENDED] >= number else 0


@machine("files")
def ask(state: NDArray, base: int, number: int) -> int:
    """The next action of a thread that needs turn `number`: SLEEP, OVER or MAKE."""
    if number > state[base + BEGUN] + 1:
        return -1
    if state[base + ENDED] >= number:
        return OVER
    if state[base + BEGUN] < number and state[base + BEGUN] - state[base + ENDED] < state[base + LIMIT]:
        state[base + BEGUN] = number
        return MAKE
    state[base + WAITING] += 1
    return SLEEP


@machine("files")
def end(state: NDArray, base: int, number: int) -> int:
    """Turn `number` is over: threads to wake, plus 1; 0 where one before it has not ended, for which it waits."""
    if state[base + ENDED] + 1 < number:
        state[base + WAITING] += 1
        return 0
    if state[base + ENDED] + 1 > number:
        return -1
    state[base + ENDED] = number
    waiting = state[base + WAITING]
    state[base + WAITING] = 0
    return waiting + 1
