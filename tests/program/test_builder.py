"""The builder: what it refuses, and the table it emits for small programs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.machines import bus, variable
from simio.machines.door import number_of
from simio.program.builder import Builder, Handle, ProgramError, Register
from simio.program.steps import HORIZON, NO_REGISTER, UNBOUNDED, Compare, Draw, Fn, Op, Program, Region

NONE = NO_REGISTER


def rows(program: Program) -> list[tuple[int, ...]]:
    """Steps without the zeros that fill the columns."""
    width = {
        Op.END: 0, Op.ADVANCE: 4, Op.SEIZE: 3, Op.RELEASE: 2, Op.PUT: 3, Op.GET: 3, Op.FORK: 5, Op.JOIN: 0,
        Op.JUMP: 1, Op.LOOP: 2, Op.BRANCH: 5, Op.LET: 6, Op.MARK: 3, Op.DRAW: 2, Op.CALL: 5,
    }  # fmt: skip
    for row in program.steps.tolist():
        assert not any(row[1 + width[Op(row[0])] :])
    return [tuple(row[: 1 + width[Op(row[0])]]) for row in program.steps.tolist()]


# --- what is refused: declarations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda p: p.resource("r", 0), "at least one unit"),
        (lambda p: p.resource("r", -3), "at least one unit"),
        (lambda p: p.container("k", 5, 6), "cannot start at 6 of 5"),
        (lambda p: p.container("k", 5, -1), "cannot start"),
        (lambda p: p.container("k", -1), "cannot start"),
        (lambda p: p.container("k", UNBOUNDED + 1), "cannot start"),
        (lambda p: p.uniform("u", 2, 1), "cannot draw"),
        (lambda p: p.uniform("u", 0, 2**62), "cannot draw"),
        (lambda p: p.uniform("u", -(2**62), 0), "cannot draw"),
        (lambda p: p.exponential("e", -1), "mean -1"),
        (lambda p: p.exponential("e", 2**56), "cannot have mean"),
        (lambda p: p.discrete("d", []), "needs values"),
        (lambda p: p.discrete("d", [(1, 0)]), "positive weights"),
        (lambda p: p.discrete("d", [(1, 3), (2, -1)]), "positive weights"),
        (lambda p: p.discrete("d", [(1, 2**61), (2, 2**61)]), "below 2\\*\\*62"),
        (lambda p: (p.resource("x", 1), p.resource("x", 2)), "declared twice"),
        (lambda p: (p.resource("x", 1), p.resource("x", 1, lock=True)), "declared twice"),
        (lambda p: (p.container("x"), p.container("x", unit="frames")), "declared twice"),
        (lambda p: (p.observation("x", "latency"), p.observation("x", "other")), "declared twice"),
        (lambda p: (p.window("x", 1), p.window("x", 2)), "declared twice"),
        (lambda p: p.build(), "at least one thread"),
    ],
)
def test_declarations_that_are_refused(declare: Callable[[Builder], object], message: str) -> None:
    with pytest.raises(ProgramError, match=message):
        declare(Builder())


def test_a_name_declared_alike_is_the_same_thing() -> None:
    p = Builder()
    assert p.resource("x", 2) == p.resource("x", 2)
    assert p.container("x", 5, 1, "B") == p.container("x", 5, 1, "B")
    assert p.observation("x") == p.observation("x")
    # The same name may stand for things of different kinds.
    with p.thread("t"):
        pass
    program = p.build()
    assert (len(program.resources), len(program.containers), len(program.marks)) == (1, 1, 1)


def test_distributions_of_one_name_are_drawn_apart() -> None:
    p = Builder()
    assert p.uniform("u", 0, 1).number != p.uniform("u", 0, 1).number


def test_only_daemons_make_no_program() -> None:
    p = Builder()
    with p.thread("d", daemon=True):
        p.advance(1)
    with pytest.raises(ProgramError, match="not a daemon"):
        p.build()


# --- what is refused: steps --------------------------------------------------------------------------------


class Things:
    """A builder inside a thread, with one thing of each kind."""

    def __init__(self) -> None:
        self.p = p = Builder()
        self.r, self.k, self.m = p.resource("r", 2), p.container("k", 5), p.observation("m")
        self.u, self.w = p.uniform("u", 0, 1), p.window("w", 1)


@pytest.mark.parametrize(
    ("emit", "message"),
    [
        (lambda t: t.p.advance(-1), "backward"),
        (lambda t: t.p.advance(1, -1, 1), "backward"),
        (lambda t: t.p.advance(1, 1, -1), "backward"),
        (lambda t: t.p.advance(1, t.p.register(), Fraction(-1, 2)), "backward"),
        (lambda t: t.p.advance(HORIZON + 1), "64 bits"),
        (lambda t: t.p.advance(1, HORIZON, 1), "64 bits"),
        (lambda t: t.p.advance(1, t.p.register(), 2**62), "64 bits"),
        (lambda t: t.p.advance(1, t.p.register(), Fraction(2**63 + 1, 2)), "64 bits"),
        (lambda t: t.p.seize(t.r, 3), "cannot seize 3 of 'r', which has 2"),
        (lambda t: t.p.seize(t.r, 0), "cannot seize 0"),
        (lambda t: t.p.release(t.r, 3), "cannot release 3"),
        (lambda t: t.p.release(t.r, -1), "cannot release -1"),
        (lambda t: t.p.put(t.k, 6), "cannot put 6 bytes: 'k' holds 5 at most"),
        (lambda t: t.p.get(t.k, -1), "cannot get -1"),
        (lambda t: t.p.seize(t.k), "'k' is a container, not a resource"),
        (lambda t: t.p.put(t.r, 1), "'r' is a resource, not a container"),
        (lambda t: t.p.get(t.m, 1), "'m' is a mark, not a container"),
        (lambda t: t.p.mark(t.u, 1), "'u' is a distribution, not a mark"),
        (lambda t: t.p.draw(t.p.register(), t.m), "'m' is a mark, not a distribution"),
        (lambda t: t.p.occupy(t.r, 1), "'r' is a resource, not a window"),
        (lambda t: t.p.mark(t.m, 2**62 + 1), "does not fit"),
        (lambda t: t.p.let(t.p.register(), "SET", -(2**62) - 1), "does not fit"),
        (lambda t: t.p.register(2**63), "does not fit"),
        (lambda t: t.p.call(t.p.register(), variable.swap, 0, 2**63), "does not fit"),
        (lambda t: t.p.thread("inner").__enter__(), "inside another thread; use fork"),
    ],
)
def test_steps_that_are_refused(emit: Callable[[Things], object], message: str) -> None:
    things = Things()
    with things.p.thread("t"), pytest.raises(ProgramError, match=message):
        emit(things)


@pytest.mark.parametrize(
    "emit",
    [
        lambda t: t.p.advance(1), lambda t: t.p.seize(t.r), lambda t: t.p.release(t.r), lambda t: t.p.put(t.k, 1),
        lambda t: t.p.get(t.k, 1), lambda t: t.p.join(), lambda t: t.p.register(), lambda t: t.p.mark(t.m, 1),
        lambda t: t.p.draw(Register(0), t.u), lambda t: t.p.let(Register(0), "SET", 1),
        lambda t: t.p.call(Register(0), variable.swap, 0), lambda t: t.p.occupy(t.w, 1),
        lambda t: t.p.fork("f").__enter__(), lambda t: t.p.loop(3).__enter__(),
        lambda t: t.p.hold(t.r).__enter__(), lambda t: t.p.when(Register(0), "<", 1).__enter__(),
        lambda t: t.p.until(Register(0), "<", 1).__enter__(),
    ],
)  # fmt: skip
def test_steps_stand_inside_a_thread(emit: Callable[[Things], object]) -> None:
    things = Things()
    with pytest.raises(ProgramError, match="outside of any thread"):
        emit(things)
    with things.p.thread("t"):
        pass
    with pytest.raises(ProgramError, match="outside of any thread"):
        emit(things)


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


# --- registers ---------------------------------------------------------------------------------------------


def test_registers_are_free_again_after_loops_and_forks() -> None:
    p = Builder()
    with p.thread("a"):
        first = p.register()
        with p.loop(2):
            inside = p.register()
        with p.fork("f"):
            forked = p.register()
        after = p.register()
    with p.thread("b"):
        other = p.register()
    # The loop's counter is 1, so what is inside it is 2.
    assert [r.number for r in (first, inside, forked, after, other)] == [0, 2, 1, 1, 0]
    assert p.build().registers == 3


def test_nothing_inside_a_block_disturbs_what_is_outside() -> None:
    # Counters and variables of nested loops and forks all differ where they live at once.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        total = p.register(0)
        with p.loop(3):
            with p.loop(2):
                step = p.register(10)
                with p.fork("child", joined=True):
                    own = p.register(1000)
                    p.let(own, "ADD", own, total)
                    p.mark(seen, own)
                    p.let(total, "SET", -1)
                    p.let(step, "SET", -1)
                p.join()
                p.let(total, "ADD", total, step)
            one = p.register(1)
            p.let(total, "ADD", total, one)
        p.mark(seen, total)
    values: list[int] = reference.run(p.build()).marks[:, 2].tolist()
    assert values == [1000, 1010, 1021, 1031, 1042, 1052, 63]


def test_a_call_reads_its_arguments_before_it_writes() -> None:
    # The result may be one of the arguments, and constants take no register.
    p = Builder()
    at = p.machine("disk", [0] * 20)
    with p.thread("t"):
        r = p.register(1)
        p.call(r, bus.time_alone, at, r, 5)
        s = p.register(2)
    assert s.number == 1
    assert p.build().steps[1, :6].tolist() == [Op.CALL, number_of(bus.time_alone), at, 0, -6, 0]


@pytest.mark.parametrize("value", [-1, 2**62 + 1])
def test_a_call_takes_no_constant_that_does_not_fit(value: int) -> None:
    p = Builder()
    at = p.machine("swapped", [0])
    with p.thread("t"), pytest.raises(ProgramError, match=f"constant {value} does not fit"):
        p.call(p.register(), variable.swap, at, value)


def test_a_call_is_given_constants_as_they_are() -> None:
    p = Builder()
    at, seen = p.machine("swapped", [7]), p.observation("seen")
    with p.thread("t"):
        r = p.register()
        for value in (0, 2**40, 5, 0):
            p.call(r, variable.swap, at, value)
            p.mark(seen, r)
    for engine in (reference, compiled):
        assert engine.run(p.build()).marks[:, 2].tolist() == [7, 0, 2**40, 5]


def test_handles_say_what_they_are() -> None:
    p = Builder()
    assert p.resource("a") == Handle("resource", 0, "a")
    assert p.resource("b") == Handle("resource", 1, "b")
    assert p.container("b") == Handle("container", 0, "b")
    assert p.observation("m") == Handle("mark", 0, "m")
    assert p.window("w", 2) == Handle("window", 0, "w")


def test_pieces_are_the_whole_ones_and_the_rest() -> None:
    def puts(size: int, piece: int) -> list[int]:
        p = Builder()
        buffer = p.container("buffer")
        with p.thread("t"):
            for amount in p.pieces(size, piece):
                p.put(buffer, amount)
        outcome = reference.run(p.build(), Options(trace=True))
        return [outcome.containers[0, 3], *(outcome.trace[:, 2].tolist())]

    # 10 in pieces of 4: LET, then PUT 4 and LOOP twice, then PUT 2 and END.
    assert puts(10, 4) == [10, 0, 1, 2, 1, 2, 3, 4]
    # One piece or less needs no loop, and nothing at all no step but END.
    assert puts(4, 4) == [4, 0, 1]
    assert puts(3, 4) == [3, 0, 1]
    assert puts(0, 4) == [0, 0]


def test_a_procedure_is_written_once_and_given_its_values():
    p = Builder(arguments=3)
    seen = p.observation("seen")

    def body(first: Register, second: Register) -> None:
        own = p.register()
        p.let(own, "ADD", first, second)
        p.advance(own_time)
        p.mark(seen, own)

    own_time = 7
    work = p.procedure("work", 2, body)
    with p.thread("caller"):
        mine = p.register(40)
        p.spawn(work, mine, 2)
        p.spawn(work, 1, mine, delay=100, joined=True)
        p.join()
        p.mark(seen, mine)
    program = p.build()
    assert sum(step[0] == Op.ADVANCE for step in program.steps) == 1
    outcome = reference.run(program)
    assert outcome.marks.tolist() == [[7, 0, 42], [107, 0, 41], [107, 0, 40]]


def test_a_procedure_may_spawn_itself():
    p = Builder(arguments=1)
    seen = p.observation("seen")

    def body(left: Register) -> None:
        p.mark(seen, left)
        with p.when(left, ">", 0):
            p.let(left, "SUB", left, 1)
            p.spawn(count, left, delay=5)

    count = p.procedure("count", 1, body)
    with p.thread("caller"):
        p.spawn(count, 2, joined=True)
        p.join()
        p.advance(100)
    assert reference.run(p.build()).marks[:, [0, 2]].tolist() == [[0, 2], [5, 1], [10, 0]]


def test_what_a_procedure_is_given_must_fit():
    p = Builder(arguments=1)
    with pytest.raises(ProgramError, match="needs 2 arguments, and threads have 1"):
        p.procedure("work", 2, lambda a, b: None)
    one = p.procedure("work", 1, lambda a: None)
    with p.thread("caller"), pytest.raises(ProgramError, match="takes 1 values, not 2"):
        p.spawn(one, 1, 2)


def test_pieces_go_into_places_in_turn():
    # Seven and a half pieces into three places: two rounds, then the first place, and the half into the second.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        for place, amount in p.turns(75, 10, 3):
            p.mark(seen, 100 * place + amount)
    values = reference.run(p.build()).marks[:, 2].tolist()
    assert values == [10, 110, 210] * 2 + [10, 105]
