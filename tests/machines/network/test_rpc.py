"""Calls and their replies, blocks in order, and what is granted while there is some."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from simio.machines.door import call
from simio.machines.network import rpc


def machine(initial: list[int]):
    """A machine behind a word that is not its own."""
    state = np.array([7, *initial], dtype=np.int64)
    return state, lambda function, a=0: int(call(function, state, 1, 0, a, 0))


def test_a_reply_finds_its_caller_once() -> None:
    state, ask = machine(rpc.initial(2))
    first, second = ask(rpc.call, 30), ask(rpc.call, 40)
    assert (first, second) == (1, 2)
    assert ask(rpc.reply, second) == 41
    assert [ask(rpc.outstanding, xid) for xid in (first, second)] == [1, 0]
    # The answer to a retransmission.
    assert ask(rpc.reply, second) == 0
    assert state[1 + rpc.DUPLICATES] == 1
    assert ask(rpc.reply, first) == 31


def test_places_are_used_again_and_numbers_are_not() -> None:
    _, ask = machine(rpc.initial(1))
    for xid in range(1, 5):
        assert ask(rpc.call, 0) == xid
        assert ask(rpc.reply, xid - 1) == 0
        assert ask(rpc.reply, xid) == 1


@pytest.mark.parametrize("places", [1, 2, 5])
def test_more_calls_than_places_are_refused(places: int) -> None:
    _, ask = machine(rpc.initial(places))
    assert [ask(rpc.call) for _ in range(places + 1)] == [*range(1, places + 1), -1]
    assert ask(rpc.call, -5) == -1


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_blocks_count_when_all_before_them_are_there(order: tuple[int, ...]) -> None:
    _, ask = machine(rpc.in_order(4))
    seen: set[int] = set()
    before = 0
    for number in order:
        seen.add(number)
        now = next(n for n in range(5) if n not in seen)
        assert ask(rpc.arrived, number) == now - before
        before = now


def test_a_long_file_goes_round_the_window() -> None:
    _, ask = machine(rpc.in_order(3))
    assert sum(ask(rpc.arrived, n) for pair in range(0, 100, 2) for n in (pair + 1, pair)) == 100


@pytest.mark.parametrize("number", [0, 4, 9])
def test_a_block_that_came_before_or_is_too_far_ahead_is_refused(number: int) -> None:
    _, ask = machine(rpc.in_order(3))
    ask(rpc.arrived, 0)
    assert ask(rpc.arrived, number) == -1


def test_what_is_free_is_granted() -> None:
    _, ask = machine([2])
    assert [ask(rpc.grant), ask(rpc.grant), ask(rpc.grant)] == [1, 1, 0]
    assert ask(rpc.restore) == 1
    assert [ask(rpc.grant), ask(rpc.grant)] == [1, 0]
