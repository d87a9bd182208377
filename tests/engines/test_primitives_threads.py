"""Forks, joins and daemons against traces worked by hand, on both engines. Times in ps."""

from __future__ import annotations

from types import ModuleType

from engine_bench import Bench, marks

from simio.engines.outcome import Status, Wait


def test_fork_runs_after_its_parent_gives_way(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("parent"):
        with bench.p.fork("child"):
            bench.mark(2)
        bench.mark(1)
        bench.p.advance(1)
        bench.mark(3)
    run = bench.run(engine)
    assert marks(run) == [(0, 1), (0, 2), (1, 3)]
    assert run.threads.tolist() == [[1, 1, 1], [1, 1, 0]]


def test_fork_with_delay(engine: ModuleType, bench: Bench) -> None:
    # The child is scheduled for 4 at 0, the parent for 4 at 0 too but later in order; the child's child at 4.
    with bench.p.thread("parent"):
        with bench.p.fork("child", delay=4):
            bench.mark(1)
            with bench.p.fork("grandchild"):
                bench.mark(3)
        bench.p.advance(4)
        bench.mark(2)
    assert marks(bench.run(engine)) == [(4, 1), (4, 2), (4, 3)]


def test_join_waits_for_joined_children_only(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("parent"):
        for value, joined in ((3, True), (9, False), (5, True)):
            with bench.p.fork(f"c{value}", joined=joined):
                bench.p.advance(value)
                bench.mark(value)
        bench.p.join()
        bench.mark(0)
        bench.p.join()
        bench.mark(1)
    run = bench.run(engine)
    # The second join has nobody to wait for and costs no event.
    assert marks(run) == [(3, 3), (5, 5), (5, 0), (5, 1), (9, 9)]
    assert run.end == 9
    # Starts of four, three advances, one join.
    assert run.events == 8


def test_join_after_children_have_ended(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("parent"):
        with bench.p.fork("child", joined=True):
            bench.p.advance(2)
        bench.p.advance(5)
        bench.p.join()
        bench.mark(1)
    assert marks(bench.run(engine)) == [(5, 1)]


def test_join_does_not_wait_for_grandchildren(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("parent"):
        with bench.p.fork("child", joined=True):
            bench.p.advance(2)
            with bench.p.fork("grandchild", joined=True):
                bench.p.advance(5)
        bench.p.join()
        bench.mark(1)
    run = bench.run(engine)
    assert marks(run) == [(2, 1)]
    assert run.end == 7


def test_a_child_outlives_its_parent_and_the_next_thread_is_not_its_parent(engine: ModuleType, bench: Bench) -> None:
    # The child of a parent that ended at 0 ends at 5. From 1 to 9 another thread, which may have been given the
    # parent's place, joins its own child: it must not be woken by the stranger.
    with bench.p.thread("first"), bench.p.fork("orphan", joined=True):
        bench.p.advance(5)
        bench.mark(1)
    with bench.p.thread("second"):
        bench.p.advance(1)
        with bench.p.fork("third"):
            with bench.p.fork("fourth", joined=True):
                bench.p.advance(8)
            bench.p.join()
            bench.mark(2)
    assert marks(bench.run(engine)) == [(5, 1), (9, 2)]


def test_daemons_do_not_keep_the_run_alive(engine: ModuleType, bench: Bench) -> None:
    with bench.p.thread("clock", daemon=True), bench.p.forever():
        bench.p.advance(3)
        bench.mark(1)
    with bench.p.thread("work"):
        with bench.p.fork("helper", daemon=True):
            bench.p.advance(100)
        bench.p.advance(9)
        bench.mark(2)
    run = bench.run(engine)
    # At 9 the work's event, scheduled at 0, comes before the clock's, and ends the run.
    assert marks(run) == [(3, 1), (6, 1), (9, 2)]
    assert (run.status, run.end) == (Status.DONE, 9)
    # Clock (serial 0, name 0) and helper (2, 2) are left, each about to go on after its advance.
    assert run.alive.tolist() == [[0, 0, 1, Wait.READY, 0], [2, 2, 7, Wait.READY, 0]]


def test_a_child_has_a_copy_of_the_registers(engine: ModuleType, bench: Bench) -> None:
    p = bench.p
    with p.thread("parent"):
        value = p.register(1)
        with p.fork("child"):
            bench.mark(value)
            p.let(value, "SET", 7)
            p.advance(2)
            bench.mark(value)
        p.let(value, "SET", 2)
        p.advance(1)
        bench.mark(value)
        p.advance(3)
        bench.mark(value)
    # The copy is made at the fork: the child sees 1 though its parent has set 2 before it runs.
    assert marks(bench.run(engine)) == [(0, 1), (1, 2), (2, 7), (4, 2)]


def test_threads_of_one_start_have_registers_of_their_own(engine: ModuleType, bench: Bench) -> None:
    p = bench.p
    with p.thread("t", count=2):
        value = p.register()
        with p.loop(2):
            p.let(value, "ADD", value, 1)
            bench.mark(value)
            p.advance(1)
    assert marks(bench.run(engine)) == [(0, 1), (0, 1), (1, 2), (1, 2)]


def test_what_a_daemon_starts_is_a_daemon(engine: ModuleType, bench: Bench) -> None:
    # The child of the clock would run until 30; the worker's own child does, until 12.
    p = bench.p
    with p.thread("clock", daemon=True):
        with p.fork("tick"):
            p.advance(30)
            bench.mark(1)
        p.advance(50)
    with p.thread("worker"):
        p.advance(5)
        with p.fork("child"):
            p.advance(7)
            bench.mark(2)
    assert marks(bench.run(engine)) == [(12, 2)]
