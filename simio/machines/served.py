"""Files that a server's threads read and write side by side, in whatever order clients ask.

What one thread that reads a file keeps in its registers is common to all of a server's threads here: how far windows
have been asked for, how far the file is in the cache without a gap, which blocks have been written, and how many
threads wait for more.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WINDOWS = Layout("file read in windows")
SIZE = WINDOWS.word("size", "bytes")
WINDOW = WINDOWS.word("window", "bytes")
CLAIMED = WINDOWS.word("claimed", "bytes", about="how far windows have been claimed")
WHOLE = WINDOWS.word("whole", "windows", about="windows that are there without a gap")
THERE = WINDOWS.table("there", about="1 for each window that is there")

BLOCKS = Layout("file written in blocks")
NUMBER = BLOCKS.word("number", "blocks")
TOGETHER = BLOCKS.word("together", "blocks", about="blocks of a group, which are written at once")
CAME = BLOCKS.table("came", about="1 for each block that has come")
BLOCKS.later("groups", "blocks", about="blocks of each group that have come; behind CAME")

PROGRESS = Layout("progress")
BYTES = PROGRESS.word("bytes", "bytes", about="bytes so far")
WAITING = PROGRESS.word("waiting", "threads", about="threads that wait for more")


def windows(size: int, window: int) -> State:
    """State of a file of `size` bytes that is read window by window."""
    return WINDOWS.initial(size=size, window=window, there=[0] * -(-size // window))


def blocks(number: int, together: int) -> State:
    """State of a file of `number` blocks, of which `together` are written at once."""
    return BLOCKS.initial(number=number, together=together, came=[0] * number, groups=[0] * -(-number // together))


def progress() -> State:
    """State of something that threads wait for."""
    return PROGRESS.initial()


@machine("parts")
def claim(state: NDArray, base: int, limit: int) -> int:
    """The offset of the next window, plus 1, if it begins below `limit` and has not been claimed; else 0."""
    at = state[base + CLAIMED]
    if at >= state[base + SIZE] or at >= limit:
        return 0
    state[base + CLAIMED] = at + state[base + WINDOW]
    return at + 1


@machine("parts")
def begin(state: NDArray, base: int, offset: int) -> int:
    """Reading begins at `offset`, unless it has begun: the bytes before its window, which pass for being there."""
    if offset < 0 or offset >= state[base + SIZE]:
        return -1
    first = offset // state[base + WINDOW]
    if state[base + CLAIMED] > 0 or first == 0:
        return 0
    for number in range(first):
        state[base + THERE + number] = 1
    state[base + CLAIMED] = first * state[base + WINDOW]
    state[base + WHOLE] = first
    return first * state[base + WINDOW]


@machine("parts")
def came(state: NDArray, base: int, number: int) -> int:
    """Window `number` is there: bytes that are there without a gap now and were not before.

    Refuses a window that the file does not have, or that was there.
    """
    size, window = state[base + SIZE], state[base + WINDOW]
    if number < 0 or number * window >= size or state[base + THERE + number]:
        return -1
    state[base + THERE + number] = 1
    first = state[base + WHOLE]
    at = first
    while at * window < size and state[base + THERE + at]:
        at += 1
    state[base + WHOLE] = at
    return min(at * window, size) - min(first * window, size)


@machine("parts")
def gather(state: NDArray, base: int, number: int) -> int:
    """Block `number` has been written: 0 if it was before, 2 if all blocks of its group have been now, else 1."""
    if number < 0 or number >= state[base + NUMBER]:
        return -1
    if state[base + CAME + number]:
        return 0
    state[base + CAME + number] = 1
    total, together = state[base + NUMBER], state[base + TOGETHER]
    group = number // together
    count = base + CAME + total + group
    state[count] += 1
    if state[count] == min(together, total - group * together):
        return 2
    return 1


@machine("parts")
def whole(state: NDArray, base: int) -> int:
    """1 if all blocks have been written, else 0."""
    for number in range(state[base + NUMBER]):
        if not state[base + CAME + number]:
            return 0
    return 1


@machine("parts")
def reach(state: NDArray, base: int, target: int) -> int:
    """1 if there are `target` bytes; else 0, and the caller is noted as waiting."""
    if state[base + BYTES] >= target:
        return 1
    state[base + WAITING] += 1
    return 0


@machine("parts")
def advance(state: NDArray, base: int, amount: int) -> int:
    """Add bytes that are there: number of threads to wake, all that wait."""
    state[base + BYTES] += amount
    waiting = state[base + WAITING]
    state[base + WAITING] = 0
    return waiting
