"""The requests of a trace, one after the other: a table of rows that is filled again and again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("records")
IDENTITY = WORDS.table("identity", 4, about="hash of all rows")
COUNT = WORDS.word("count", "requests", about="rows in the table")
NEXT = WORDS.word("next", about="number of the row that is next")
ROWS = WORDS.table("rows")

ROW = Layout("record")
WAIT = ROW.word("wait", "ps", about="from the end of the request before, or from its start, to the start of this one")
PLACE = ROW.word("place", "bytes", about="first byte")
EXTENT = ROW.word("extent", about="twice the bytes, and 1 more for a write")
TARGET = ROW.word("target", about="device that it goes to")
NUMBER = ROW.word("number", about="number of the request in the trace")
COLUMNS = ROW.size


def initial(identity: str, rows: int) -> State:
    """A state with room for some rows and none yet; `identity` is a SHA-256 in hexadecimal digits."""
    words = [int(identity[at : at + 15], 16) for at in range(0, 60, 15)]
    return WORDS.initial(identity=words, rows=[0] * (rows * COLUMNS))


def filled(state: State, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first words of a state with these rows in it, as a feed gives them (`simio.program.steps.Feed`)."""
    return np.concatenate((state[:COUNT], [len(rows), 0], rows.ravel())).astype(np.int64)


@machine("parts")
def wait(state: NDArray, base: int) -> int:
    """Time to wait before the next request, in ps; -1 behind the last one in the table."""
    if state[base + NEXT] >= state[base + COUNT]:
        return -1
    return state[base + ROWS + COLUMNS * state[base + NEXT] + WAIT]


@machine("parts")
def place(state: NDArray, base: int) -> int:
    """First byte of the next request."""
    return state[base + ROWS + COLUMNS * state[base + NEXT] + PLACE]


@machine("parts")
def target(state: NDArray, base: int) -> int:
    """The device that the next request goes to."""
    return state[base + ROWS + COLUMNS * state[base + NEXT] + TARGET]


@machine("parts")
def number(state: NDArray, base: int) -> int:
    """The number of the next request in the trace."""
    return state[base + ROWS + COLUMNS * state[base + NEXT] + NUMBER]


@machine("parts")
def extent(state: NDArray, base: int) -> int:
    """Twice the bytes of the next request, and 1 more for a write, which then is behind."""
    row = base + ROWS + COLUMNS * state[base + NEXT]
    state[base + NEXT] += 1
    return state[row + EXTENT]
