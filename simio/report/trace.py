"""A timeline of a run in the JSON of Chrome's trace events, which Perfetto and chrome://tracing open.

Form: "Trace Event Format" (Google, 2016): complete events (`X`) with a time and a duration in microseconds, counters
(`C`) and metadata (`M`). Times are written with six digits after the point, so that each is a whole picosecond.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, chain

import numpy as np

from simio.engines.outcome import Outcome
from simio.program.steps import Op, Program
from simio.result.activity import Activity, Span
from simio.wording import lock_marked

RESOURCES, THREADS, COUNTERS = 1, 2, 3
"""Numbers of the three processes that the tracks are in."""
POINTS = 10_000
"""Most points of a counter of deliveries; of more, every second is left out until they are fewer."""
_PROCESSES = {RESOURCES: "resources", THREADS: "threads", COUNTERS: "counters"}


def chrome(activity: Activity, outcome: Outcome, about: Mapping[str, object]) -> Iterator[str]:
    """The trace as JSON, piece by piece; `about` says what ran."""
    head = json.dumps({"displayTimeUnit": "ns", "otherData": about}, ensure_ascii=True)[:-1]
    yield head + ', "traceEvents": [\n'
    before = ""
    for event in chain(_processes(), _held(activity), _passed(activity), _counters(activity, outcome)):
        yield before + event
        before = ",\n"
    yield "\n]}\n"


def _processes() -> Iterator[str]:
    for number, name in _PROCESSES.items():
        yield _metadata("process_name", number, 0, {"name": name})
        yield _metadata("process_sort_index", number, 0, {"sort_index": number})


def _metadata(what: str, process: int, track: int, values: Mapping[str, object]) -> str:
    return json.dumps({"ph": "M", "name": what, "pid": process, "tid": track, "args": values})


def _time(time: int) -> str:
    """Microseconds of ps."""
    return f"{time // 10**6}.{time % 10**6:06d}"


Labels = Mapping[tuple[int, int], str]


def _slices(process: int, labels: Labels, spans: Iterable[tuple[Span, str, str]]) -> Iterator[str]:
    """Tracks in the order of `labels`, and a slice for each span with its name and category."""
    tracks = {track: number for number, track in enumerate(labels, 1)}
    for track, number in tracks.items():
        yield _metadata("thread_name", process, number, {"name": labels[track]})
        yield _metadata("thread_sort_index", process, number, {"sort_index": number})
    for span, name, category in spans:
        yield (
            f'{{"ph": "X", "pid": {process}, "tid": {tracks[span.track, span.lane]}, "ts": {_time(span.since)}, '
            f'"dur": {_time(span.until - span.since)}, "cat": "{category}", "name": {json.dumps(name)}}}'
        )


def _held(activity: Activity) -> Iterator[str]:
    """A track for each unit of a resource that was held, with who held it."""
    program = activity.program
    spans = sorted(activity.held, key=lambda span: (span.track, span.lane, span.since))
    labels = {}
    for span in spans:
        resource = program.resources[span.track]
        unit = f" {span.lane + 1}" if resource.units > 1 else ""
        labels[span.track, span.lane] = lock_marked(f"{resource.name}{unit}", resource.lock)
    named = ((span, program.names[span.name], "service") for span in spans)
    return _slices(RESOURCES, labels, named)


def _passed(activity: Activity) -> Iterator[str]:
    """A track for each thread, or for successive threads of a name, with its work and its waits."""
    program = activity.program
    spans = sorted(activity.passed, key=lambda span: (span.track, span.lane, span.since))
    lanes: dict[int, int] = {}
    for span in spans:
        lanes[span.track] = max(lanes.get(span.track, 0), span.lane)
    labels = {
        (span.track, span.lane): program.names[span.track] + (f" {span.lane + 1}" if lanes[span.track] else "")
        for span in spans
    }
    named = ((span, *_doing(program, span)) for span in spans)
    return _slices(THREADS, labels, named)


def _doing(program: Program, span: Span) -> tuple[str, str]:
    """The name of a step that takes time, and its category: service, waiting or delay."""
    op, row = program.steps[span.step, 0], span.row
    if op == Op.ADVANCE:
        return (program.resources[span.inner].name if span.inner >= 0 else "delay"), "service"
    if op == Op.SEIZE:
        return f"waits for {program.resources[row].name}", "wait"
    if op == Op.GET:
        return f"waits for {program.containers[row].unit} in {program.containers[row].name}", "wait"
    if op == Op.PUT:
        return f"waits for room in {program.containers[row].name}", "wait"
    return "waits for its children", "wait"


# --- counters --------------------------------------------------------------------------------------------


def _counters(activity: Activity, outcome: Outcome) -> Iterator[str]:
    """Lines of resources and bytes delivered at each change; levels and windows at the rows of the timeline."""
    program = activity.program
    lines = _lines(activity)
    for row, resource in enumerate(program.resources):
        yield from _counter(f"line of {resource.name}", "threads", lines.get(row, ()))
    yield from _counter("delivered", "bytes", _delivered(activity, outcome))
    for name, unit, levels in sampled(program, outcome):
        kept = [(time, level) for time, level in levels if activity.since <= time <= activity.end]
        yield from _counter(name, unit, _changes(kept))


def sampled(program: Program, outcome: Outcome) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
    """Name, unit and (time, level) of each container and gauge that is not always the same, from the timeline."""
    times = outcome.times.tolist()
    first = 2 * len(program.resources)
    last = first + len(program.containers) + len(program.marks)
    columns = [(container.name, container.unit, first + row) for row, container in enumerate(program.containers)]
    levels = [(row, gauge) for row, gauge in enumerate(program.gauges) if not (gauge.servers or gauge.line)]
    columns += [(gauge.name, gauge.unit, last + row) for row, gauge in levels]
    for name, unit, column in columns:
        seen = outcome.samples[:, column].tolist()
        if len(set(seen)) > 1:
            yield name, unit, list(zip(times, seen, strict=True))


def _counter(name: str, unit: str, levels: Iterable[tuple[int, int]]) -> Iterator[str]:
    text = json.dumps(name)
    for time, level in levels:
        yield (
            f'{{"ph": "C", "pid": {COUNTERS}, "ts": {_time(time)}, "name": {text}, '
            f'"args": {{{json.dumps(unit)}: {level}}}}}'
        )


def _changes(levels: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The points at which a level is not what it was."""
    for at, (time, level) in enumerate(levels):
        if not at or level != levels[at - 1][1]:
            yield time, level


