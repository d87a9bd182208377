"""Requests that fail, and places that several threads look at.

A request takes a number when it begins. Whatever is done for it, in whichever thread, knows that number, and can say
that the request has failed; only those that have are kept until somebody asks.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines import variable
from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

ROWS = 1024
"""Requests, at most, that have failed and are not over."""
REQUESTS = Layout("requests")
_NUMBERS = REQUESTS.word("numbers", "requests", about="that have begun")
_FAILED = REQUESTS.word("failed", "requests", about="in the table")
_SPACE = REQUESTS.word("space", "requests", about="rows of the table")
_TABLE = REQUESTS.table("table", about="numbers of the requests that have failed")
PLACES = Layout("places")
_COUNT = PLACES.word("count")
_ROOM = PLACES.word("room", about="rows of the list")
_LIST = PLACES.table("list")


def initial(rows: int = ROWS) -> State:
    """State of the requests of a system, of which `rows` can have failed at a time."""
    return REQUESTS.initial(space=rows, table=[0] * rows)


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
    """Note that a request has failed, if that is not known. Returns 1; -1 if the table is full."""
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


def places(rows: int = ROWS) -> State:
    """State of a list with room for `rows` places."""
    return PLACES.initial(room=rows, list=[0] * rows)


@machine("parts")
def note(state: NDArray, base: int, place: int) -> int:
    """Add a place. Returns how many there are; -1 if there is no room."""
    if state[base + _COUNT] == state[base + _ROOM]:
        return -1
    state[base + _LIST + state[base + _COUNT]] = place
    state[base + _COUNT] += 1
    return state[base + _COUNT]


@machine("parts")
def between(state: NDArray, base: int, first: int, end: int) -> int:
    """1 if there is a place from `first` to before `end`, else 0."""
    for at in range(base + _LIST, base + _LIST + state[base + _COUNT]):
        if first <= state[at] < end:
            return 1
    return 0


MOST, ADD = variable.maximum, variable.add
OPEN, FAIL, ENDED, NOTE, BETWEEN = open_request, fail, ended, note, between
