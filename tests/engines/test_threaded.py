"""Threaded code: the compiled engine's steps go on to one another, as if each were taken by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simio.engines import compiled, reference
from simio.engines.evaluating import COMPARISONS, evaluate
from simio.engines.outcome import Options, Outcome, Status
from simio.machines import variable
from simio.program.builder import Builder
from simio.program.steps import Compare, Fn, Op, Program


def both(program: Program, budget: int = 10**6) -> Outcome:
    """The outcome of a run that is not traced, as both engines have it."""
    run = compiled.run(program, Options(budget=budget))
    assert run.differences(reference.run(program, Options(budget=budget))) == []
    return run


def calls_and_branches(rounds: int) -> Program:
    """LETs, a call with two constants and two branches that are taken now and then, again and again."""
    p = Builder()
    seen, word = p.observation("seen"), p.machine("word", [0])
    with p.thread("t"):
        total, kept = p.register(0), p.register(0)
        with p.loop(rounds):
            before, rest = p.register(), p.register()
            p.let(total, "ADD", total, 3)
            p.let(rest, "MOD", total, 4)
            p.call(before, variable.swap, word, 5)
            p.call(before, variable.swap, word, total)
            with p.when(rest, "==", 1):
                p.let(kept, "MAX", kept, before)
            with p.when(rest, "<", 2):
                p.mark(seen, kept)
            with p.fork("child"):
                p.mark(seen, rest)
            p.advance(1)
    return p.build()


def test_the_budget_ends_a_run_at_each_step() -> None:
    # The last steps of a budget are taken one by one: wherever they begin, the run stops where it has to.
    program = calls_and_branches(12)
    whole = both(program)
    for budget in range(1, whole.steps):
        run = both(program, budget)
        assert (run.status, run.steps) == (Status.BUDGET, budget)


def test_a_fault_among_lets_is_told_where_it_is() -> None:
    p = Builder()
    with p.thread("t"):
        large = p.register(2**62)
        for _ in range(3):
            p.let(large, "SUB", large, 1)
        p.let(large, "MUL", large, 4)
        p.let(large, "SET", 0)
    run = both(p.build())
    assert (run.status, run.fault, run.steps) == (Status.OVERFLOW, (0, 4), 5)


def test_a_call_that_is_refused_is_told_where_it_is() -> None:
    p = Builder()
    word = p.machine("word", [-7])
    with p.thread("t"):
        old, none = p.register(1), p.register(0)
        p.call(old, variable.swap, word, none, none)
        p.mark(p.observation("seen"), old)
    run = both(p.build())
    assert (run.status, run.fault, run.steps) == (Status.MACHINE, (0, 2), 3)


@pytest.mark.parametrize("value", [0, 1, 7, 8, 2**62, -1, -7, -8, -9, -(2**62)])
def test_powers_of_two_divide_as_any_other_number(value: int) -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        number, part = p.register(value), p.register()
        for function in ("DIV", "MOD"):
            for by in (1, 2, 8, 2**40):
                p.let(part, function, number, by)
                p.mark(seen, part)
    expected = [value // by for by in (1, 2, 8, 2**40)] + [value % by for by in (1, 2, 8, 2**40)]
    assert both(p.build()).marks[:, 2].tolist() == expected


@pytest.mark.parametrize("a", [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 3037000500])
@pytest.mark.parametrize("b", [2**31 - 1, 2**31, -(2**31), 3037000500, 2**32])
def test_products_around_half_a_word(a: int, b: int) -> None:
    p = Builder()
    with p.thread("t"):
        number, other = p.register(a), p.register(b)
        p.let(number, "MUL", number, other)
        p.mark(p.observation("seen"), number)
    run = both(p.build())
    if -(2**63) <= a * b < 2**63:
        assert run.marks[:, 2].tolist() == [a * b]
    else:
        assert (run.status, run.fault) == (Status.OVERFLOW, (0, 2))


def test_children_have_all_registers_of_their_parent() -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        registers = [p.register(number * number) for number in range(51)]
        with p.fork("child"):
            for register in registers:
                p.mark(seen, register)
    assert both(p.build()).marks[:, 2].tolist() == [number * number for number in range(51)]


def test_a_call_for_a_word_is_as_any_other() -> None:
    # The same word for two instances, between LETs that are run with it.
    p = Builder()
    seen, word = p.observation("seen"), p.machine("word", [7])
    with p.thread("t"):
        total, got, old = p.register(1), p.register(), p.register()
        with p.loop(40):
            p.let(total, "ADD", total, 2)
            p.call(got, variable.load, word)
            p.let(total, "ADD", total, got)
            p.call(old, variable.swap, word, total)
            with p.when(total % 3 == 0):
                p.mark(seen, total)
    program = p.build()
    whole = both(program)
    for budget in range(1, whole.steps, 7):
        assert both(program, budget).steps == budget


def test_a_word_below_zero_is_a_refusal() -> None:
    p = Builder()
    word = p.machine("word", [-7])
    with p.thread("t"):
        number = p.register(1)
        p.let(number, "ADD", number, 1)
        p.call(number, variable.load, word)
        p.let(number, "ADD", number, 1)
    run = both(p.build())
    assert (run.status, run.fault, run.steps) == (Status.MACHINE, (0, 2), 3)


EDGES = (0, 1, -1, 2, -2, 3, -7, 8, 2**31, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63))
"""Values at which sums, products and quotients turn, wrap or fail."""
VALUES = st.one_of(st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1), st.integers(-9, 9))
KINDS = st.tuples(st.booleans(), st.booleans())
"""Flags of the operands that are constants."""


def with_step(program: Program, at: int, *row: int) -> Program:
    """The program with another step there."""
    steps = program.steps.copy()
    steps[at, : len(row)] = row
    return replace(program, steps=steps)


def with_values(program: Program, at: int, a: int, b: int) -> Program:
    """The program whose steps from `at` on set registers 0 and 1 to these, which no builder lets be so large."""
    first = with_step(program, at, Op.LET, 0, Fn.SET, -1, a)
    return with_step(first, at + 1, Op.LET, 1, Fn.SET, -1, b)


def operands(a: int, b: int, constant: tuple[bool, bool]) -> list[int]:
    """Columns of two operands that are constants, or in registers 0 and 1."""
    return [
        column for number, value in enumerate((a, b)) for column in ((-1, value) if constant[number] else (number, 0))
    ]


@settings(max_examples=600)
@given(st.sampled_from(Fn), VALUES, VALUES, KINDS)
def test_functions_of_lets_are_those_of_python(fn: Fn, a: int, b: int, constant: tuple[bool, bool]) -> None:
    p = Builder()
    with p.thread("t"):
        p.advance(5)
        registers = p.register(0), p.register(0), p.register()
        p.let(registers[2], "ADD", registers[0], registers[1])
        p.mark(p.observation("seen"), registers[2])
    program = with_values(p.build(), 1, a, b)
    assert program.steps[3].tolist() == [Op.LET, 2, Fn.ADD, 0, 0, 1, 0, 0]
    run = both(with_step(program, 3, Op.LET, 2, fn, *operands(a, b, constant)))
    exact = evaluate(fn, a, b, 5)
    if exact is None or not -(2**63) <= exact < 2**63:
        assert (run.status, run.fault) == (Status.OVERFLOW, (0, 3))
    else:
        assert run.marks[:, 2].tolist() == [exact]


@settings(max_examples=300)
@given(st.sampled_from(Compare), VALUES, VALUES, st.booleans())
def test_comparisons_of_branches_are_those_of_python(comparison: Compare, a: int, b: int, constant: bool) -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        first, second = p.register(0), p.register(0)
        with p.when(first, "==", second):
            p.mark(seen, 1)
        p.mark(seen, 2)
    program = with_values(p.build(), 0, a, b)
    assert program.steps[2].tolist() == [Op.BRANCH, Compare.NE, 0, 1, 0, 4, 0, 0]
    run = both(with_step(program, 2, Op.BRANCH, comparison, 0, *operands(a, b, (False, constant))[2:]))
    assert run.marks[:, 2].tolist() == ([2] if COMPARISONS[comparison](a, b) else [1, 2])
