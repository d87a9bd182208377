"""Numbers that come out of order are handed on in order."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simio.machines import order


def state_of(room: int) -> np.ndarray:
    return np.array(order.order(room), dtype=np.int64)


def test_a_number_waits_for_those_before() -> None:
    state = state_of(3)
    assert [order.arrive(state, 0, number) for number in (2, 1, 0, 4, 3)] == [0, 0, 3, 0, 2]


def test_a_number_out_of_its_room_is_refused() -> None:
    state = state_of(2)
    assert order.arrive(state, 0, 2) == -1
    assert order.arrive(state, 0, 1) == 0
    assert order.arrive(state, 0, 1) == -1
    assert order.arrive(state, 0, 0) == 2
    assert order.arrive(state, 0, 1) == -1


@given(st.data(), st.integers(1, 6), st.integers(1, 30))
def test_all_are_handed_on_and_none_before_its_turn(data: st.DataObject, room: int, count: int) -> None:
    state, waiting, came, ready = state_of(room), list(range(count)), set(), 0
    while waiting:
        number = data.draw(st.sampled_from([each for each in waiting if each < ready + room]))
        waiting.remove(number)
        came.add(number)
        ready += order.arrive(state, 0, number)
        assert set(range(ready)) <= came
        assert ready not in came
    assert ready == count
