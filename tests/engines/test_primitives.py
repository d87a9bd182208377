"""Time, draws and machine calls against traces worked by hand, on both engines. Times in ps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from engine_bench import Bench, marks

from simio.engines.outcome import Options, Status
from simio.machines import disk, variable
from simio.machines.disk import queue, reading
from simio.machines.door import UnknownMachineError, number_of
from simio.program.builder import Builder, ProgramError
from simio.program.steps import HORIZON, Op


def test_advance_fixed(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"):
        bench.p.advance(5)
        bench.mark(1)
        bench.p.advance(7)
        bench.mark(2)
    run = bench.run(engine)
    assert marks(run) == [(5, 1), (12, 2)]
    # Steps 0 to 4: advance, mark, advance, mark, end. Events: the start and two wake-ups.
    assert run.trace[:, :3].tolist() == [[0, 0, 0], [5, 0, 1], [5, 0, 2], [12, 0, 3], [12, 0, 4]]
    assert (run.status, run.end, run.steps, run.events) == (Status.DONE, 12, 5, 3)
    assert run.threads.tolist() == [[1, 1, 12]]
    assert len(run.alive) == 0


@pytest.mark.parametrize(
    ("fixed", "amount", "factor", "span"),
    [
        (10, 1, Fraction(1, 3), 11),  # 10 + 1/3, rounded up
        (10, 3, Fraction(1, 3), 11),  # exactly 10 + 1
        (0, 10, Fraction(7, 3), 24),  # 70/3 = 23.3...
        (1, 0, Fraction(7, 3), 1),
        (4, 5, Fraction(0), 4),
        (0, 2**40, Fraction(2**20 + 1, 2**20), 2**40 + 2**20),
        (0, 2**40 + 1, Fraction(2**20 + 1, 2**20), 2**40 + 2**20 + 2),  # the last byte takes 1 + 2**-20
        (0, 2**62, Fraction(1), 2**62),
        (0, 2**62, Fraction(2**30 - 1, 2**30), 2**62 - 2**32),
        (2**62 - 1, 2**62, Fraction(1), HORIZON),
    ],
)
@pytest.mark.parametrize("constant", [True, False])
def test_advance_rounds_up_once(
    engine: ModuleType, bench: Bench, fixed: int, amount: int, factor: Fraction, span: int, constant: bool
) -> None:
    with bench.p.thread("t"):
        bench.p.advance(fixed, amount if constant else bench.p.register(amount), factor)
        bench.mark(1)
    assert marks(bench.run(engine)) == [(span, 1)]


def test_rounding_is_once_per_step(engine: ModuleType, bench: Bench) -> None:
    # 2 * 1/2 in one step is 1; twice 1 * 1/2 is 1 + 1.
    with bench.p.thread("t"):
        one, two = bench.p.register(1), bench.p.register(2)
        bench.p.advance(0, two, Fraction(1, 2))
        bench.mark(1)
        bench.p.advance(0, one, Fraction(1, 2))
        bench.p.advance(0, one, Fraction(1, 2))
        bench.mark(2)
    assert marks(bench.run(engine)) == [(1, 1), (3, 2)]


def test_advance_by_nothing_does_not_give_way(engine: ModuleType, bench: Bench) -> None:
    # A's advance of 0 costs no event, so A marks twice before B's first step at the same instant.
    with bench.p.thread("a"):
        nothing = bench.p.register(0)
        bench.mark(1)
        bench.p.advance(0, nothing, Fraction(5))
        bench.mark(2)
    with bench.p.thread("b"):
        bench.mark(3)
    run = bench.run(engine)
    assert marks(run) == [(0, 1), (0, 2), (0, 3)]
    assert run.events == 2


def test_threads_start_in_order_and_later(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("late", start=4):
        bench.mark(1)
    with bench.p.thread("now", count=2):
        bench.mark(2)
        bench.p.advance(4)
        bench.mark(3)
    run = bench.run(engine)
    # At 4: "late" was scheduled before the two advances were.
    assert marks(run) == [(0, 2), (0, 2), (4, 1), (4, 3), (4, 3)]
    assert [serial for _, serial, *_ in run.trace.tolist()] == [1, 1, 2, 2, 0, 0, 1, 1, 2, 2]


def test_same_instant_runs_in_order_of_scheduling(engine: ModuleType, bench: Bench) -> None:
    # All meet at 6. Scheduled: A at 0, B at 1, C at 5 (by an advance of 1), D at 0 but last.
    p = bench.p
    for value, spans in ((1, [6]), (2, [1, 5]), (3, [5, 1]), (4, [6])):
        with p.thread(f"t{value}"):
            for span in spans:
                p.advance(span)
            bench.mark(value)
    assert marks(bench.run(engine)) == [(6, 1), (6, 4), (6, 2), (6, 3)]


def drawn(engine: ModuleType, seed: int, extra: bool = False) -> dict[int, list[int]]:
    p = Builder()
    seen = [p.observation(name) for name in ("uniform", "exponential", "discrete")]
    kinds = [
        p.uniform("u", -3, 3),
        p.exponential("e", 1000),
        p.discrete("d", [(10, 1), (-20, 2), (10**12, 1)]),
    ]
    with p.thread("t"), p.loop(400):
        r = p.register()
        for mark, kind in zip(seen, kinds, strict=True):
            p.draw(r, kind)
            p.mark(mark, r)
            if extra and kind is kinds[0]:
                p.draw(r, kind)
    rows = engine.run(p.build(), Options(seed=seed)).marks
    return {mark: rows[rows[:, 1] == mark, 2].tolist() for mark in range(3)}


def test_draws(engine: ModuleType) -> None:
    run = drawn(engine, seed=1)
    assert set(run[0]) == set(range(-3, 4))
    assert min(run[1]) >= 0
    # The mean of 400 exponentials of mean 1000 has a standard deviation of 50.
    assert abs(np.mean(run[1]) - 1000) < 150
    assert set(run[2]) == {10, -20, 10**12}
    # Half of 400 with a standard deviation of 10.
    assert abs(run[2].count(-20) - 200) < 40


def test_draws_depend_on_the_seed_alone(engine: ModuleType) -> None:
    assert drawn(engine, seed=5) == drawn(engine, seed=5)
    first, second = drawn(engine, seed=5), drawn(engine, seed=6)
    assert all(first[mark] != second[mark] for mark in range(3))


def test_each_distribution_has_a_stream_of_its_own(engine: ModuleType) -> None:
    # Drawing the uniform twice as often leaves the others as they were.
    plain, extra = drawn(engine, seed=5), drawn(engine, seed=5, extra=True)
    assert plain[0] != extra[0]
    assert (plain[1], plain[2]) == (extra[1], extra[2])


def test_call(engine: ModuleType) -> None:
    # A disk of one track of 10 sectors, 1000 ps a revolution. At 130 sector 5 is asked for: it comes around at 500,
    # and is read at 600. 470 ps to wait; the next sector takes 100 more. The command has the arm all along.
    p = Builder()
    seen = p.observation("seen")
    state = disk.initial([(1, 10)], (0, 0, 0), revolution=1000, heads=1, segment=4)
    p.machine("other", [1, 2, 3])
    at = p.machine("disk", state)
    assert at == 3
    with p.thread("t"):
        p.advance(130)
        tag, r = p.register(), p.register(7)
        p.call(tag, queue.enqueue, at, 5, 2 * 2)
        p.mark(seen, tag)
        p.call(r, reading.begin, at, tag)
        p.mark(seen, r)
        for count in (1, 1):
            p.call(r, reading.next_unit, at, tag, count)
            p.mark(seen, r)
        p.advance(0, r, 1)
        p.call(r, reading.begin, at, tag)
        p.mark(seen, r)
    program = p.build()
    run = engine.run(program)
    assert marks(run) == [(130, 0), (130, 2), (130, 470), (130, 570), (700, 2)]
    assert run.state[:3].tolist() == [1, 2, 3]
    # The program's own state is where it was, so that it can be run again.
    assert program.state.tolist() == [1, 2, 3, *state]


def test_a_machine_refuses(engine: ModuleType) -> None:
    p = Builder()
    at = p.machine("disk", disk.initial([(1, 10)], (0, 0, 0), revolution=1000, heads=1, segment=4))
    with p.thread("t"):
        p.advance(2)
        p.call(p.register(), queue.enqueue, at, 99, 2)
    run = engine.run(p.build())
    # Steps: advance, the call.
    assert (run.status, run.end, run.fault) == (Status.MACHINE, 2, (0, 1))


def test_an_unknown_machine_function_is_refused(engine: ModuleType) -> None:
    p = Builder()
    at = p.machine("disk", [0] * 20)
    with p.thread("t"):
        p.call(p.register(), variable.swap, at)
    program = p.build()
    steps = np.where(program.steps == number_of(variable.swap), 199, program.steps)
    with pytest.raises(UnknownMachineError, match="no machine function has number 199"):
        engine.run(replace(program, steps=steps))


def test_what_is_no_machine_function_cannot_be_called() -> None:
    p = Builder()
    at = p.machine("disk", [0] * 20)
    with pytest.raises(ProgramError, match="is no machine function; declare it with @machine"), p.thread("t"):
        p.call(p.register(), max, at)


def test_every_operation_is_met_here() -> None:
    # A new operation needs a trace worked by hand: this list is to be made longer with the tests above.
    assert [op.name for op in Op] == [
        "END", "ADVANCE", "SEIZE", "RELEASE", "PUT", "GET", "FORK", "JOIN", "JUMP", "LOOP", "BRANCH", "LET",
        "MARK", "DRAW", "CALL",
    ]  # fmt: skip
