"""Tables of ranges against sets of numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from simio.machines.tcp.layout import MOST_RANGES
from simio.machines.tcp.ranges import holding, insert, pass_by

AT = 3


def table() -> list[int]:
    return [77] * AT + [0] * (1 + 2 * MOST_RANGES) + [88]


def numbers(state: list[int]) -> set[int]:
    spans = [(state[AT + 1 + 2 * at], state[AT + 2 + 2 * at]) for at in range(state[AT])]
    assert all(start < end for start, end in spans)
    assert all(one[1] < other[0] for one, other in zip(spans, spans[1:], strict=False))
    assert state[:AT] == [77] * AT
    assert state[-1] == 88
    return {number for start, end in spans for number in range(start, end)}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60), st.integers(1, 12)), max_size=40))
def test_a_table_holds_what_was_inserted_and_not_passed(steps: list[tuple[bool, int, int]]) -> None:
    state, kept = table(), set()
    for passing, start, length in steps:
        if passing:
            point = start
            while point in kept or (point - 1 in kept and point in kept):
                point += 1
            assert pass_by(state, AT, start) == point
            kept = {number for number in kept if number >= point}
        else:
            assert insert(state, AT, start, start + length, MOST_RANGES) == 1
            kept |= set(range(start, start + length))
        assert numbers(state) == kept
        for number in range(75):
            assert (holding(state, AT, number) >= 0) == (number in kept)


def test_a_full_table_takes_only_what_needs_no_place() -> None:
    state = table()
    for at in range(MOST_RANGES):
        assert insert(state, AT, 10 * at, 10 * at + 5, MOST_RANGES) == 1
    before = list(state)
    assert insert(state, AT, 10 * MOST_RANGES, 10 * MOST_RANGES + 5, MOST_RANGES) == 0
    assert insert(state, AT, 7, 8, MOST_RANGES) == 0
    assert state == before
    assert insert(state, AT, 5, 8, MOST_RANGES) == 1
    assert insert(state, AT, 8, 10, MOST_RANGES) == 1
    assert state[AT] == MOST_RANGES - 1
    assert insert(state, AT, 10 * MOST_RANGES, 10 * MOST_RANGES + 5, MOST_RANGES) == 1


def test_what_lies_behind_moves_up_and_down_whole() -> None:
    state = table()
    for start, end in ((0, 2), (4, 6), (8, 10), (20, 25), (30, 33)):
        assert insert(state, AT, start, end, MOST_RANGES) == 1
    assert insert(state, AT, 1, 9, MOST_RANGES) == 1
    assert state[AT : AT + 7] == [3, 0, 10, 20, 25, 30, 33]
    assert insert(state, AT, 12, 14, MOST_RANGES) == 1
    assert state[AT : AT + 9] == [4, 0, 10, 12, 14, 20, 25, 30, 33]
    assert pass_by(state, AT, 11) == 11
    assert state[AT : AT + 7] == [3, 12, 14, 20, 25, 30, 33]
    assert pass_by(state, AT, 22) == 25
    assert state[AT : AT + 3] == [1, 30, 33]
