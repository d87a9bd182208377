"""The sectors of a drive that are known to be bad."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.disk import layout as d
from simio.machines.failing import layout as f
from simio.machines.shared import shared


@shared
def errors_at(state: NDArray, base: int) -> int:
    """Position of what follows the disk's state."""
    return base + state[base + d.SEEK_TABLE] + state[base + d.SEEK_POINTS] * d.SEEK_COLUMNS


@shared
def bad_at(state: NDArray, e: int, base: int) -> int:
    """Position of the table of bad sectors."""
    return e + f.GAVE_UP + state[base + d.SLOTS]


@shared
def first_bad(state: NDArray, base: int, e: int, sector: int) -> int:
    """Position of the row of the first known bad sector from this one on, or -1."""
    best = -1
    table = bad_at(state, e, base)
    for row in range(table, table + f.BAD_COLUMNS * state[e + f.KNOWN], f.BAD_COLUMNS):
        if state[row] >= sector and (best < 0 or state[row] < state[best]):
            best = row
    return best


@shared
def learn(state: NDArray, base: int, e: int, sector: int) -> None:
    """A sector has become unreadable; where there is no room to know it, the first that was learnt is forgotten."""
    row = state[e + f.KNOWN]
    if row < f.BAD_ROWS:
        state[e + f.KNOWN] += 1
    else:
        row = state[e + f.OLDEST]
        state[e + f.OLDEST] = (row + 1) % f.BAD_ROWS
    at = bad_at(state, e, base) + f.BAD_COLUMNS * row
    state[at] = sector
    state[at + 1] = 1


@shared
def forget(state: NDArray, base: int, e: int, first: int, end: int) -> None:
    """Sectors from `first` to before `end` have been written, so that they can be read."""
    table = bad_at(state, e, base)
    row = 0
    while row < state[e + f.KNOWN]:
        at = table + f.BAD_COLUMNS * row
        if first <= state[at] < end:
            state[e + f.KNOWN] -= 1
            last = table + f.BAD_COLUMNS * state[e + f.KNOWN]
            state[at] = state[last]
            state[at + 1] = state[last + 1]
        else:
            row += 1
