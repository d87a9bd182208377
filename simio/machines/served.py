"""Files that a server's threads read and write side by side, in whatever order clients ask.

What one thread that reads a file keeps in its registers is common to all of a server's threads here: how far windows
have been asked for, how far the file is in the cache without a gap, which blocks have been written, and how many
threads wait for more.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine


def windows(size: int, window: int) -> list[int]:
    """State of a file of `size` bytes that is read window by window: size, window, how far windows have been
    claimed, how many are there without a gap, and a word for each that tells whether it is there."""
    return [size, window, 0, 0, *[0] * -(-size // window)]


def blocks(number: int, together: int) -> list[int]:
    """State of a file of so many blocks, of which `together` are written at once: the two numbers, a word for each
    block that tells whether it has come, and a word for each group of blocks that counts them."""
    return [number, together, *[0] * number, *[0] * -(-number // together)]


def progress() -> list[int]:
    """State of something that threads wait for: bytes so far, and how many threads wait."""
    return [0, 0]


@machine("parts")
def claim(state: NDArray, base: int, limit: int) -> int:
    """The offset of the next window, plus 1, if it begins below `limit` and has not been claimed; else 0."""
    at = state[base + 2]
    if at >= state[base] or at >= limit:
        return 0
    state[base + 2] = at + state[base + 1]
    return at + 1


@machine("parts")
def begin(state: NDArray, base: int, offset: int) -> int:
    """Reading begins at `offset`, unless it has begun: the bytes before its window, which pass for being there."""
    if offset < 0 or offset >= state[base]:
        return -1
    first = offset // state[base + 1]
    if state[base + 2] > 0 or first == 0:
        return 0
    for number in range(first):
        state[base + 4 + number] = 1
    state[base + 2] = first * state[base + 1]
    state[base + 3] = first
    return first * state[base + 1]


@machine("parts")
def came(state: NDArray, base: int, number: int) -> int:
    """Window `number` is there: bytes that are there without a gap now and were not before.

    Refuses a window that the file does not have, or that was there.
    """
    size, window = state[base], state[base + 1]
    if number < 0 or number * window >= size or state[base + 4 + number]:
        return -1
    state[base + 4 + number] = 1
    first = state[base + 3]
    at = first
    while at * window < size and state[base + 4 + at]:
        at += 1
    state[base + 3] = at
    return min(at * window, size) - min(first * window, size)


@machine("parts")
def gather(state: NDArray, base: int, number: int) -> int:
    """Block `number` has been written: 0 if it was before, 2 if all blocks of its group have been now, else 1."""
    if number < 0 or number >= state[base]:
        return -1
    if state[base + 2 + number]:
        return 0
    state[base + 2 + number] = 1
    total, together = state[base], state[base + 1]
    group = number // together
    count = base + 2 + total + group
    state[count] += 1
    if state[count] == min(together, total - group * together):
        return 2
    return 1


@machine("parts")
def whole(state: NDArray, base: int) -> int:
    """Whether all blocks have been written: 1 or 0."""
    for number in range(state[base]):
        if not state[base + 2 + number]:
            return 0
    return 1


@machine("parts")
def reach(state: NDArray, base: int, target: int) -> int:
    """Whether there are `target` bytes: 1, or 0, and the caller is noted as waiting."""
    if state[base] >= target:
        return 1
    state[base + 1] += 1
    return 0


@machine("parts")
def advance(state: NDArray, base: int, amount: int) -> int:
    """So many bytes more are there: how many threads are to be woken, all that wait."""
    state[base] += amount
    waiting = state[base + 1]
    state[base + 1] = 0
    return waiting


CLAIM, CAME, GATHER, REACH, ADVANCE, BEGIN, WHOLE = claim, came, gather, reach, advance, begin, whole
