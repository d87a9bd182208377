"""Pending events of the compiled engine, as Python: a list or a heap, they come out in order of (time, sequence)."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import interpreted
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines import heap, pending, tables
from simio.engines import layout as c

ROOM = 64
OPERATIONS = st.lists(st.tuples(st.sampled_from(("schedule", "take", "replace")), st.integers(0, 6)), max_size=120)
"""Few times, so that most entries tie with others, and lists grow into heaps and shrink again."""


@pytest.fixture(autouse=True, scope="module")
def plain() -> Iterator[None]:
    """Compiled without reference counts, these functions can be called by the engine's own loop only."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (heap, pending, tables):
            for name, function in vars(module).items():
                patch.setattr(module, name, getattr(function, "py_func", function))
        for module in (pending, tables):
            patch.setattr(module, "pointer", interpreted.pointer)
        patch.setattr(tables, "table", interpreted.array)
        yield


class Pending:
    """Events of an engine that has just begun, and what they should be."""

    def __init__(self) -> None:
        self.table = np.full((ROOM + c.HEAP_SPARE, c.HEAP_COLUMNS), c.LATEST, dtype=np.int64)
        self.control = np.zeros(c.CONTROL_COLUMNS, dtype=np.int64)
        self.control[[c.THREADS, c.HELD]] = ROOM, -1
        self.control[[c.HELD_TIME, c.FIRST_TIME]] = c.LATEST
        self.control[c.HEAP_AT] = self.table.ctypes.data
        self.model: list[tuple[int, int]] = []
        self.count = 0

    def schedule(self, after: int) -> None:
        time = self.now + after
        pending.schedule(self.control, time, 100 + self.count)
        heapq.heappush(self.model, (time, self.count))
        self.count += 1

    def take(self, due: int | None = None) -> None:
        """Take the first one out, and have a thread that is held take its place, if `due` is given."""
        if due is not None:
            self.control[[c.HELD, c.HELD_TIME]] = 100 + self.count, due
        time, number = heapq.heappop(self.model)
        assert self.control[c.FIRST_TIME] == time
        self.control[c.NOW] = time
        assert pending.take(self.control) == 100 + number
        assert (self.control[c.HELD], self.control[c.HELD_TIME]) == (-1, c.LATEST)
        if due is not None:
            heapq.heappush(self.model, (due, self.count))
            self.count += 1

    @property
    def now(self) -> int:
        return int(self.control[c.NOW])

    def check(self) -> None:
        assert self.control[c.FIRST_TIME] == min(self.model, default=(c.LATEST,))[0]
        count = int(self.control[c.HEAPED])
        assert sorted(map(tuple, self.table[:count, :2].tolist())) == sorted(self.model)
        if not self.control[c.LISTED]:
            assert (self.table[count : count + c.HEAP_SPARE, :2] == c.LATEST).all()


@settings(max_examples=150)
@given(st.integers(0, 40), OPERATIONS)
def test_events_come_out_in_order(first: int, operations: list[tuple[str, int]]) -> None:
    events = Pending()
    for number in range(first):
        events.schedule(7 * number % 5)
    for what, after in operations:
        if what == "schedule" and len(events.model) < ROOM:
            events.schedule(after)
        elif what != "schedule" and events.model:
            # A thread that would be next by itself is never put among the others.
            events.take(events.model[0][0] + after if what == "replace" else None)
        events.check()
    while events.model:
        events.take()
        events.check()


def test_few_are_a_list_and_many_a_heap() -> None:
    events = Pending()
    events.schedule(1)
    events.take()
    for number in range(pending.LONG):
        events.schedule(number)
    assert events.control[c.LISTED] == 1
    events.schedule(3)
    assert events.control[c.LISTED] == 0
    while len(events.model) > pending.SHORT:
        events.take()
        assert events.control[c.LISTED] == 0
    events.take()
    assert events.control[c.LISTED] == 1
