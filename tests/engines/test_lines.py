"""The compiled engine's lines, where their tables are at their edges."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from engine_bench import Bench, marks
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines import layout as c
from simio.engines import lines
from simio.program.steps import HORIZON, UNBOUNDED

INTEGRATE = getattr(lines.integrate, "py_func", lines.integrate)
LEVELS = st.one_of(st.integers(0, UNBOUNDED), st.sampled_from((0, 1, 2**31 - 1, 2**31, 2**61, UNBOUNDED)))


@settings(max_examples=300, deadline=None)
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
