"""The choice of a bond's member, call by call."""

from __future__ import annotations

import numpy as np

from simio.machines.door import call
from simio.machines.network import spread

BASE = 3
ROWS = [(0, (1, 2, 3)), (100, (1, 3)), (200, ()), (300, (2,))]


def state(rotates: bool = False) -> np.ndarray:
    return np.array([9] * BASE + spread.initial(rotates, ROWS, 3), dtype=np.int64)


def choose(words: np.ndarray, now: int, key: int = 0, number: int = 0) -> int:
    return int(call(spread.choose, words, BASE, now, key, number))


def test_the_hash_is_taken_modulo_the_members_that_are_up() -> None:
    words = state()
    assert [choose(words, 0, key) for key in range(6)] == [1, 2, 3, 1, 2, 3]
    assert [choose(words, 99, key) for key in range(3)] == [1, 2, 3]
    assert [choose(words, 100, key) for key in range(4)] == [1, 3, 1, 3]
    assert [choose(words, 250, key) for key in range(3)] == [0, 0, 0]
    assert [choose(words, 10**15, key) for key in range(3)] == [2, 2, 2]


def test_turns_go_on_over_the_members_that_are_left() -> None:
    words = state(rotates=True)
    assert [choose(words, 0) for _ in range(5)] == [1, 2, 3, 1, 2]
    # The sixth and seventh turn, of two members; none is spent while all are down.
    assert [choose(words, 100), choose(words, 100), choose(words, 200), choose(words, 300)] == [3, 1, 0, 2]


def test_the_number_of_a_flow_changes_its_hash() -> None:
    words = state()
    counts = [0] * 4
    for number in range(1, 3001):
        counts[choose(words, 0, 12345, number)] += 1
    # A thousand each, with a standard deviation of 26.
    assert counts[0] == 0
    assert all(abs(count - 1000) < 90 for count in counts[1:])


def test_each_bit_of_a_key_changes_half_of_the_hash() -> None:
    changes = [
        bin(spread.mixed(key) ^ spread.mixed(key ^ (1 << bit))).count("1")
        for key in range(1, 100_000, 997)
        for bit in range(32)
    ]
    assert 15.5 < sum(changes) / len(changes) < 16.5
    assert max(spread.mixed(key) for key in range(1000)) < 2**32
