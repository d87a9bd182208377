"""Calls and their replies, blocks in order, and what is granted while there is some."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from simio.machines.calls import call
from simio.machines.network import rpc
from simio.machines.network.transfer_calls import (
    GRANT,
    IN_ORDER,
    RESTORE,
    RPC_CALL,
    RPC_OUTSTANDING,
    RPC_REPLY,
)


def machine(initial: list[int]):
    """A machine behind a word that is not its own."""
    state = np.array([7, *initial], dtype=np.int64)
    return state, lambda function, a=0: int(call(function, state, 1, 0, a, 0))


def test_a_reply_finds_its_caller_once() -> None:
    state, ask = machine(rpc.initial(2))
    first, second = ask(RPC_CALL, 30), ask(RPC_CALL, 40)
    assert (first, second) == (1, 2)
    assert ask(RPC_REPLY, second) == 41
    assert [ask(RPC_OUTSTANDING, xid) for xid in (first, second)] == [1, 0]
    # The answer to a retransmission.
    assert ask(RPC_REPLY, second) == 0
    assert state[1 + rpc.DUPLICATES] == 1
    assert ask(RPC_REPLY, first) == 31


def test_places_are_used_again_and_numbers_are_not() -> None:
    _, ask = machine(rpc.initial(1))
    for xid in range(1, 5):
        assert ask(RPC_CALL, 0) == xid
        assert ask(RPC_REPLY, xid - 1) == 0
        assert ask(RPC_REPLY, xid) == 1


@pytest.mark.parametrize("places", [1, 2, 5])
def test_more_calls_than_places_are_refused(places: int) -> None:
    _, ask = machine(rpc.initial(places))
    assert [ask(RPC_CALL) for _ in range(places + 1)] == [*range(1, places + 1), -1]
    assert ask(RPC_CALL, -5) == -1


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_blocks_count_when_all_before_them_are_there(order: tuple[int, ...]) -> None:
    _, ask = machine(rpc.in_order(4))
    seen: set[int] = set()
    before = 0
    for number in order:
        seen.add(number)
        now = next(n for n in range(5) if n not in seen)
        assert ask(IN_ORDER, number) == now - before
        before = now


def test_a_long_file_goes_round_the_window() -> None:
    _, ask = machine(rpc.in_order(3))
    assert sum(ask(IN_ORDER, n) for pair in range(0, 100, 2) for n in (pair + 1, pair)) == 100


@pytest.mark.parametrize("number", [0, 4, 9])
def test_a_block_that_came_before_or_is_too_far_ahead_is_refused(number: int) -> None:
    _, ask = machine(rpc.in_order(3))
    ask(IN_ORDER, 0)
    assert ask(IN_ORDER, number) == -1


def test_what_is_free_is_granted() -> None:
    _, ask = machine([2])
    assert [ask(GRANT), ask(GRANT), ask(GRANT)] == [1, 1, 0]
    assert ask(RESTORE) == 1
    assert [ask(GRANT), ask(GRANT)] == [1, 0]
