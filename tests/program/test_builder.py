"""The builder: what it refuses, and the table it emits for small programs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from emitted import rows

from simio.engines import compiled, reference
from simio.machines import variable
from simio.machines.door import number_of
from simio.program.builder import Builder
from simio.program.steps import NO_REGISTER, Compare, Draw, Fn, Op, Region

NONE = NO_REGISTER


# --- what is emitted ---------------------------------------------------------------------------------------


def test_a_straight_thread() -> None:
    p = Builder()
    p.resource("other")
    cpu, k, m = p.resource("cpu", 2), p.container("k", 9, 4), p.observation("m")
    with p.workload("w"), p.thread("t", count=3, start=7):
        with p.hold(cpu, 2, priority=-5):
            p.advance(11)
        p.put(k, 3)
        p.get(k, 2)
        p.mark(m, 42)
        p.join()
    program = p.build()
    assert rows(program) == [
        (Op.SEIZE, 1, 2, -5), (Op.ADVANCE, 11, NONE, 0, 1), (Op.RELEASE, 1, 2), (Op.PUT, 0, NONE, 3),
        (Op.GET, 0, NONE, 2), (Op.MARK, 0, NONE, 42), (Op.JOIN,), (Op.END,),
    ]  # fmt: skip
    start = program.starts[0]
    assert (start.name, start.entry, start.time, start.count) == ("t", 0, 7, 3)
    assert (start.daemon, start.workload) == (False, 0)
    assert (program.names, program.workloads, program.bodies) == (("t",), ("w",), ((0, 8, 0),))
    assert program.steps.dtype == np.int64
    assert not program.random


@pytest.mark.parametrize(
    "factor",
    [
        Fraction(2**31 + 1, 2**31), Fraction(260217734375, 113481984), Fraction(1, 10**40), Fraction(2**62 - 1, 3),
        1000 + Fraction(1, 3**50), Fraction(10**12, 217_350_001) - Fraction(10**12, 1_013_700_003),
    ],
)  # fmt: skip
def test_a_factor_of_many_digits_is_rounded_up_to_what_fits(factor: Fraction) -> None:
    p = Builder()
    with p.thread("t"):
        p.advance(0, p.register(), factor)
    _, _, _, numerator, denominator = rows(p.build())[0]
    rounded = Fraction(numerator, denominator)
    assert numerator * denominator < 2**62
    assert factor <= rounded < factor + max(factor, 1) / 10**9


def test_advance_is_folded_where_it_can_be() -> None:
    p = Builder()
    with p.thread("t"):
        r = p.register()
        p.advance(0)
        p.advance(0, 0, Fraction(7, 3))
        p.advance(2, 10, Fraction(7, 3))
        p.advance(2, r, Fraction(6, 4))
        p.advance(0, r, 5)
    # 2 + ceil(70/3) = 26; nothing at all where no time can pass; fractions in lowest terms.
    advances = [(26, NONE, 0, 1), (2, 0, 3, 2), (0, 0, 5, 1)]
    assert rows(p.build()) == [*((Op.ADVANCE, *operands) for operands in advances), (Op.END,)]


def test_loops() -> None:
    p = Builder()
    with p.thread("t"):
        r = p.register(4)
        with p.loop(3):
            p.advance(1)
        with p.loop(1):
            p.advance(2)
        with p.loop(0):
            p.advance(3)
        with p.loop(r):
            p.advance(4)
    program = p.build()
    assert rows(program) == [
        (Op.LET, 0, Fn.SET, NONE, 4, NONE, 0),
        (Op.LET, 1, Fn.SET, NONE, 3, NONE, 0), (Op.ADVANCE, 1, NONE, 0, 1), (Op.LOOP, 1, 2),
        (Op.ADVANCE, 2, NONE, 0, 1),
        (Op.LET, 1, Fn.SET, NONE, 0, NONE, 0), (Op.BRANCH, Compare.LE, 1, NONE, 0, 9), (Op.ADVANCE, 3, NONE, 0, 1),
        (Op.LOOP, 1, 7),
        (Op.LET, 1, Fn.SET, 0, 0, NONE, 0), (Op.BRANCH, Compare.LE, 1, NONE, 0, 13), (Op.ADVANCE, 4, NONE, 0, 1),
        (Op.LOOP, 1, 11),
        (Op.END,),
    ]  # fmt: skip
    assert program.registers == 2
    assert program.regions == (Region(2, 4, 3), Region(7, 9, 0), Region(11, 13, 0))


def test_forever_and_when() -> None:
    p = Builder()
    with p.thread("t"), p.forever():
        r = p.register()
        with p.when(r, "<", 3):
            p.advance(1)
        with p.when(r, "==", r):
            p.advance(2)
    # The branch goes around the body, on the opposite comparison.
    assert rows(p.build()) == [
        (Op.BRANCH, Compare.GE, 0, NONE, 3, 2), (Op.ADVANCE, 1, NONE, 0, 1),
        (Op.BRANCH, Compare.NE, 0, 0, 0, 4), (Op.ADVANCE, 2, NONE, 0, 1),
        (Op.JUMP, 0), (Op.END,),
    ]  # fmt: skip


def test_until_runs_its_body_first_and_leaves_when_the_comparison_holds() -> None:
    p = Builder()
    with p.thread("t"):
        r = p.register(0)
        with p.until(r, ">=", 3):
            p.let(r, "ADD", r, 1)
    program = p.build()
    assert rows(program) == [
        (Op.LET, 0, Fn.SET, NONE, 0, NONE, 0), (Op.LET, 0, Fn.ADD, 0, 0, NONE, 1),
        (Op.BRANCH, Compare.LT, 0, NONE, 3, 1), (Op.END,),
    ]  # fmt: skip
    assert program.regions == (Region(1, 3, 1),)


def test_bits_in_common() -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        bits = p.register(0b101)
        other = p.register(0b010)
        for bit in (1, 2, 4):
            with p.when(bits, "&", bit):
                p.mark(seen, bit)
        with p.when(bits, "&", other):
            p.mark(seen, -1)
        with p.until(other, "&", 0b1000):
            p.let(other, "ADD", other, 3)
        p.mark(seen, other)
    program = p.build()
    branches = program.steps[program.steps[:, 0] == Op.BRANCH]
    assert branches[:, 1].tolist() == [Compare.NONE] * 5
    for engine in (reference, compiled):
        assert engine.run(program).marks[:, 2].tolist() == [1, 4, 8]


def test_forks_stand_in_place_and_are_jumped_over() -> None:
    p = Builder()
    with p.thread("t"):
        with p.fork("a", delay=5, joined=True):
            p.advance(1)
            with p.fork("b", daemon=True):
                p.advance(2)
        p.advance(3)
    program = p.build()
    assert program.names == ("t", "a", "b")
    assert rows(program) == [
        (Op.FORK, 2, 5, 1, 0, 1), (Op.JUMP, 8),
        (Op.ADVANCE, 1, NONE, 0, 1), (Op.FORK, 5, 0, 0, 1, 2), (Op.JUMP, 7),
        (Op.ADVANCE, 2, NONE, 0, 1), (Op.END,),
        (Op.END,),
        (Op.ADVANCE, 3, NONE, 0, 1), (Op.END,),
    ]  # fmt: skip
    assert set(program.bodies) == {(5, 7, 2), (2, 8, 1), (0, 10, 0)}


def test_threads_of_one_name_share_it() -> None:
    p = Builder()
    for _ in range(2):
        with p.thread("t"), p.fork("f"):
            p.advance(1)
    program = p.build()
    assert program.names == ("t", "f")
    assert [start.entry for start in program.starts] == [0, 5]


def test_draws_and_machines() -> None:
    p = Builder()
    u, e = p.uniform("u", -1, 6), p.exponential("e", 9)
    d, d2 = p.discrete("d", [(5, 1), (6, 2)]), p.discrete("d2", [(7, 4)])
    assert (p.machine("first", [1, 2, 3]), p.machine("second", [4, 5])) == (0, 3)
    with p.thread("t"):
        r, s = p.register(), p.register()
        for handle in (u, e, d, d2):
            p.draw(s, handle)
        p.call(r, variable.swap, 3, s)
    program = p.build()
    assert program.draws.tolist() == [
        [Draw.UNIFORM, -1, 6, 0], [Draw.EXPONENTIAL, 9, 0, 0], [Draw.DISCRETE, 3, 0, 2], [Draw.DISCRETE, 4, 2, 1],
    ]  # fmt: skip
    assert program.draw_table.tolist() == [[5, 1], [6, 3], [7, 4]]
    assert program.draw_names == ("u", "e", "d", "d2")
    assert (program.state.tolist(), program.machines) == ([1, 2, 3, 4, 5], (("first", 0), ("second", 3)))
    # The constant 0 stands in the step, as -1 - 0.
    assert rows(program)[4:] == [(Op.CALL, number_of(variable.swap), 3, 1, -1, 0), (Op.END,)]
    assert program.random


def test_occupancies_are_no_steps() -> None:
    p = Builder()
    w = p.window("w", 3)
    with p.thread("t"):
        p.advance(1)
        p.occupy(w, 77)
        p.advance(2)
    program = p.build()
    assert len(program.steps) == 3
    assert [(o.at, o.window, o.time) for o in program.occupancies] == [(1, 0, 77)]


def test_one_of_two_parts_runs() -> None:
    p = Builder()
    m = p.observation("m")
    with p.thread("t"):
        r = p.register(3)
        with p.loop(2):
            with p.either(r == 3) as otherwise:
                p.mark(m, 1)
                otherwise()
                p.mark(m, 2)
            r.set(r + 1)
    program = p.build()
    assert rows(program)[2:6] == [
        (Op.BRANCH, Compare.NE, 0, NONE, 3, 5),
        (Op.MARK, 0, NONE, 1),
        (Op.JUMP, 6),
        (Op.MARK, 0, NONE, 2),
    ]
    assert program.regions[:2] == (Region(3, 5, 0), Region(5, 6, 0))
    for run in (compiled.run(program), reference.run(program)):
        assert run.marks[:, 2].tolist() == [1, 2]
