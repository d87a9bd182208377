"""Words of the builder: arithmetic with registers, conditions, variables, waiting, and procedures behind threads."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.program.builder import (
    MAX_REGISTERS,
    Builder,
    Condition,
    Operand,
    ProgramError,
    Register,
    maximum,
    minimum,
    since,
)
from simio.program.demand import executions
from simio.program.service import ceil_times
from simio.program.steps import Op, Program


def lets(program: Program) -> int:
    return int((program.steps[:, 0] == Op.LET).sum())


def marks(program: Program) -> list[list[int]]:
    """Time and value of each mark, which both engines agree on."""
    first, second = (engine.run(program, Options()) for engine in (reference, compiled))
    assert first.marks.tolist() == second.marks.tolist()
    return [[time, value] for time, _, value in first.marks.tolist()]


def value_of(write: Callable[[Register, Register], Operand], a: int = 17, b: int = 5) -> tuple[int, int]:
    """Value of an expression of two registers, and the number of steps that compute it."""
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        one, two = p.register(a), p.register(b)
        p.mark(seen, write(one, two))
    program = p.build()
    return marks(program)[0][1], lets(program) - 2


@pytest.mark.parametrize(
    ("write", "value", "steps"),
    [
        (lambda a, b: a, 17, 0),
        (lambda a, b: a + b, 22, 1),
        (lambda a, b: a - b, 12, 1),
        (lambda a, b: a * b, 85, 1),
        (lambda a, b: a // b, 3, 1),
        (lambda a, b: a % b, 2, 1),
        (lambda a, b: 100 + a, 117, 1),
        (lambda a, b: 100 - a, 83, 1),
        (lambda a, b: 3 * a, 51, 1),
        (lambda a, b: 100 // a, 5, 1),
        (lambda a, b: 100 % a, 15, 1),
        (lambda a, b: (b - a) // 5, -3, 2),
        (lambda a, b: minimum(a, b) + maximum(a, b), 22, 3),
        (lambda a, b: minimum(a, 3) * maximum(3, a), 51, 3),
        (lambda a, b: (a + b) * (a - b) - a % b * 2, 260, 6),
        (lambda a, b: ceil_times(a, Fraction(1, 4)), 5, 3),
        (lambda a, b: ceil_times(a, Fraction(2)), 34, 1),
        (lambda a, b: since(a), -17, 1),
    ],
)
def test_expressions_are_computed_with_a_step_an_operator(
    write: Callable[[Register, Register], Operand], value: int, steps: int
) -> None:
    assert value_of(write) == (value, steps)


def test_constants_stay_numbers() -> None:
    assert (minimum(3, 4), maximum(3, 4), ceil_times(5, Fraction(1, 2))) == (3, 4, 3)


@pytest.mark.parametrize(
    ("write", "value"),
    [
        (lambda r, s: r + r * 2, 30),
        (lambda r, s: r * 2 + r, 30),
        (lambda r, s: (r + 1) * (r + 2), 132),
        (lambda r, s: (s + 1) - (r - s), 1),
        (lambda r, s: s - (r - s), 0),
        (lambda r, s: (r - s) - r, -5),
        (lambda r, s: maximum(r, s) - minimum(r, s), 5),
    ],
)
def test_a_register_may_be_set_to_what_depends_on_it(
    write: Callable[[Register, Register], Operand], value: int
) -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        r, s = p.register(10), p.register(5)
        r.set(write(r, s))
        p.mark(seen, r)
        p.mark(seen, s)
    assert marks(p.build()) == [[0, value], [0, 5]]


def test_expressions_may_stand_where_amounts_do() -> None:
    p = Builder()
    seen, buffer, word = p.observation("seen"), p.container("buffer"), p.variable("word", 1)
    with p.thread("t"):
        size = p.register(10)
        p.put(buffer, size * 3)
        p.get(buffer, size + 1)
        p.wait(size * 100)
        p.advance(1, size - 8, Fraction(3, 2))
        with p.loop(size // 5):
            p.mark(seen, word.increment(size - 7))
        p.mark(seen, size)
        p.get(buffer, 19)
    assert marks(p.build()) == [[1004, 1], [1004, 4], [1004, 10]]


def test_the_registers_of_expressions_are_free_again() -> None:
    p = Builder()
    with p.thread("t"):
        r = p.register(1)
        for _ in range(2 * MAX_REGISTERS):
            r.set((r + 1) * (r + 2) - (r + 3) * (r + 4))
            with p.when((r + 1) * 2 > (r + 2) * 3):
                p.wait(maximum(r * 2, 0))
    assert p.build().registers <= 5


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (lambda a, b: a == 4, True), (lambda a, b: a != 4, False), (lambda a, b: a < b, True),
        (lambda a, b: a <= 4, True), (lambda a, b: a > b, False), (lambda a, b: a >= b, False),
        (lambda a, b: a & 6, True),
        (lambda a, b: a & 3, False), (lambda a, b: a * 2 > b + 2, True), (lambda a, b: a % 3 == 1, True),
        (lambda a, b: b == a + 1, True),
    ],
)  # fmt: skip
def test_conditions(condition: Callable[[Register, Register], Condition], holds: bool) -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        a, b = p.register(4), p.register(5)
        with p.when(condition(a, b)):
            p.mark(seen, 1)
    assert bool(marks(p.build())) is holds


def test_while_looks_before_the_body_and_until_behind_it() -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        left = p.register(2)
        with p.while_(left > 0):
            left.set(left - 1)
            p.mark(seen, left)
        with p.while_(left > 0):
            p.mark(seen, 99)
        with p.until(left <= 0):
            p.mark(seen, 7)
    assert [value for _, value in marks(p.build())] == [1, 0, 7]


def test_what_the_bound_may_count_on_of_a_while() -> None:
    p = Builder()
    with p.thread("t"), p.loop(6):
        left = p.register(1)
        with p.while_(left > 0, share=Fraction(1, 2)):
            p.advance(1)
            left.set(0)
    program = p.build()
    at = program.steps[:, 0].tolist().index(Op.ADVANCE)
    assert executions(program)[at] == 3


def test_a_while_may_be_counted_on_for_more_than_once_each_time() -> None:
    p = Builder()
    with p.thread("t"), p.loop(3):
        left = p.register(2)
        with p.while_(left > 0, share=Fraction(3, 2)):
            p.advance(1)
            left.set(left - 1)
    program = p.build()
    at = program.steps[:, 0].tolist().index(Op.ADVANCE)
    assert executions(program)[at] == 4


def test_whether_a_comparison_holds_is_not_known_in_python() -> None:
    p = Builder()
    with p.thread("t"):
        a, b = p.register(), p.register()
        with pytest.raises(TypeError, match="p.when"):
            bool(a == 1)
        with pytest.raises(TypeError, match="p.when"):
            bool(a < b)
        with pytest.raises(TypeError, match="when the program runs"):
            bool(a + 1)
        with pytest.raises(TypeError):
            min(a, b)


def test_registers_are_compared_in_python_by_which_they_are() -> None:
    p = Builder()
    with p.thread("t"):
        a, b = p.register(), p.register()
    assert a == Register(0)
    assert a != b
    assert (a, b) == (Register(0), Register(1))
    assert {a, Register(0)} == {a}
    assert repr(b) == "r1"


def test_scopes_give_registers_back() -> None:
    p = Builder()
    with p.thread("t"):
        with p.scope():
            first = p.register()
        with p.scope():
            assert p.register() == first
    assert len(p.build().steps) == 1


def test_now_since_and_timed() -> None:
    p = Builder()
    seen, took = p.observation("seen"), p.observation("took", "latency", "ps")
    with p.thread("t"):
        p.advance(5)
        begun = p.now()
        p.advance(7)
        p.mark(seen, begun)
        p.mark(seen, since(begun))
        with p.timed(took):
            p.advance(11)
    assert marks(p.build()) == [[12, 5], [12, 7], [23, 11]]


@pytest.mark.parametrize(
    ("instant", "end"),
    [
        (lambda begun: 30, 30), (lambda begun: 3, 12), (lambda begun: begun + 20, 25), (lambda begun: begun + 7, 12),
        (lambda begun: begun, 12), (lambda begun: begun + begun * 3, 20), (lambda begun: begun * 4, 20),
    ],
)  # fmt: skip
def test_wait_until(instant: Callable[[Register], Operand], end: int) -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        p.advance(5)
        begun = p.now()
        p.advance(7)
        p.wait_until(instant(begun))
        p.mark(seen, begun)
    assert marks(p.build()) == [[end, 5]]


def test_waiting_for_less_than_no_time_is_refused() -> None:
    p = Builder()
    with p.thread("t"), pytest.raises(ProgramError, match="backward"):
        p.wait(-1)


def test_a_variable_is_shared() -> None:
    p = Builder()
    seen, word = p.observation("seen"), p.variable("word", 3)
    with p.thread("a"):
        for register in (
            word.load(),
            word.increment(),
            word.increment(4),
            word.swap(2),
            word.maximum(1),
            word.load(),
        ):
            p.mark(seen, register)
        word.store(40)
    with p.thread("b", start=1):
        into = p.register()
        assert word.maximum(into * 2 + 41, into=into) is into
        p.mark(seen, into)
        p.mark(seen, word.load())
    assert marks(p.build()) == [[0, 3], [0, 3], [0, 4], [0, 8], [0, 2], [0, 2], [1, 41], [1, 41]]


def test_a_variable_is_never_below_zero() -> None:
    p = Builder()
    with pytest.raises(ProgramError, match="never below zero"):
        p.variable("word", -1)
    word = p.variable("word")
    with p.thread("t"):
        word.increment(p.register(-1))
    assert reference.run(p.build()).status.name == "MACHINE"


def test_procedures_stand_behind_the_thread_that_starts_them_first() -> None:
    p = Builder(arguments=1)
    seen = p.observation("seen")

    def outer(value: Register) -> None:
        p.mark(seen, value)
        p.spawn(second, value + 1)

    def inner(value: Register) -> None:
        p.mark(seen, value)

    first, second = p.procedure("first", 1, outer), p.procedure("second", 1, inner)
    with p.thread("a"):
        with p.label("work", "place"):
            p.spawn(first, 1)
        p.advance(1)
    with p.thread("b"):
        p.spawn(second, 7)
    program = p.build()
    names = [program.names[number] for _, _, number in sorted(program.bodies)]
    assert names == ["a", "first", "second", "b"]
    ends = [end for _, end, _ in sorted(program.bodies)]
    assert [begin for begin, _, _ in sorted(program.bodies)] == [0, *ends[:-1]]
    # The label is of the steps that start the procedure, not of its own.
    assert [(label.start, label.end) for label in program.labels] == [(0, 2)]
    assert [value for _, value in marks(program)] == [1, 7, 2]


def test_a_procedure_counts_as_often_as_where_it_is_started_first() -> None:
    p = Builder(arguments=1)

    def outer(value: Register) -> None:
        with p.loop(3):
            p.spawn(second, value)

    first = p.procedure("first", 1, outer)
    second = p.procedure("second", 1, lambda value: p.advance(5))
    sometimes = p.procedure("sometimes", 1, lambda value: p.advance(7))
    with p.thread("a", count=2):
        left = p.register(1)
        with p.loop(10):
            p.spawn(first, 1)
        with p.when(left > 1):
            p.spawn(sometimes, 1)
    program = p.build()
    times = executions(program)
    spans = {span: times[at] for at, (op, span) in enumerate(program.steps[:, :2].tolist()) if op == Op.ADVANCE}
    assert spans == {5: 60, 7: 0}
