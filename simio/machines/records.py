"""The requests of a trace, one after the other: a table of rows, and how far it has been read."""

from __future__ import annotations

from collections.abc import Iterable

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("records")
COUNT = WORDS.word("count", "requests")
NEXT = WORDS.word("next", about="number of the row that is next")
ROWS = WORDS.table("rows")

ROW = Layout("record")
WAIT = ROW.word("wait", "ps", about="from the end of the request before, or from its start, to the start of this one")
PLACE = ROW.word("place", "bytes", about="first byte")
EXTENT = ROW.word("extent", about="twice the bytes, and 1 more for a write")
COLUMNS = ROW.size


def initial(rows: Iterable[tuple[int, int, int, bool]]) -> State:
    """The state before the first of `rows`: wait in ps, first byte, bytes, and whether it is a write."""
    table = [word for wait, place, size, writes in rows for word in (wait, place, 2 * size + writes)]
    return WORDS.initial(count=len(table) // COLUMNS, rows=table)


@machine("parts")
def wait(state: NDArray, base: int) -> int:
    """Time to wait before the next request, in ps; -1 behind the last one."""
    if state[base + NEXT] >= state[base + COUNT]:
        return -1
    return state[base + ROWS + COLUMNS * state[base + NEXT] + WAIT]


@machine("parts")
def place(state: NDArray, base: int) -> int:
    """First byte of the next request; -1 behind the last one."""
    if state[base + NEXT] >= state[base + COUNT]:
        return -1
    return state[base + ROWS + COLUMNS * state[base + NEXT] + PLACE]


@machine("parts")
def extent(state: NDArray, base: int) -> int:
    """Twice the bytes of the next request, and 1 more for a write, which then is behind; -1 behind the last one."""
    if state[base + NEXT] >= state[base + COUNT]:
        return -1
    row = base + ROWS + COLUMNS * state[base + NEXT]
    state[base + NEXT] += 1
    return state[row + EXTENT]
