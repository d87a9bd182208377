"""From outcomes to numbers: spans, uses, levels and limits of small programs worked by hand."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest

from simio.engines import reference
from simio.engines.outcome import Options
from simio.machines import variable
from simio.program.builder import Builder
from simio.result import measure, usage
from simio.result.limiter import Evidence, limiter
from simio.result.model import ResourceUse, ThreadUse, Throughput
from simio.result.recorded import Timeline
from simio.result.timeline import timeline

US = 1_000_000


def pipeline(first: int, rest: int, count: int):
    """A delivery of 100 bytes after `first` us and then one every `rest` us, with a server busy half the time."""
    p = Builder()
    server, buffer = p.resource("server", 2), p.container("buffer", 10, 4)
    done = p.observation("done", "delivered", "bytes")
    wait = p.observation("wait", "latency", "ps")
    with p.thread("work"):
        p.advance(first * US - rest * US)
        with p.loop(count):
            with p.hold(server):
                p.advance(rest * US // 2)
            p.get(buffer, 4)
            p.advance(rest * US // 2)
            p.put(buffer, 4)
            p.mark(done, 100)
            p.mark(wait, rest)
    program = p.build()
    return program, reference.run(program)


def test_the_span_runs_from_a_delivery_to_the_last_one():
    program, outcome = pipeline(first=50, rest=10, count=20)
    span = measure.throughput(program, outcome, "auto")
    # The first delivery took 50 us and is cut; the span begins with it and holds the nineteen others.
    assert span == Throughput(1900, 50 * US, 240 * US, 19)
    assert span.rate == Fraction(100 * 10**12, 10 * US)


def test_no_warm_up_measures_everything_from_the_start():
    program, outcome = pipeline(first=50, rest=10, count=20)
    assert measure.throughput(program, outcome, 0) == Throughput(2000, 0, 240 * US, 20)


def test_a_given_warm_up_starts_at_the_next_delivery():
    program, outcome = pipeline(first=50, rest=10, count=20)
    assert measure.throughput(program, outcome, 101 * US) == Throughput(1300, 110 * US, 240 * US, 13)


def test_a_warm_up_beyond_the_last_delivery_measures_the_whole_run():
    program, outcome = pipeline(first=50, rest=10, count=20)
    assert measure.throughput(program, outcome, 500 * US).amount == 2000


def copying(begins: int, until: int | None = None):
    """A program that says at `begins` us that it begins, and delivers 100 bytes 10, 20, … 100 us later."""
    p = Builder()
    begun, done = p.observation("begun", "begun", "bytes"), p.observation("done", "delivered", "bytes")
    with p.thread("early"):
        p.mark(done, 0)
    with p.thread("work"):
        p.advance(begins * US)
        p.mark(begun, 0)
        p.mark(done, 0)
        with p.loop(10):
            p.advance(10 * US)
            p.mark(done, 100)
    program = p.build()
    return program, reference.run(program, Options(until=until * US) if until else Options())


@pytest.mark.parametrize("warm", ["auto", 0])
def test_a_program_that_says_when_it_begins_is_measured_from_there(warm: str | int):
    span = measure.throughput(*copying(begins=500), warm)
    assert span == Throughput(1000, 500 * US, 600 * US, 10)
    assert measure.observations(*copying(begins=500), span) == ()


def test_a_given_warm_up_goes_before_what_a_program_says():
    assert measure.throughput(*copying(begins=500), 555 * US) == Throughput(400, 560 * US, 600 * US, 4)


def test_nothing_delivered_is_a_rate_of_zero():
    program, _ = pipeline(first=50, rest=10, count=20)
    outcome = reference.run(program, Options(until=20 * US))
    assert measure.throughput(program, outcome, "auto").rate == 0


def batches(until: int | None = None):
    """Two streams in step: 100 bytes every 10 us by one, 400 bytes every 40 us by the other, 4 times."""
    p = Builder()
    for name, size in (("small", 100), ("large", 400)):
        done = p.observation(name, "delivered", "bytes")
        with p.thread(name), p.loop(1600 // size):
            p.advance(size * US // 10)
            p.mark(done, size)
    program = p.build()
    return program, reference.run(program, Options() if until is None else Options(until=until))


def test_what_is_delivered_at_once_accrued_since_the_delivery_before():
    program, outcome = batches()
    # From 50 us on: 1100 bytes of the small ones; of the large ones 300 of the second 400, and two more.
    span = measure.throughput(program, outcome, 50 * US)
    assert span == Throughput(2200, 50 * US, 160 * US, 11)
    small, large = measure.stream_rates(program, outcome, span)
    assert (small.name, small.rate) == ("small", large.rate)
    assert small.rate == Fraction(10**7)


def test_a_run_that_is_cut_off_is_measured_up_to_where_every_stream_has_delivered():
    program, outcome = batches(until=115 * US)
    # The large stream's last delivery is at 80 us; what it has done since is not known.
    assert measure.throughput(program, outcome, 0) == Throughput(1600, 0, 80 * US, 8)


def test_a_stream_that_ended_early_does_not_end_the_span():
    p = Builder()
    for name, count in (("short", 1), ("long", 10)):
        done = p.observation(name, "delivered", "bytes")
        with p.thread(name), p.loop(count):
            p.advance(10)
            p.mark(done, 7)
    program = p.build()
    outcome = reference.run(program, Options(until=95))
    assert measure.throughput(program, outcome, 0) == Throughput(70, 0, 90, 9)


def test_records_of_marks_are_selected_once_in_the_order_of_the_run():
    program, outcome = batches()
    rows = outcome.marks[:, 1]
    for chosen in ([], [0], list(range(len(program.marks)))):
        found = outcome.records(chosen)
        assert found.tolist() == outcome.marks[[row in chosen for row in rows.tolist()]].tolist()
        assert outcome.records(chosen) is found
    times, totals = outcome.series(0)
    assert (times.tolist(), totals[-1]) == (outcome.records([0])[:, 0].tolist(), outcome.records([0])[:, 2].sum())
    assert outcome.instants([0]) is outcome.instants([0])
    for kept in (outcome.records([0])[0], *outcome.instants([0])):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 1


def test_deliveries_at_one_instant_count_as_one():
    p = Builder()
    done = p.observation("done", "delivered", "bytes")
    with p.thread("work", count=3), p.loop(2):
        p.advance(10)
        p.mark(done, 7)
    program = p.build()
    times, amounts = measure.deliveries(program, reference.run(program))
    assert times.tolist() == [10, 20]
    assert amounts.tolist() == [21, 21]


def test_use_of_resources_and_containers():
    program, outcome = pipeline(first=50, rest=10, count=20)
    span = measure.throughput(program, outcome, "auto")
    (server,) = usage.resource_use(program, outcome, span)
    # One of two units, half of the time; the timeline has a row about every microsecond.
    assert server.utilisation == pytest.approx(0.25, abs=0.01)
    assert (server.mean_line, server.longest_line, server.seizes, server.waits) == (0, 0, 20, 0)
    (buffer,) = usage.container_use(program, outcome)
    # 4 but for 20 times 5 us of 240 us, when it is empty.
    assert buffer.mean == pytest.approx(4 * (240 - 100) / 240)
    assert (buffer.lowest, buffer.highest, buffer.end, buffer.capacity) == (0, 4, 4, 10)
    (work,) = usage.thread_use(program, outcome)
    assert work.busy == 1
    (wait,) = measure.observations(program, outcome, span)
    assert (wait.count, wait.least, wait.p50, wait.most, wait.mean) == (19, 10, 10, 10, 10)


def test_timeline_adds_up():
    program, outcome = pipeline(first=50, rest=10, count=20)
    rows = timeline(program, outcome)
    assert rows.delivered[-1] <= 2000
    assert list(rows.times) == sorted(rows.times)
    spans = [after - before for before, after in zip((0, *rows.times), rows.times, strict=False)]
    busy = sum(share * span * 2 for share, span in zip(rows.resources["server"], spans, strict=True))
    assert busy == pytest.approx(20 * 5 * US, rel=0.02)


def use(name: str, share: float, lock: bool = False) -> ResourceUse:
    return ResourceUse(name, 1, lock, share, 0.0, 0, 0, 0)


def test_a_saturated_resource_limits_before_a_busy_thread():
    found = limiter(Evidence((use("link", 0.97), use("lock", 1.0, lock=True)), (ThreadUse("sender", 1, 0.99),)))
    assert (found.kind, found.name) == ("resource", "link")
    assert found.sentence == "link is busy 97.0% of the time"


def test_a_thread_that_does_one_thing_at_a_time_limits():
    found = limiter(Evidence((use("link", 0.5), use("lock", 1.0, lock=True)), (ThreadUse("sender", 1, 0.95),)))
    assert (found.kind, found.name) == ("thread", "sender")


def test_a_lock_limits_when_nothing_else_does():
    found = limiter(Evidence((use("link", 0.5), use("lock", 0.99, lock=True)), (ThreadUse("sender", 1, 0.2),)))
    assert (found.kind, found.name) == ("lock", "lock")


def test_stages_that_run_one_after_another_are_named():
    found = limiter(Evidence((use("link", 0.5), use("lock", 0.6, lock=True)), (ThreadUse("sender", 1, 0.7),)))
    assert found.kind == "none"
    assert "Busiest: sender 70%, lock 60%" in found.sentence


def test_what_machines_count_is_told_and_what_is_waited_for_most_is_the_limit():
    # variable.swap leaves 7 in the first word; the third is never touched.
    p = Builder()
    state = p.machine("window", [0, 60, 0])
    for at, (what, unit) in enumerate([("losses", "segments"), ("the window", "ps"), ("none", "ps")]):
        p.tally("a", what, state + at, unit)
    with p.thread("t"):
        seven = p.register(7)
        p.call(seven, variable.swap, state, seven, seven)
        p.advance(100)
    program = p.build()
    outcome = reference.run(program)
    found = usage.tallies(program, outcome)
    assert [(tally.name, tally.unit, tally.value) for tally in found] == [
        ("a losses", "segments", 7),
        ("a waits for the window", "ps", 60),
    ]
    limit = limiter(Evidence((), (), found, outcome.end))
    assert (limit.kind, limit.busy) == ("wait", 0.6)
    assert limit.sentence == "a waits 60.0% of the time, mostly for the window"
    assert limiter(Evidence((), (), found, 200)).kind == "none"


def test_a_timeline_is_made_when_it_is_looked_at_and_is_then_as_any_other():
    program, outcome = pipeline(first=50, rest=10, count=20)
    made = timeline(program, outcome)
    calls = []
    later = Timeline.later(lambda: calls.append(1) or made)
    assert not calls
    assert later == made
    assert len(calls) == 1
    again = pickle.loads(pickle.dumps(timeline(program, outcome)))
    assert (again, copy.deepcopy(later), repr(again)) == (made, made, repr(made))
    assert len(calls) == 1
    with pytest.raises(AttributeError):
        timeline(program, outcome).nothing  # noqa: B018
