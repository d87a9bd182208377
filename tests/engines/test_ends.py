"""Ends of a run: done, out of time, out of steps, stuck, or at fault; and what is reported then. Times in ps."""

from __future__ import annotations

from types import ModuleType

import pytest
from engine_bench import Bench, marks

from simio.engines import compiled
from simio.engines import execute as execute_module
from simio.engines.execute import execute
from simio.engines.outcome import Options, Status, Wait
from simio.errors import RunError
from simio.program.steps import HORIZON

# --- time and steps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("until", "seen"), [(0, 0), (9, 0), (10, 1), (11, 1), (19, 1)])
def test_until(engine: ModuleType, bench: Bench, until: int, seen: int) -> None:
    server, stock = bench.p.resource("server"), bench.p.container("stock", level=2)
    with bench.p.thread("t"), bench.p.hold(server), bench.p.loop(2):
        bench.p.advance(10)
        bench.mark(1)
    run = bench.run(engine, until=until)
    # Events at the limit itself still happen; the clock stops at the limit.
    assert (run.status, run.end, len(run.marks)) == (Status.UNTIL, until, seen)
    assert run.resources[0, 0] == until
    assert run.container_area == (2 * until,)
    assert run.containers[stock.number, 0] == 2
    # A span counts when it begins.
    assert run.threads.tolist() == [[1, 0, 10 * (1 + seen)]]
    assert run.alive[:, 3].tolist() == [Wait.READY]


