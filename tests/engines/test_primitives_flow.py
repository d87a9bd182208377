"""Loops, branches, LET and MARK against results worked by hand, on both engines."""

from __future__ import annotations

from types import ModuleType

import pytest
from engine_bench import Bench, marks

from simio.engines.outcome import Status
from simio.program.builder import Builder


@pytest.mark.parametrize("count", [-2, 0, 1, 2, 5])
@pytest.mark.parametrize("constant", [True, False])
def test_loop(engine: ModuleType, bench: Bench, count: int, constant: bool) -> None:
    p = bench.p
    with p.thread("t"):
        times = p.register(count)
        with p.loop(count if constant else times):
            p.advance(2)
            bench.mark(0)
        bench.mark(times)
    # The count itself is not changed.
    turns = max(count, 0)
    assert marks(bench.run(engine)) == [*((2 * n, 0) for n in range(1, turns + 1)), (2 * turns, count)]


def test_nested_loops(engine: ModuleType, bench: Bench) -> None:
    p = bench.p
    with p.thread("t"):
        outer = p.register(0)
        with p.loop(3):
            p.let(outer, "ADD", outer, 1)
            with p.loop(outer):
                p.advance(1)
            bench.mark(outer)
    assert marks(bench.run(engine)) == [(1, 1), (3, 2), (6, 3)]


@pytest.mark.parametrize(
    ("comparison", "holds"),
    [
        ("==", (0, 1, 0)),
        ("!=", (1, 0, 1)),
        ("<", (1, 0, 0)),
        ("<=", (1, 1, 0)),
        (">", (0, 0, 1)),
        (">=", (0, 1, 1)),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_when(engine: ModuleType, bench: Bench, comparison: str, holds: tuple[int, ...], constant: bool) -> None:
    p = bench.p
    with p.thread("t"):
        value, four = p.register(3), p.register(4)
        for bit in (1, 2, 4):
            with p.when(value, comparison, 4 if constant else four):
                bench.mark(bit)
            p.let(value, "ADD", value, 1)
    # The value is 3, 4, 5 in turn.
    expected = [bit for bit, yes in zip((1, 2, 4), holds, strict=True) if yes]
    assert [value for _, value in marks(bench.run(engine))] == expected


MOST, LEAST = 2**63 - 1, -(2**63)


@pytest.mark.parametrize(
    ("function", "a", "b", "value"),
    [
        ("SET", LEAST, 0, LEAST), ("ADD", 7, -9, -2), ("SUB", 7, -9, 16), ("MUL", 7, -9, -63),
        ("DIV", 7, 2, 3), ("DIV", -7, 2, -4), ("DIV", 7, -2, -4), ("DIV", -7, -2, 3), ("DIV", LEAST, 1, LEAST),
        ("MOD", 7, 3, 1), ("MOD", -7, 3, 2), ("MOD", 7, -3, -2), ("MOD", -7, -3, -1), ("MOD", LEAST, -1, 0),
        ("MIN", 3, -4, -4), ("MAX", 3, -4, 3), ("SINCE", 0, 0, 5), ("SINCE", 9, 0, -4), ("SINCE", -3, 0, 8),
        ("ADD", MOST, LEAST, -1), ("ADD", MOST, 0, MOST), ("SUB", -1, LEAST, MOST), ("SUB", LEAST, LEAST, 0),
        ("MUL", 2**32, -(2**31), LEAST), ("MUL", 3037000499, 3037000499, 3037000499**2), ("MUL", 0, LEAST, 0),
        ("MUL", LEAST, 1, LEAST), ("MUL", -MOST, -1, MOST), ("DIV", MOST, -1, -MOST),
        ("ADD", MOST, 1, None), ("ADD", LEAST, -1, None), ("ADD", LEAST, LEAST, None), ("SUB", LEAST, 1, None),
        ("SUB", 0, LEAST, None), ("SUB", MOST, -1, None), ("MUL", 2**32, 2**31, None), ("MUL", LEAST, -1, None),
        ("MUL", -1, LEAST, None), ("MUL", 3037000500, 3037000500, None), ("MUL", LEAST, 2, None),
        ("MUL", 3, -(2**62), None), ("MUL", -(2**62), 3, None), ("MUL", 2**62, 4, None), ("MUL", 2**33, 2**33, None),
        ("DIV", 1, 0, None), ("MOD", 1, 0, None), ("DIV", LEAST, -1, None), ("SINCE", LEAST, 0, None),
        ("SINCE", LEAST + 5, 0, None), ("SINCE", LEAST + 6, 0, MOST),
    ],
)  # fmt: skip
def test_let(engine: ModuleType, bench: Bench, function: str, a: int, b: int, value: int | None) -> None:
    p = bench.p
    with p.thread("t"):
        p.advance(5)
        first, second = (whole(p, number) for number in (a, b))
        at = p.register(11)
        p.let(at, function, first, second)
        bench.mark(at)
    run = bench.run(engine)
    if value is None:
        assert run.status == Status.OVERFLOW
        assert len(run.marks) == 0
    else:
        assert marks(run) == [(5, value)]


def whole(p: Builder, value: int) -> object:
    """A register with any 64-bit value, of which a constant is given at most 2**62 in size."""
    part = max(min(value, 2**62), -(2**62))
    register = p.register(part)
    while value != part:
        step = max(min(value - part, 2**62), -(2**62))
        p.let(register, "ADD", register, step)
        part += step
    return register


def test_let_of_constants_and_of_itself(engine: ModuleType, bench: Bench) -> None:
    p = bench.p
    with p.thread("t"):
        r = p.register()
        bench.mark(r)
        p.let(r, "SUB", 10, 3)
        p.let(r, "MUL", r, r)
        bench.mark(r)
    assert marks(bench.run(engine)) == [(0, 0), (0, 49)]


def test_marks_of_several_kinds(engine: ModuleType) -> None:
    p = Builder()
    first, second = p.observation("first", "delivered", "B"), p.observation("second")
    with p.thread("t"):
        r = p.register(-(2**62))
        p.mark(second, r)
        p.advance(3)
        p.mark(first, 5)
        p.mark(second, 6)
    assert engine.run(p.build()).marks.tolist() == [[0, 1, -(2**62)], [3, 0, 5], [3, 1, 6]]
