"""Tables of ranges of sequence numbers: a count, then the start and end of each, in order and apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def insert(state: NDArray, table: int, start: int, end: int, most: int) -> int:
    """Add a range, merged with those that it touches; 0 if the table is full, with `most` ranges, else 1."""
    count = state[table]
    first = count
    while first > 0 and state[table + 2 * first] >= start:
        first -= 1
    last = first
    while last < count and state[table + 1 + 2 * last] <= end:
        start = min(start, state[table + 1 + 2 * last])
        end = max(end, state[table + 2 + 2 * last])
        last += 1
    shift = 1 - (last - first)
    if count + shift > most:
        return 0
    if shift > 0:
        for at in range(count - 1, last - 1, -1):
            state[table + 3 + 2 * at] = state[table + 1 + 2 * at]
            state[table + 4 + 2 * at] = state[table + 2 + 2 * at]
    elif shift < 0:
        for at in range(last, count):
            state[table + 1 + 2 * (at + shift)] = state[table + 1 + 2 * at]
            state[table + 2 + 2 * (at + shift)] = state[table + 2 + 2 * at]
    state[table] = count + shift
    state[table + 1 + 2 * first] = start
    state[table + 2 + 2 * first] = end
    return 1


@shared
def pass_by(state: NDArray, table: int, point: int) -> int:
    """Forget ranges below a point and those that it touches; returns the end of the last of these, or the point."""
    count = state[table]
    gone = 0
    while gone < count and state[table + 1 + 2 * gone] <= point:
        point = max(point, state[table + 2 + 2 * gone])
        gone += 1
    if gone > 0:
        for at in range(gone, count):
            state[table + 1 + 2 * (at - gone)] = state[table + 1 + 2 * at]
            state[table + 2 + 2 * (at - gone)] = state[table + 2 + 2 * at]
        state[table] = count - gone
    return point


@shared
def holding(state: NDArray, table: int, point: int) -> int:
    """Number of the range that holds a point, or -1."""
    low, high = 0, state[table]
    while low < high:
        middle = (low + high) // 2
        if state[table + 2 + 2 * middle] <= point:
            low = middle + 1
        else:
            high = middle
    return low if low < state[table] and state[table + 1 + 2 * low] <= point else -1
