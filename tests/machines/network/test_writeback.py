"""Blocks that a client keeps until they are committed: resending, changed verifiers, and counting each once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.machines.door import call
from simio.machines.network import writeback


def machine(blocks: int):
    """A machine behind a word that is not its own."""
    state = np.array([7, *writeback.initial(blocks)], dtype=np.int64)
    return state, lambda function, a=0, b=0: int(call(function, state, 1, 0, a, b))


def test_blocks_go_in_order_and_none_is_left_when_all_are_answered() -> None:
    _, ask = machine(3)
    assert [ask(writeback.following) for _ in range(4)] == [0, 1, 2, 3]
    assert [ask(writeback.answered, block, 0) for block in (1, 0, 2)] == [1, 1, 1]
    assert ask(writeback.left) == 0
    # A COMMIT is about no block; its verifier is the one that is known.
    assert ask(writeback.answered, 1 << 29, 0) == 0
    assert ask(writeback.left) == 0


def test_another_verifier_makes_dirty_what_was_written_under_the_one_before() -> None:
    state, ask = machine(4)
    for _ in range(3):
        ask(writeback.following)
    ask(writeback.answered, 0, 0)
    ask(writeback.answered, 1, 0)
    # The server's next life answers the third, and then the fourth, which is sent only now.
    assert ask(writeback.answered, 2, 1) == 1
    assert ask(writeback.following) == 3
    ask(writeback.answered, 3, 1)
    assert ask(writeback.left) == 2
    assert [ask(writeback.following) for _ in range(3)] == [0, 1, 4]
    assert state[1 + writeback.AGAIN] == 2


def test_a_commit_of_a_later_life_makes_everything_dirty() -> None:
    _, ask = machine(2)
    for block in range(2):
        ask(writeback.following)
        ask(writeback.answered, block, 0)
    ask(writeback.answered, 1 << 29, 2)
    assert ask(writeback.left) == 2


def test_a_late_reply_of_an_earlier_life_does_not_count() -> None:
    _, ask = machine(2)
    ask(writeback.following)
    ask(writeback.following)
    assert ask(writeback.answered, 1, 1) == 1
    assert ask(writeback.answered, 0, 0) == 0
    assert ask(writeback.left) == 1
    assert ask(writeback.following) == 0


def test_a_block_counts_once() -> None:
    _, ask = machine(2)
    assert [ask(writeback.counted, block) for block in (0, 1, 0, 1)] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "refused", [(writeback.answered, -1, 0), (writeback.answered, 0, -1), (writeback.counted, 2, 0)]
)
def test_what_makes_no_sense_is_refused(refused: tuple[int, int, int]) -> None:
    _, ask = machine(2)
    assert ask(*refused) == -1


@given(st.data())
def test_when_nothing_is_left_the_present_life_has_all(data: st.DataObject) -> None:
    """Against a server that keeps blocks in sets, loses them with each new life, and answers whenever it likes."""
    _, ask = machine(5)
    held: set[int] = set()
    life, under_way = 0, []
    for _ in range(data.draw(st.integers(0, 60))):
        step = data.draw(st.sampled_from(["send", "answer", "crash"]))
        if step == "crash":
            life, held = life + 1, set()
        elif step == "send" and (block := ask(writeback.following)) < 5:
            under_way.append(block)
        elif step == "answer" and under_way:
            block = under_way.pop(data.draw(st.integers(0, len(under_way) - 1)))
            held.add(block)
            ask(writeback.answered, block, life)
    while True:
        for block in under_way:
            held.add(block)
            ask(writeback.answered, block, life)
        ask(writeback.answered, 1 << 29, life)
        left = ask(writeback.left)
        if not left:
            break
        under_way = [ask(writeback.following) for _ in range(left)]
    assert held == set(range(5))
