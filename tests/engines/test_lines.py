"""The compiled engine's lines, where their tables are at their edges."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from engine_bench import Bench, marks
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines import compiled, lines, reference
from simio.engines import layout as c
from simio.program.steps import HORIZON, UNBOUNDED

INTEGRATE = getattr(lines.integrate, "py_func", lines.integrate)
LEVELS = st.one_of(st.integers(0, UNBOUNDED), st.sampled_from((0, 1, 2**31 - 1, 2**31, 2**61, UNBOUNDED)))


@settings(max_examples=300)
@given(st.lists(st.tuples(LEVELS, st.integers(0, HORIZON)), min_size=1, max_size=6))
def test_the_area_of_a_level_is_exact_to_the_last_digit(spans: list[tuple[int, int]]) -> None:
    # All instants within the horizon, in order; the level is what it was since the one before.
    table = np.zeros((1, c.CONTAINER_COLUMNS), dtype=np.int64)
    before = area = 0
    for (level, _), now in zip(spans, sorted(time for _, time in spans), strict=True):
        table[0, c.LEVEL] = level
        INTEGRATE(table, 0, now)
        area += level * (now - before)
        before = now
    assert sum(int(table[0, c.AREA + digit]) << (31 * digit) for digit in range(4)) == area


def test_the_first_thread_of_all_waits_as_any_other(engine: ModuleType, bench: Bench) -> None:
    # It is third in line when the second is served, and a fourth comes behind it.
    p, server = bench.p, bench.p.resource("server")
    for number, begin in ((0, 2), (1, 0), (2, 1), (3, 12)):
        with p.thread(f"t{number}", start=begin), p.hold(server):
            p.advance(10)
            bench.mark(number)
    assert marks(bench.run(engine)) == [(10, 1), (20, 2), (30, 0), (40, 3)]


def test_the_first_thread_of_all_waits_at_a_container(engine: ModuleType, bench: Bench) -> None:
    p, shelf = bench.p, bench.p.container("shelf", 1)
    for number, begin in ((0, 2), (1, 1), (2, 12)):
        with p.thread(f"t{number}", start=begin):
            p.get(shelf, 1)
            bench.mark(number)
    with p.thread("brings", start=10), p.loop(3):
        p.put(shelf, 1)
        p.advance(10)
    assert marks(bench.run(engine)) == [(10, 1), (20, 0), (30, 2)]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), st.integers(1, 12))
def test_a_line_is_in_order_of_priority_and_arrival(priorities: list[int], served: int) -> None:
    # All but the first come while that holds the server; some more, of the same priorities, when `served` have gone.
    bench = Bench()
    p, server = bench.p, bench.p.resource("server")
    expected: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    later = 1000 * served + 500
    for number, (begin, priority) in enumerate(
        [*enumerate(priorities), *enumerate(reversed(priorities), start=later)]
    ):
        with p.thread(f"t{number}", start=begin), p.hold(server, priority=priority):
            bench.mark(number)
            p.advance(1000)
        waiting.append((begin, priority))
    now = 0
    left = dict(enumerate(waiting))
    while left:
        there = {n: (priority, begin) for n, (begin, priority) in left.items() if begin <= now}
        if not there:
            now = min(begin for begin, _ in left.values())
            continue
        chosen = min(there, key=lambda n: there[n])
        expected.append((now, chosen))
        del left[chosen]
        now += 1000
    for engine in (compiled, reference):
        assert marks(bench.run(engine)) == expected