def test_done_at_the_limit_is_done(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"):
        bench.p.advance(20)
    run = bench.run(engine, until=20)
    assert (run.status, run.end) == (Status.DONE, 20)


def test_a_thread_that_starts_after_the_limit(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t", start=21):
        bench.mark(1)
    run = bench.run(engine, until=20)
    assert (run.status, run.end, run.steps, run.events) == (Status.UNTIL, 20, 0, 0)
    assert run.alive.tolist() == [[0, 0, 0, Wait.READY, 0]]


def test_the_horizon_is_reached_but_not_passed(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"):
        bench.p.advance(HORIZON)
        bench.mark(1)
        bench.p.advance(1)
    run = bench.run(engine)
    assert marks(run) == [(HORIZON, 1)]
    assert (run.status, run.end, run.fault) == (Status.HORIZON, HORIZON, (0, 2))


@pytest.mark.parametrize("fixed", [0, 1, HORIZON])
def test_a_product_past_the_horizon(engine: ModuleType, bench: Bench, fixed: int) -> None:
    with bench.p.thread("t"):
        r = bench.p.register(2**62)
        bench.p.advance(fixed, r, 2)
    run = bench.run(engine)
    assert (run.status, run.end, run.fault) == (Status.HORIZON, 0, (0, 1))


def test_a_fork_past_the_horizon(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"):
        bench.p.advance(1)
        with bench.p.fork("child", delay=HORIZON):
            bench.mark(1)
    run = bench.run(engine)
    assert (run.status, run.end, run.fault) == (Status.HORIZON, 1, (0, 1))
    assert run.threads.tolist() == [[1, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("budget", [0, 1, 2, 3, 6, 7])
def test_budget(engine: ModuleType, bench: Bench, budget: int) -> None:
    with bench.p.thread("t"), bench.p.loop(2):
        bench.p.advance(5)
        bench.mark(1)
    # LET, then ADVANCE, MARK, LOOP twice, then END: eight steps.
    run = bench.run(engine, budget=budget)
    assert (run.status, run.steps, len(run.trace)) == (Status.BUDGET, budget, budget)
    assert run.fault == (0, [0, 1, 2, 3, 3, 3, 3, 4][budget] if budget > 3 else budget)
    assert bench.run(engine, budget=8).status == Status.DONE


def test_a_loop_without_time_ends_with_the_budget(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("t"), bench.p.forever():
        bench.mark(1)
    run = bench.run(engine, budget=10_000)
    assert (run.status, run.end, len(run.marks)) == (Status.BUDGET, 0, 5000)


# --- faults ------------------------------------------------------------------------------------------------


def test_deadlock_says_who_waits_for_what(engine: ModuleType, bench: Bench) -> None:
    p = bench.p
    first, second = p.resource("first"), p.resource("second")
    stock = p.container("other"), p.container("stock", capacity=1)
    with p.thread("a"), p.hold(first):
        p.advance(2)
        p.seize(second)
    with p.thread("b"), p.hold(second):
        p.advance(1)
        p.seize(first)
    with p.thread("eater"):
        p.get(stock[1], 1)
    with p.thread("maker", start=3):
        p.put(stock[0], 1)
        p.put(stock[1], 0)
        p.advance(1)
        p.join()
    with p.thread("parent"):
        with p.fork("child", joined=True, delay=2):
            p.get(stock[0], 5)
        p.join()
    with p.thread("idle", daemon=True):
        p.get(stock[1], 1)
    run = bench.run(engine)
    # The last to end is maker, at 4. Steps of each thread's seize, get or join, plus one: where it would go on.
    assert (run.status, run.end) == (Status.DEADLOCK, 4)
    names = ["a", "b", "eater", "maker", "parent", "child", "idle"]
    assert list(p.build().names) == names
    waits = [(names[name], wait, what) for _, name, _, wait, what in run.alive.tolist()]
    assert waits == [
        ("a", Wait.RESOURCE, 1), ("b", Wait.RESOURCE, 0), ("eater", Wait.GET, 1), ("parent", Wait.JOIN, 0),
        ("idle", Wait.GET, 1), ("child", Wait.GET, 0),
    ]  # fmt: skip
    assert run.alive[:2, 2].tolist() == [3, 8]


def test_a_put_that_nobody_makes_room_for(engine: ModuleType, bench: Bench) -> None:
    stock = bench.p.container("stock", capacity=2, level=2)
    with bench.p.thread("t"):
        bench.p.put(stock, 1)
    run = bench.run(engine)
    assert run.status == Status.DEADLOCK
    assert run.alive.tolist() == [[0, 0, 1, Wait.PUT, 0]]


def test_seizing_twice_is_a_deadlock_with_oneself(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server")
    with bench.p.thread("t"), bench.p.hold(server), bench.p.hold(server):
        bench.mark(1)
    run = bench.run(engine)
    assert (run.status, run.resources.tolist()) == (Status.DEADLOCK, [[0, 0, 2, 1, 1, 1]])


def test_daemons_alone_cannot_go_on(engine: ModuleType, bench: Bench) -> None:
    # The clock never stops, so the time limit ends what would otherwise be a deadlock.
    stock = bench.p.container("stock")
    with bench.p.thread("clock", daemon=True), bench.p.forever():
        bench.p.advance(3)
    with bench.p.thread("t"):
        bench.p.get(stock, 1)
    run = bench.run(engine, until=10)
    assert (run.status, run.end) == (Status.UNTIL, 10)


def test_releasing_what_is_not_in_use(engine: ModuleType, bench: Bench) -> None:
    server = bench.p.resource("server", units=3)
    with bench.p.thread("t"):
        bench.p.seize(server, 1)
        bench.p.advance(4)
        bench.p.release(server, 2)
    run = bench.run(engine)
    assert (run.status, run.end, run.fault) == (Status.RELEASED, 4, (0, 2))
    assert run.resources.tolist() == [[4, 0, 1, 0, 0, 1]]


@pytest.mark.parametrize("verb", ["put", "get"])
def test_more_than_a_container_ever_holds(engine: ModuleType, bench: Bench, verb: str) -> None:
    stock = bench.p.container("stock", capacity=5, level=3)
    with bench.p.thread("t"):
        r = bench.p.register(6)
        getattr(bench.p, verb)(stock, r)
    run = bench.run(engine)
    assert (run.status, run.fault) == (Status.OVERFULL, (0, 1))
    assert run.containers.tolist() == [[3, 3, 3, 0, 0, 0]]


@pytest.mark.parametrize("verb", ["put", "get", "advance"])
def test_negative_amounts(engine: ModuleType, bench: Bench, verb: str) -> None:
    stock = bench.p.container("stock", capacity=5, level=3)
    with bench.p.thread("t"):
        r = bench.p.register(-1)
        if verb == "advance":
            bench.p.advance(1, r, 1)
        else:
            getattr(bench.p, verb)(stock, r)
    run = bench.run(engine)
    assert (run.status, run.fault, run.steps) == (Status.NEGATIVE, (0, 1), 2)


def test_a_fault_names_its_thread_and_stops_the_others(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("good", count=3), bench.p.loop(9):
        bench.p.advance(2)
        bench.mark(1)
    with bench.p.thread("bad", start=5):
        r = bench.p.register(1)
        bench.p.let(r, "DIV", r, 0)
    run = bench.run(engine)
    # Marks at 2 and 4 by all three. "bad" is serial 3; its steps begin after LET, ADVANCE, MARK, LOOP, END.
    assert (run.status, run.end, run.fault, len(run.marks)) == (Status.OVERFLOW, 5, (3, 6), 6)
    assert run.alive[:, 0].tolist() == [0, 1, 2, 3]
    assert run.alive[3].tolist() == [3, 1, 6, Wait.READY, 0]


def test_more_threads_than_may_live_are_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (compiled, execute_module):
        monkeypatch.setattr(module, "THREAD_LIMIT", 70)
    with bench.p.thread("offers"), bench.p.forever(), bench.p.fork("packet"):
        bench.p.advance(10**9)
    with pytest.raises(RunError, match=r"more than 70 threads would live at 0 s \(thread 'offers', .* FORK\)"):
        execute(bench.p.build(), Options())


def test_more_threads_from_the_beginning_are_refused_before_the_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute_module, "THREAD_LIMIT", 70)
    for name, count in (("writer", 30), ("reader", 25), ("reader", 16)):
        with bench.p.thread(name, count=count):
            bench.mark(1)
    with pytest.raises(RunError, match="71 threads from the beginning, 41 of them 'reader', are too many"):
        execute(bench.p.build(), Options())
