"""Requests that fail, and places that several threads look at.

A request takes a number when it begins. Whatever is done for it, in whichever thread, knows that number, and can say
that the request has failed; only those that have are kept until somebody asks.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines import variable
from simio.machines.door import machine
from simio.machines.shared import shared

ROWS = 1024
"""Requests that have failed and have not been asked about, at most."""
_NUMBERS = 0
_FAILED = 1
_SPACE = 2
_TABLE = 3


def initial(rows: int = ROWS) -> list[int]:
    """State of the requests of a system: numbers given, and the table of failed ones: rows taken, rows, and these."""
    return [0, 0, rows, *[0] * rows]


@machine("parts")
def open_request(state: NDArray, base: int) -> int:
    """A request begins; its number."""
    state[base + _NUMBERS] += 1
    return state[base + _NUMBERS]


@shared
def find(state: NDArray, base: int, number: int) -> int:
    """Position of a request in the table of those that failed, or -1."""
    for at in range(base + _TABLE, base + _TABLE + state[base + _FAILED]):
        if state[at] == number:
            return at
    return -1


@machine("parts")
def fail(state: NDArray, base: int, number: int) -> int:
    """A request has failed, which may be said more than once. Returns 1; -1 where the table is full."""
    if number < 1 or number > state[base + _NUMBERS]:
        return -1
    if find(state, base, number) < 0:
        if state[base + _FAILED] == state[base + _SPACE]:
            return -1
        state[base + _TABLE + state[base + _FAILED]] = number
        state[base + _FAILED] += 1
    return 1


@machine("parts")
def ended(state: NDArray, base: int, number: int) -> int:
    """A request is over and is forgotten: 1 if it has failed, else 0."""
    at = find(state, base, number)
    if at < 0:
        return 0
    state[base + _FAILED] -= 1
    state[at] = state[base + _TABLE + state[base + _FAILED]]
    return 1


def places(rows: int = ROWS) -> list[int]:
    """State of a list of places: how many there are, its room, and the list."""
    return [0, rows, *[0] * rows]


@machine("parts")
def note(state: NDArray, base: int, place: int) -> int:
    """A place more. Returns how many there are; -1 where there is no room."""
    if state[base] == state[base + 1]:
        return -1
    state[base + 2 + state[base]] = place
    state[base] += 1
    return state[base]


@machine("parts")
def between(state: NDArray, base: int, first: int, end: int) -> int:
    """1 if there is a place from `first` to before `end`, else 0."""
    for at in range(base + 2, base + 2 + state[base]):
        if first <= state[at] < end:
            return 1
    return 0


OPEN, FAIL, ENDED, NOTE, BETWEEN = open_request, fail, ended, note, between
MOST, ADD = variable.maximum, variable.add
