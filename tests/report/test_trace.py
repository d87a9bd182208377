"""The timeline of a run: the form of Chrome's trace events, and that it says the same as the result."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest

from simio.engines.compiled import run
from simio.lower import lower
from simio.observing import observe
from simio.report.trace import COUNTERS, RESOURCES, THREADS, chrome
from simio.result.activity import Activity

NETWORK = ("slac-64k-windows.yaml", "workload.ttcp.window=64 KiB", "run.until=130 ms", "run.warm_up=0 s")
DISKS = ("linux-fc-raw.yaml", "run.until=5 ms")
HIPPI = ("sgi-hippi-raw.yaml", "workload.blast.packets=2")


def traced(load: Any, scenario: tuple[str, ...], **options: Any) -> tuple[Activity, dict[str, Any]]:
    system = load(*scenario).cases[0].system
    activity, outcome = observe(system, **options)
    text = "".join(chrome(activity, outcome, {"title": "a test"}))
    return activity, json.loads(text, parse_float=Fraction)


def slices(trace: dict[str, Any], process: int) -> dict[str, list[tuple[int, int, str]]]:
    """Start and end in ps and name of the slices of each track, by its name, in the order of the file."""
    names = {
        event["tid"]: event["args"]["name"]
        for event in trace["traceEvents"]
        if event["ph"] == "M" and event["name"] == "thread_name" and event["pid"] == process
    }
    assert len(set(names.values())) == len(names)
    found = defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event["pid"] == process:
            since = event["ts"] * 10**6
            until = since + event["dur"] * 10**6
            assert since.denominator == until.denominator == 1
            found[names[event["tid"]]].append((int(since), int(until), event["name"]))
    return found


def counters(trace: dict[str, Any]) -> dict[str, list[tuple[Fraction, int]]]:
    found = defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] == "C":
            assert event["pid"] == COUNTERS
            found[event["name"]].append((event["ts"] * 10**6, *event["args"].values()))
    return found


@pytest.mark.parametrize("scenario", [NETWORK, DISKS, HIPPI], ids=lambda each: each[0])
def test_slices_of_a_track_follow_one_another(load: Any, scenario: tuple[str, ...]) -> None:
    activity, trace = traced(load, scenario)
    for process in (RESOURCES, THREADS):
        tracks = slices(trace, process)
        assert tracks
        for track, found in tracks.items():
            assert all(since < until for since, until, _ in found), track
            assert all(one[1] <= next_[0] for one, next_ in zip(found, found[1:], strict=False)), track
            assert found[0][0] >= 0
            assert found[-1][1] <= activity.end


@pytest.mark.parametrize("scenario", [NETWORK, DISKS, HIPPI], ids=lambda each: each[0])
def test_slices_add_up_to_what_the_run_says(load: Any, scenario: tuple[str, ...]) -> None:
    system = load(*scenario).cases[0].system
    activity, trace = traced(load, scenario)
    program = lower(system)
    _, outcome = observe(system, most=10**7)
    held = slices(trace, RESOURCES)
    for row, resource in enumerate(program.resources):
        tracks = [name for name in held if name.removesuffix(" (lock)").rstrip("0123456789 ") == resource.name
                  or name.removesuffix(" (lock)") == resource.name]  # fmt: skip
        busy = sum(until - since for name in tracks for since, until, _ in held[name])
        assert busy == outcome.resources[row, 0], resource.name
        waited = sum(
            span.until - span.since for span in activity.passed if program.steps[span.step].tolist()[:2] == [2, row]
        )
        assert waited == outcome.resources[row, 1], resource.name
    # An advance under way at the end counts in full there, and up to the end here.
    if outcome.status == 0:
        served = sum(
            event["dur"] * 10**6
            for event in trace["traceEvents"]
            if event["ph"] == "X" and event["pid"] == THREADS and event["cat"] == "service"
        )
        assert served == outcome.threads[:, 2].sum()


def test_counters_end_with_what_the_run_ends_with(load: Any) -> None:
    system = load(*NETWORK).cases[0].system
    _, outcome = observe(system)
    program = lower(system)
    _, trace = traced(load, NETWORK)
    found = counters(trace)
    delivered = sum(outcome.marks[outcome.marks[:, 1] == 0, 2].tolist())
    assert found["delivered"][-1][1] == delivered > 0
    for name, points in found.items():
        times = [time for time, _ in points]
        assert times == sorted(times), name
        assert len(set(times)) == len(times), name
        assert all(level >= 0 for _, level in points), name
        if name.startswith("line of "):
            row = [resource.name for resource in program.resources].index(name.removeprefix("line of "))
            assert max(level for _, level in points) <= outcome.resources[row, 4]
            assert points[-1][1] == 0 or outcome.status != 0
    windows = [name for name in found if name.endswith("congestion window")]
    assert windows
    # Slow start: the window only grows, and by no more than what was acknowledged.
    for name in windows:
        levels = [level for _, level in found[name]]
        assert levels == sorted(levels)
        assert levels[-1] <= levels[0] + delivered + 2 * 1460


@pytest.mark.parametrize("scenario", [NETWORK, DISKS, HIPPI], ids=lambda each: each[0])
def test_both_engines_tell_the_same(load: Any, scenario: tuple[str, ...]) -> None:
    system = load(*scenario).cases[0].system
    texts = ["".join(chrome(*observe(system, engine=engine), {})) for engine in ("compiled", "simpy")]
    assert texts[0] == texts[1]
    assert '"ph": "X"' in texts[0]


def test_a_window_is_what_the_whole_says_of_it(load: Any) -> None:
    since, until = 51_234_567_890, 102_345_678_901
    _, whole = traced(load, NETWORK)
    _, part = traced(load, NETWORK, since=since, until=until)
    for process in (RESOURCES, THREADS):
        clipped = sorted(
            (track.rstrip("0123456789 "), max(begin, since), min(end, until), name)
            for track, found in slices(whole, process).items()
            for begin, end, name in found
            if max(begin, since) < min(end, until)
        )
        told = sorted(
            (track.rstrip("0123456789 "), *span) for track, found in slices(part, process).items() for span in found
        )
        assert told == clipped


def test_a_limit_ends_the_trace_at_an_instant_up_to_which_it_is_whole(load: Any) -> None:
    _, whole = traced(load, NETWORK)
    activity, part = traced(load, NETWORK, most=300)
    assert activity.full
    known = slices(whole, RESOURCES)
    total = 0
    for track, found in slices(part, RESOURCES).items():
        clipped = [(begin, min(end, activity.end), name) for begin, end, name in known[track] if begin < activity.end]
        assert found == clipped, track
        total += len(found)
    assert 0 < total < 300 + 50


def test_watching_tells_every_step_in_order(load: Any) -> None:
    from simio.engines import reference
    from simio.engines.outcome import CHUNK, Options

    program = lower(load(*DISKS).cases[0].system)
    tables: dict[Any, list[Any]] = {run: [], reference.run: []}
    for engine, kept in tables.items():
        outcome = engine(program, Options(until=20 * 10**9, watch=kept.append))
        assert sum(len(table) for table in kept) == outcome.steps > CHUNK
        assert len(outcome.trace) == 0
    mine, theirs = ([table.tolist() for table in kept] for kept in tables.values())
    assert mine == theirs
