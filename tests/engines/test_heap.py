"""The compiled engine's heap, as Python: entries come out in order of (time, sequence), whatever went in."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines import heap as compiled
from simio.engines.layout import HEAP_COLUMNS, HEAP_SPARE, LATEST

PUSH, SINK, LESSER = (
    getattr(function, "py_func", function) for function in (compiled.push, compiled.sift, compiled.lesser)
)


@pytest.fixture(autouse=True, scope="module")
def plain() -> Iterator[None]:
    """Compiled without reference counts, these functions can be called by the engine's own loop only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "push", PUSH)
        patch.setattr(compiled, "lesser", LESSER)
        yield


TIMES = st.lists(st.integers(0, 6), max_size=40)
"""Few times, so that most entries tie with others."""


def pushed(times: list[int], room: int) -> np.ndarray:
    table = np.full((room + HEAP_SPARE, HEAP_COLUMNS), LATEST, dtype=np.int64)
    for sequence, time in enumerate(times):
        PUSH(table, sequence, time, sequence, 100 + sequence)
    return table


def popped(table: np.ndarray, count: int) -> tuple[int, ...]:
    """The first entry; the last one takes its place, as in the engine."""
    first = tuple(table[0].tolist())
    last = table[count - 1].copy()
    table[count - 1] = LATEST
    SINK(table, count - 1, *last)
    return first


@settings(max_examples=150)
@given(TIMES)
def test_what_is_pushed_comes_out_in_order(times: list[int]) -> None:
    table = pushed(times, len(times) + 1)
    found = [popped(table, count) for count in range(len(times), 0, -1)]
    assert found == [
        (time, sequence, 100 + sequence) for time, sequence in sorted(zip(times, range(len(times)), strict=True))
    ]


@settings(max_examples=150)
@given(TIMES.filter(bool), TIMES)
def test_the_first_is_replaced_by_a_new_one(times: list[int], more: list[int]) -> None:
    table, count = pushed(times, len(times)), len(times)
    model = [(time, sequence) for sequence, time in enumerate(times)]
    heapq.heapify(model)
    for sequence, time in enumerate(more, len(times)):
        assert tuple(table[0, :2].tolist()) == heapq.heapreplace(model, (time, sequence))
        SINK(table, count, time, sequence, 100 + sequence)
        assert sorted(map(tuple, table[:count, :2].tolist())) == sorted(model)
        assert all(table[:count, 2] == table[:count, 1] + 100)


@pytest.mark.parametrize("count", range(1, 23))
def test_nothing_beyond_the_entries_is_touched(count: int) -> None:
    table = pushed(list(range(count, 0, -1)), count + 2)
    SINK(table, count, 50, 99, 7)
    assert (table[count:] == LATEST).all()
