"""Laws that a run is held to step by step: by hand, and of engines that miscount, which are noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simio.engines import queues, reference
from simio.engines.outcome import Options, Outcome, Status
from simio.errors import RunError
from simio.program.builder import Builder
from simio.program.steps import Program
from simio.result import recount as module
from simio.result.recount import Recount, recount
from simio.result.stepwise import check_again, recounted


def queue() -> Program:
    """Three threads and a server of 10 ps: two wait 10 and 20 ps, and what each brings stays till it is taken."""
    p = Builder()
    server, shelf = p.resource("server"), p.container("shelf", 10)
    with p.thread("t", count=3):
        with p.hold(server):
            p.advance(10)
        p.put(shelf, 2)
    with p.thread("late", start=50):
        p.get(shelf, 5)
    return p.build()


def locks() -> Program:
    """Four instances of threads that start others, each with a lock of its own for two."""
    p = Builder()
    seen = p.observation("seen")
    for own in p.replicate("lock", 4):
        lock = p.resource(own)
        with p.thread(f"{own} thread"), p.loop(3), p.fork(f"{own} child"), p.hold(lock):
            p.advance(7)
            p.mark(seen, 1)
    return p.build()


def totals(counted: Recount) -> list[list[int]]:
    return [each.tolist() for each in (counted.came, counted.waited, counted.held, counted.most, counted.stays)]


def test_waits_times_and_stays_by_hand() -> None:
    counted, outcome = recount(queue(), Options())
    # Two from 10 on, two from 20, two from 30, all to the end at 50.
    assert totals(counted) == [[3], [10 + 20], [30], [1], [2 * 40 + 2 * 30 + 2 * 20]]
    assert all(not each.broken for each in recounted(queue(), outcome, counted, outcome))


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_amounts_in_registers_stay_as_long_as_others(engine: str) -> None:
    p = Builder()
    shelf = p.container("shelf", 10)
    with p.thread("t"):
        amount = p.register(3)
        p.put(shelf, amount)
        p.advance(7)
        p.let(amount, "SET", 2)
        p.get(shelf, amount)
        p.advance(5)
    counted, outcome = recount(p.build(), Options(), engine)
    assert counted.stays.tolist() == [3 * 7 + 1 * 5] == list(outcome.container_area)


def test_threads_of_one_instance_after_another_are_told_apart() -> None:
    counted, outcome = recount(locks(), Options())
    assert totals(counted)[:4] == [[3] * 4, [7 + 14] * 4, [21] * 4, [1] * 4]
    assert outcome.end == 21


@pytest.mark.parametrize("program", [queue(), locks()], ids=["queue", "locks"])
@pytest.mark.parametrize("chunk", [1, 2, 3, 5])
def test_it_does_not_matter_how_many_steps_are_told_at_a_time(
    program: Program, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = totals(recount(program, Options())[0])
    monkeypatch.setattr(reference, "CHUNK", chunk)
    assert totals(recount(program, Options(), "simpy")[0]) == whole


@pytest.mark.parametrize("until", [0, 5, 10, 15, 29, 49])
def test_a_run_that_is_cut_off_is_counted_up_to_then(until: int) -> None:
    counted, outcome = recount(queue(), Options(until=until))
    assert all(not each.broken for each in recounted(queue(), outcome, counted, outcome))
    assert counted.waited.tolist() == [2 * min(until, 10) + min(max(until - 10, 0), 10)]


@pytest.mark.parametrize("steps", range(1, 15))
def test_of_a_long_run_the_first_steps_are_counted(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEPS", steps)
    outcome = reference.run(queue(), Options())
    assert outcome.steps > 15
    counted, again = recount(queue(), Options())
    assert (again.status, again.steps) == (Status.BUDGET, steps)
    assert all(not each.broken for each in recounted(queue(), outcome, counted, again))


def test_processes_in_python_take_no_steps() -> None:
    p = Builder()
    p.resource("server")
    p.guest("guest", lambda io: iter((io.advance(5),)))
    program = p.build()
    assert check_again(program, Options(), reference.run(program)) == []


def miscounted(field: str, column: int, by: int = 1) -> Callable[[Outcome], Outcome]:
    def change(outcome: Outcome) -> Outcome:
        table = getattr(outcome, field).copy()
        table[0, column] += by
        return replace(outcome, **{field: table})

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (miscounted("resources", 1), "waits for 'server' come to 30 ps of 3, and its line to 31 of 3"),
        (miscounted("resources", 2), "waits for 'server' come to 30 ps of 3, and its line to 30 of 4"),
        (miscounted("resources", 0), "units of 'server' are held for 30 ps, 0 in the end, not for 31 and 0"),
        (miscounted("resources", 5), "units of 'server' are held for 30 ps, 0 in the end, not for 30 and 1"),
        (
            lambda o: replace(o, container_area=(181,)),
            "stays in 'shelf' come to 180 bytes ps, and its level to 181",
        ),
    ],
)
def test_an_area_that_is_miscounted_is_noticed(change: Callable[[Outcome], Outcome], told: str) -> None:
    counted, outcome = recount(queue(), Options())
    again = change(outcome)
    found = [each.broken for each in recounted(queue(), again, counted, again) if each.broken]
    assert found == [told]


def test_another_run_that_does_something_else_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = reference.run(queue(), Options())
    with pytest.raises(RunError, match="made again, the run differs in end, steps, .*: a defect in simio"):
        check_again(locks(), Options(), outcome)
    marked = reference.run(locks(), Options())
    monkeypatch.setattr(module, "STEPS", marked.steps - 1)
    with pytest.raises(RunError, match="made again, the run has other observations"):
        check_again(locks(), Options(), miscounted("marks", 0)(marked))


def test_a_timeline_that_another_run_does_not_have_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    p = Builder()
    server = p.resource("server")
    with p.thread("t"), p.loop(50), p.hold(server):
        p.advance(10**6)
    monkeypatch.setattr(module, "STEPS", 100)
    outcome = reference.run(p.build())
    assert len(check_again(p.build(), Options(), outcome)) == 5
    with pytest.raises(RunError, match="made again, the run has another timeline"):
        check_again(p.build(), Options(), miscounted("samples", 0)(outcome))


def test_steps_that_run_backward_are_noticed() -> None:
    counted, outcome = Recount(queue()), reference.run(queue(), Options(trace=True))
    counted.watch(outcome.trace[:-2])
    counted.watch(outcome.trace[-2:] - np.array([[50, 0, 0, 0]]))
    counted.finished(outcome)
    found = [each.broken for each in recounted(queue(), outcome, counted, outcome)]
    assert "a step came before the one ahead of it" in found


def test_an_engine_that_counts_areas_from_one_change_too_late_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def change(area: Any, delta: int) -> None:
        area.level += delta
        area.total += area.level * (area.env.now - area.since)
        area.since = area.env.now

    monkeypatch.setattr(queues.Area, "change", change)
    outcome = reference.run(queue(), Options())
    with pytest.raises(RunError, match="breaks the law that the area of a line is the sum of the waits"):
        check_again(queue(), Options(), outcome, "simpy")


def test_an_engine_that_serves_more_than_there_are_units_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def seize(server: queues.Server, thread: object, units: int, priority: int) -> bool:
        server.seizes += 1
        server.in_use.change(units)
        return True

    monkeypatch.setattr(queues.Server, "seize", seize)
    with pytest.raises(RunError, match="3 of 1 units of 'server' were in use at once"):
        check_again(queue(), Options(), reference.run(queue(), Options()), "simpy")
