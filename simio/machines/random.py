"""Random numbers in integers, the same on every engine and platform.

The generator is MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive
random number generators", Operations Research 47(1), 1999, figure I): two recursions of order three whose
products stay below 2**53. Each distribution of a program has a stream of its own, so that changing how often
one is drawn leaves the others as they were. Nothing here uses floating point: an exponential is drawn by
comparing uniforms alone (J. von Neumann, "Various techniques used in connection with random digits", 1951).
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from simio.machines.shared import shared

M1 = 4294967087
M2 = 4294944443
STREAM_WORDS = 6


def streams(seed: int, count: int) -> NDArray[np.int64]:
    """Initial states, shape (count, 6), of `count` streams: SHA-256 of the seed and the stream's number."""
    table = np.empty((count, STREAM_WORDS), dtype=np.int64)
    for stream in range(count):
        digest = hashlib.sha256(f"simio stream {stream} of seed {seed}".encode()).digest()
        for word in range(STREAM_WORDS):
            modulus = M1 if word < 3 else M2
            table[stream, word] = 1 + int.from_bytes(digest[4 * word : 4 * word + 4], "big") % (modulus - 1)
    return table


@shared
def _next(state: NDArray[np.int64], row: int) -> int:
    first = (1403580 * int(state[row, 1]) - 810728 * int(state[row, 0])) % 4294967087
    state[row, 0] = state[row, 1]
    state[row, 1] = state[row, 2]
    state[row, 2] = first
    second = (527612 * int(state[row, 5]) - 1370589 * int(state[row, 3])) % 4294944443
    state[row, 3] = state[row, 4]
    state[row, 4] = state[row, 5]
    state[row, 5] = second
    return (first - second) % 4294967087


@shared
def uniform31(state: NDArray[np.int64], row: int) -> int:
    """A whole number, uniform over 0 to 2**31 - 1, by rejection."""
    value = _next(state, row)
    while value >= 2147483648:
        value = _next(state, row)
    return value


@shared
def uniform_below(state: NDArray[np.int64], row: int, bound: int) -> int:
    """A whole number, uniform over 0 to bound - 1, for 1 <= bound <= 2**62; exactly uniform, by rejection."""
    if bound <= 2147483648:
        limit = 2147483648 - 2147483648 % bound
        value = uniform31(state, row)
        while value >= limit:
            value = uniform31(state, row)
        return value % bound
    limit = 4611686018427387904 - 4611686018427387904 % bound
    value = limit
    while value >= limit:
        high = uniform31(state, row)
        value = high * 2147483648 + uniform31(state, row)
    return value % bound


@shared
def exponential(state: NDArray[np.int64], row: int, mean: int) -> int:
    """Exponential with the given mean (below 2**56), rounded down; the fraction has 31 bits."""
    whole = 0
    while True:
        first = uniform31(state, row)
        last = first
        length = 1
        following = uniform31(state, row)
        while following < last:
            last = following
            length += 1
            following = uniform31(state, row)
        if length % 2 == 1:
            break
        whole += 1
    return whole * mean + (mean >> 31) * first + (((mean & 2147483647) * first) >> 31)


@shared
def draw(state: NDArray[np.int64], row: int, kind: int, a: int, b: int, length: int, table: NDArray[np.int64]) -> int:
    """Next value of distribution `row`; see `simio.program.steps.Draw` for the meaning of a and b."""
    if kind == 0:
        return a + uniform_below(state, row, b - a + 1)
    if kind == 1:
        return exponential(state, row, a)
    point = uniform_below(state, row, a)
    low = b
    high = b + length - 1
    while low < high:
        middle = (low + high) // 2
        if point < table[middle, 1]:
            high = middle
        else:
            low = middle + 1
    return int(table[low, 0])
