"""Both engines give the same outcome, field by field: on random programs, and where tables grow."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_programs import write

from simio.engines import compiled, outcome, reference
from simio.engines.outcome import Options, Status
from simio.program.builder import Builder
from simio.program.steps import HORIZON, Op, Program

EXAMPLES = int(os.environ.get("SIMIO_EXAMPLES", "500"))
"""Examples of each property; set it in the environment for a longer search."""

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
"""A machine's int64 arithmetic that wraps warns in Python, and is undefined in compiled code."""


@st.composite
def programs(draw: st.DrawFn) -> tuple[Program, Options]:
    return write(lambda low, high: draw(st.integers(low, high)))


def both(program: Program, options: Options | None = None) -> outcome.Outcome:
    """The outcome of the compiled engine, checked against the other's."""
    options = options or Options(trace=True)
    assert differences(program, options) == []
    return compiled.run(program, options)


def differences(program: Program, options: Options) -> list[str]:
    """Fields in which the engines differ, or the compiled one from itself where it does not stop to trace."""
    fast = compiled.run(program, options)
    bare = compiled.run(program, replace(options, trace=False))
    return fast.differences(reference.run(program, options)) + [
        f"{name} without tracing" for name in fast.differences(bare) if name != "trace"
    ]


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(programs())
@pytest.mark.slow
def test_engines_agree_on_what_hypothesis_writes(example: tuple[Program, Options]) -> None:
    program, options = example
    assert differences(program, options) == []


@pytest.mark.parametrize("batch", range(10))
def test_engines_agree_on_random_programs(batch: int) -> None:
    size = EXAMPLES
    for seed in range(batch * size, (batch + 1) * size):
        program, options = write(random.Random(seed).randint)
        assert differences(program, options) == [], f"write(random.Random({seed}).randint)"


@pytest.mark.slow
def test_random_programs_reach_every_operation_and_every_end() -> None:
    # A comparison proves nothing about what the programs never do.
    operations, ends = set(), set()
    sampled = grown = 0
    for seed in range(2000):
        program, options = write(random.Random(seed).randint)
        run = compiled.run(program, options)
        operations |= set(program.steps[run.trace[:, 2], 0].tolist())
        ends.add(run.status)
        sampled += len(run.times) > 0
        grown += len(run.trace) > 1024
    assert operations == set(Op)
    assert ends == set(Status) - {Status.RECORDS, Status.THREADS, Status.INTERRUPTED}
    assert sampled > 60
    assert grown > 6


def test_runs_leave_the_program_as_it_was() -> None:
    for seed in range(30):
        program, options = write(random.Random(seed).randint)
        before = program.steps.copy(), program.state.copy()
        first = compiled.run(program, options)
        assert compiled.run(program, options).differences(first) == []
        assert (program.steps == before[0]).all()
        assert (program.state == before[1]).all()


# --- tables that grow --------------------------------------------------------------------------------------


def test_more_threads_than_the_first_room() -> None:
    # One starting thread gets room for 64. 1000 children stand in line for one server, three times over, so that
    # the ring wraps and slots of ended threads are used again before the table grows a second time.
    p = Builder()
    server, seen = p.resource("server"), p.observation("seen")
    with p.thread("parent"), p.loop(3):
        with p.loop(1000), p.fork("child", joined=True), p.hold(server):
            p.advance(2)
            p.mark(seen, 1)
        p.join()
        with p.loop(30), p.fork("late", delay=5, joined=True):
            p.advance(1)
        p.join()
    run = both(p.build())
    # Each round: 1000 services of 2 ps one after another, then 5 ps of delay and 1 ps of work.
    assert run.end == 3 * (2000 + 6)
    assert len(run.marks) == 3000
    assert run.threads.tolist() == [[1, 1, 0], [3000, 3000, 6000], [90, 90, 90]]


def test_many_threads_waiting_for_later_times() -> None:
    # The heap grows while it is full: children forked with delays 500, 499, ... wake in the opposite order.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("parent"):
        number = p.register(0)
        for delay in range(500, 0, -1):
            with p.fork("child", delay=delay):
                p.mark(seen, number)
            p.let(number, "ADD", number, 1)
    run = both(p.build())
    assert run.marks.tolist() == [[time, 0, 500 - time] for time in range(1, 501)]