def _lines(activity: Activity) -> dict[int, list[tuple[int, int]]]:
    """The number of threads that wait for each resource, at each instant at which it changes."""
    seizes = activity.program.steps[:, 0] == Op.SEIZE
    found: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for span in activity.passed:
        if seizes[span.step]:
            changes = found[span.row]
            changes[span.since] += 1
            changes[span.until] -= 1
    return {row: list(_changes(_levels(changes))) for row, changes in found.items()}


def _levels(changes: Mapping[int, int]) -> list[tuple[int, int]]:
    """The sum of the changes so far, at each of their instants."""
    times = sorted(changes)
    return list(zip(times, accumulate(changes[time] for time in times), strict=True))


def _delivered(activity: Activity, outcome: Outcome) -> list[tuple[int, int]]:
    """Bytes delivered so far, at each delivery in the window."""
    rows = [row for row, mark in enumerate(activity.program.marks) if mark.role == "delivered"]
    marks = outcome.marks[np.isin(outcome.marks[:, 1], rows)]
    totals = np.cumsum(marks[:, 2])
    inside = (marks[:, 0] >= activity.since) & (marks[:, 0] <= activity.end)
    points = list(zip(marks[inside, 0].tolist(), totals[inside].tolist(), strict=True))
    while len(points) > POINTS:
        points = points[1::2]
    return points
