"""Windows claimed once, bytes that are there without a gap, groups of blocks, and who is woken."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from simio.machines import served
from simio.machines.door import call


def machine(initial: list[int]) -> Callable[..., int]:
    """A machine behind a word that is not its own."""
    state = np.array([7, *initial], dtype=np.int64)
    return lambda function, a=0: int(call(function, state, 1, 0, a, 0))


def test_windows_are_claimed_once_and_in_order_up_to_the_limit() -> None:
    ask = machine(served.windows(10_000, 4000))
    assert [ask(served.claim, 4001) for _ in range(3)] == [1, 4001, 0]
    # Room that was claimed for a later block is there for an earlier one.
    assert ask(served.claim, 2000) == 0
    assert [ask(served.claim, 99_000) for _ in range(2)] == [8001, 0]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_bytes_count_when_all_before_them_are_there(order: tuple[int, ...]) -> None:
    ask = machine(served.windows(10_000, 4000))
    seen: set[int] = set()
    total = 0
    for number in order:
        seen.add(number)
        total += ask(served.came, number)
        whole = next(n for n in range(4) if n not in seen)
        assert total == min(whole * 4000, 10_000)


def test_a_window_that_came_or_is_not_there_is_refused() -> None:
    ask = machine(served.windows(10_000, 4000))
    assert ask(served.came, 1) == 0
    assert [ask(served.came, number) for number in (1, 3, -1)] == [-1, -1, -1]


def test_a_group_is_complete_once_whatever_comes_again() -> None:
    ask = machine(served.blocks(5, 2))
    assert [ask(served.gather, block) for block in (1, 1, 2, 0, 0)] == [1, 0, 1, 2, 0]
    # The last group has but one block.
    assert [ask(served.gather, block) for block in (4, 4, 3)] == [2, 0, 2]
    assert [ask(served.gather, block) for block in (5, -1)] == [-1, -1]


def test_all_who_wait_are_woken_and_those_who_need_not_wait_do_not() -> None:
    ask = machine(served.progress())
    assert [ask(served.reach, target) for target in (0, 10, 20)] == [1, 0, 0]
    assert ask(served.advance, 10) == 2
    assert [ask(served.reach, target) for target in (10, 20)] == [1, 0]
    assert [ask(served.advance, amount) for amount in (5, 5)] == [1, 0]
    assert ask(served.reach, 20) == 1


def test_a_cache_that_begins_in_the_middle_reads_nothing_before_that() -> None:
    ask = machine(served.windows(10_000, 4000))
    # The window of byte 5000 begins at 4000; what is before it passes for being there, once.
    assert [ask(served.begin, 5000) for _ in range(2)] == [4000, 0]
    assert [ask(served.claim, 99_000) for _ in range(3)] == [4001, 8001, 0]
    assert ask(served.came, 2) == 0
    assert ask(served.came, 1) == 6000


@pytest.mark.parametrize(
    ("offset", "passed"), [(0, 0), (3999, 0), (4000, 4000), (9999, 8000), (10_000, -1), (-1, -1)]
)
def test_reading_begins_at_a_window_of_the_file(offset: int, passed: int) -> None:
    assert machine(served.windows(10_000, 4000))(served.begin, offset) == passed


def test_where_reading_has_begun_it_does_not_begin_elsewhere() -> None:
    ask = machine(served.windows(10_000, 4000))
    assert ask(served.claim, 1) == 1
    assert ask(served.begin, 9000) == 0
    assert ask(served.claim, 99_000) == 4001


def test_a_file_is_whole_when_every_block_has_been_written() -> None:
    ask = machine(served.blocks(3, 2))
    for block in (2, 0):
        ask(served.gather, block)
        assert ask(served.whole) == 0
    ask(served.gather, 1)
    assert ask(served.whole) == 1