def test_more_marks_and_trace_rows_than_the_first_tables() -> None:
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        number = p.register(0)
        with p.loop(5000):
            p.mark(seen, number)
            p.let(number, "ADD", number, 1)
            p.advance(3)
    run = both(p.build())
    assert run.marks.tolist() == [[3 * n, 0, n] for n in range(5000)]
    # Two registers are set, the body of four steps runs 5000 times, and END.
    assert run.steps == len(run.trace) == 2 + 4 * 5000 + 1
    assert len(both(p.build(), Options()).trace) == 0


def test_growing_at_the_last_step_of_the_budget() -> None:
    # Mark 1025 needs a larger table; the step that asks for it is counted once.
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"):
        for _ in range(1030):
            p.mark(seen, 1)
    program = p.build()
    for budget in (1023, 1024, 1025, 1026):
        run = both(program, Options(budget=budget, trace=True))
        assert (run.status, run.steps, len(run.marks)) == (Status.BUDGET, budget, budget)


def test_a_run_in_slices_is_that_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # The loop returns after so many steps, for Ctrl-C, and goes on where it was.
    for seed in range(200):
        program, options = write(random.Random(seed).randint)
        whole = compiled.run(program, options)
        with monkeypatch.context() as patch:
            patch.setattr(compiled, "SLICE", 1 + seed % 7)
            assert whole.differences(compiled.run(program, options)) == []


def test_records_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (compiled, reference):
        monkeypatch.setattr(module, "RECORD_LIMIT", 1500)
    p = Builder()
    seen = p.observation("seen")
    with p.thread("t"), p.loop(2000):
        p.mark(seen, 7)
    run = both(p.build())
    assert run.status == Status.RECORDS
    assert len(run.marks) == 1500
    # Step 1 is the MARK: one LET, 1500 pairs of MARK and LOOP, and the MARK that is refused.
    assert run.steps == 1 + 2 * 1500 + 1
    assert run.fault == (0, 1)


@pytest.mark.parametrize("limit", [3, 64, 100, 128])
def test_threads_limit(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    for module in (compiled, reference):
        monkeypatch.setattr(module, "THREAD_LIMIT", limit)
    p = Builder()
    with p.thread("parent"):
        with p.loop(5), p.fork("short", joined=True):
            p.advance(1)
        p.join()
        with p.loop(1000), p.fork("long"):
            p.advance(1000)
    run = both(p.build())
    if limit == 3:
        # The parent and two children: the third is refused at once.
        assert (run.status, run.end, len(run.alive)) == (Status.THREADS, 0, 3)
    else:
        # Threads that have ended leave their places, each for one of the others.
        assert (run.status, run.end, len(run.alive)) == (Status.THREADS, 1, limit)
        assert run.threads.tolist()[1:] == [[5, 5, 5], [limit - 1, 0, 0]]
    assert run.fault[0] == 0
    assert run.steps == len(run.trace)
    assert both(p.build(), Options()).differences(run) == ["trace"]


def test_as_many_threads_as_may_live(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (compiled, reference):
        monkeypatch.setattr(module, "THREAD_LIMIT", 101)
    p = Builder()
    with p.thread("parent"), p.loop(10):
        with p.loop(100), p.fork("child", joined=True):
            p.advance(1)
        p.join()
    assert both(p.build()).status == Status.DONE


# --- the fast way of a thread that is next itself ----------------------------------------------------------


def test_one_thread_alone() -> None:
    p = Builder()
    with p.thread("alone"), p.loop(10_000):
        p.advance(7)
    run = both(p.build())
    assert (run.end, run.events) == (70_000, 10_001)


def test_two_threads_whose_instants_meet() -> None:
    # A advances 2, B advances 3: at every multiple of 6 both are due. B's event was scheduled first (at 6k-3
    # against 6k-2), so B marks first there.
    p = Builder()
    seen = p.observation("seen")
    for name, step in (("a", 2), ("b", 3)):
        with p.thread(name), p.loop(600 // step):
            p.advance(step)
            p.mark(seen, step)
    marks = both(p.build()).marks
    assert [row[2] for row in marks.tolist() if row[0] % 6 == 0] == [3, 2] * 100


def test_a_run_to_the_horizon() -> None:
    p = Builder()
    held = p.resource("r")
    stock = p.container("k", level=2**62)
    with p.thread("t"), p.hold(held):
        p.advance(HORIZON - 1)
        p.advance(1)
    run = both(p.build())
    assert (run.status, run.end) == (Status.DONE, HORIZON)
    assert run.container_area == (2**62 * HORIZON,)
    assert run.resources[0, 0] == HORIZON
    assert run.containers[stock.number, 0] == 2**62
