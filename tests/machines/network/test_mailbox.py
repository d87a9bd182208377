"""Messages in a queue that drops what finds no room."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines.door import call
from simio.machines.network import mailbox
from simio.machines.network.mailbox import initial


class Mailbox:
    def __init__(self, space: int, places: int) -> None:
        self.state = np.array([7, *initial(space, places)], dtype=np.int64)

    def __call__(self, function: int, a: int = 0, b: int = 0) -> int:
        return int(call(function, self.state, 1, 0, a, b))


def test_messages_leave_in_the_order_in_which_they_came() -> None:
    box = Mailbox(1000, 3)
    for round_ in range(4):
        for word in range(3):
            assert box(mailbox.arrive, 10 * (word + 1), round_ * 10 + word) == 1
        for word in range(3):
            assert box(mailbox.length) == 10 * (word + 1)
            assert box(mailbox.take) == round_ * 10 + word


def test_a_message_that_exceeds_the_space_is_dropped_and_a_smaller_one_is_not() -> None:
    box = Mailbox(100, 8)
    assert [box(mailbox.arrive, size) for size in (60, 50, 40)] == [1, 0, 1]
    box(mailbox.take)
    assert box(mailbox.arrive, 60) == 1


def test_messages_of_nothing_are_limited_by_places() -> None:
    box = Mailbox(100, 2)
    assert [box(mailbox.arrive, 0) for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("function", [mailbox.length, mailbox.take])
def test_nothing_can_be_taken_from_an_empty_queue(function: int) -> None:
    box = Mailbox(100, 2)
    box(mailbox.arrive, 1)
    box(mailbox.take)
    assert box(function) == -1


@pytest.mark.parametrize(("length", "word"), [(-1, 0), (0, -1)])
def test_what_is_no_message_is_refused(length: int, word: int) -> None:
    assert Mailbox(100, 2)(mailbox.arrive, length, word) == -1
