"""LETs, a CALL and BRANCHes in a row, which the compiled engine does in one go: as if each were taken by itself."""

from __future__ import annotations

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options, Outcome, Status
from simio.engines.superinstructions import BRANCHES, CALLS, LETS, LOAD, LONGEST, MOST, RUN, with_superinstructions
from simio.machines import variable
from simio.program.builder import Builder
from simio.program.steps import Op, Program


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
    assert whole.steps > 2 * MOST
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


def test_long_rows_of_lets_are_several_runs() -> None:
    p = Builder()
    with p.thread("t"):
        number = p.register(0)
        for _ in range(2 * LONGEST + 5):
            p.let(number, "ADD", number, 1)
        p.mark(p.observation("seen"), number)
    program = p.build()
    # All of a row are a run of their own from where they stand, so that a branch may lead into the middle.
    table = with_superinstructions(program.steps)
    lets = table[:-2, RUN] & LETS
    assert lets.tolist() == [min(len(lets) - at, LONGEST) for at in range(len(lets))]
    assert both(program).marks[:, 2].tolist() == [2 * LONGEST + 5]


def test_a_run_goes_on_to_the_call_and_the_branch_after_its_lets() -> None:
    p = Builder()
    word = p.machine("word", [0])
    with p.thread("t"):
        old = p.register(4)
        p.let(old, "ADD", old, 1)
        p.call(old, variable.swap, word, 1)
        with p.when(old, "==", 0):
            p.advance(1)
    program = p.build()
    before = program.steps.copy()
    table = with_superinstructions(program.steps)
    # Two LETs, the CALL, the BRANCH, and two steps that begin no run.
    flags = CALLS | BRANCHES
    assert table[:, RUN].tolist() == [2 | flags, 1 | flags, flags, BRANCHES, 0, 0]
    assert (program.steps == before).all()


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
    table = with_superinstructions(program.steps)
    loads = [at for at, step in enumerate(table.tolist()) if step[0] == Op.LET and step[2] == LOAD]
    assert [Op(program.steps[at, 0]) for at in loads] == [Op.CALL]
    assert table[loads[0] - 1, RUN] & LETS == 3
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
