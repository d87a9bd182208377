"""Fragments and the datagrams that they make up, with what is lost and late."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from simio.machines.door import call
from simio.machines.network import reassembly
from simio.machines.network.reassembly import GIVEN_UP, fragment_word, initial

LIFETIME = 1000


class Table:
    """A reassembly table at an offset, so that a function that forgets its base is found out."""

    def __init__(self, slots: int = 4) -> None:
        self.state = np.array([7, *initial(slots, LIFETIME)], dtype=np.int64)

    def __call__(self, number: int, index: int, count: int, now: int = 0, total: int = 5000) -> int:
        word = fragment_word(index, count, total)
        return int(call(reassembly.reassemble, self.state, 1, now, number, word))

    def count(self, word: int) -> int:
        return int(self.state[1 + word])


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_last_fragment_in_any_order_completes_the_datagram(order: tuple[int, ...]) -> None:
    table = Table()
    assert [table(5, index, 3) for index in order] == [0, 0, 5000]


def test_a_whole_datagram_needs_no_place() -> None:
    table = Table(slots=0)
    assert table(1, 0, 1, total=65535) == 65535


def test_datagrams_are_put_together_apart() -> None:
    table = Table()
    assert [table(1, 0, 2), table(2, 1, 2), table(2, 0, 2, total=99), table(1, 1, 2)] == [0, 0, 99, 5000]


def test_a_fragment_that_comes_twice_counts_once() -> None:
    table = Table()
    assert [table(1, 0, 2), table(1, 0, 2), table(1, 1, 2)] == [0, 0, 5000]


def test_an_incomplete_datagram_is_given_up_after_its_time() -> None:
    table = Table()
    table(1, 0, 2, now=0)
    # The second fragment comes too late, and begins what will never be complete.
    assert table(1, 1, 2, now=LIFETIME) == 0
    assert table.count(GIVEN_UP) == 1
    assert table(1, 0, 2, now=LIFETIME + 1) == 5000


def test_the_time_counts_from_the_first_fragment() -> None:
    table = Table()
    table(1, 0, 3, now=0)
    table(1, 1, 3, now=LIFETIME - 1)
    assert table(1, 2, 3, now=LIFETIME - 1) == 5000


def test_a_full_table_gives_up_the_oldest_datagram_for_a_new_one() -> None:
    table = Table(slots=2)
    for number in (1, 2):
        table(number, 0, 2, now=number)
    assert table(3, 0, 2, now=3) == 0
    assert table.count(GIVEN_UP) == 1
    assert [table(2, 1, 2, now=4), table(3, 1, 2, now=4)] == [5000, 5000]
    # The first one's other fragment finds nothing to be put to.
    assert table(1, 1, 2, now=5) == 0


def test_of_two_of_an_age_the_first_is_given_up() -> None:
    table = Table(slots=2)
    table(1, 0, 2)
    table(2, 0, 2)
    table(3, 0, 2)
    assert [table(2, 1, 2), table(3, 1, 2)] == [5000, 5000]
    assert table.count(GIVEN_UP) == 1


def test_the_place_of_a_complete_datagram_is_free() -> None:
    table = Table(slots=1)
    assert [table(number, index, 2) for number in (1, 2) for index in (0, 1)] == [0, 5000] * 2
    table(3, 0, 2, now=LIFETIME)
    assert table.count(GIVEN_UP) == 0


def test_as_many_fragments_as_ip_can_need_over_576_bytes() -> None:
    table = Table()
    results = [table(0, index, 119, total=65535) for index in reversed(range(119))]
    assert results == [0] * 118 + [65535]


@pytest.mark.parametrize(("index", "count"), [(2, 2), (0, 0), (0, 125)])
def test_a_fragment_that_cannot_be_is_refused(index: int, count: int) -> None:
    assert Table()(0, index, count) == -1
