"""The waterfall: where the time of one unit of work goes, stage by stage along its path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from simio import units
from simio.description.model import Case, System, Workload
from simio.description.workloads import WorkloadParams
from simio.engines.outcome import SPENT, Aborted, Options, Outcome, Status
from simio.errors import RunError
from simio.explaining.components import alike_of, together
from simio.explaining.model import Segment, Stage, Waterfall
from simio.explaining.path import Path, Stretch
from simio.lower import lower
from simio.program.steps import HORIZON, Op, Program
from simio.result import measure
from simio.result.headline import reported
from simio.result.precision import settled
from simio.running import Lowered
from simio.wording import listed

TRACED = (400_000, 1_500_000)
"""Steps that are followed at most, of a longer run its beginning; the more where the fewer hold too little."""
EACH = 40
"""Steps of a thread without which a trace holds too little."""
CROWD = 15_000
"""Threads of which the longest trace has too few steps each to hold the way of a unit."""
DELIVERIES = 40
"""Deliveries that are enough to follow."""
REQUESTS = 200
"""Requests that are followed at most, evenly over the measured span."""
SEVERAL = 1.5
"""The time of a unit, over that between two, from which several are said to be under way (Little's law)."""
MUCH = 0.5
"""A stream delivers much if it delivers this share of what the largest one does."""
_UNITS = ("frame", "object", "buffer", "block", "transfer", "size", "response")
"""Fields of workloads that say what one unit of work is, the first that there is; objects may have several sizes."""


class Traced:
    """A case run once with every step traced: what the waterfall and the account of threads are made of."""

    def __init__(self, case: Case, engine: str | None = None, lowered: Lowered | None = None) -> None:
        """`lowered` has the program of the case, if there is one already.

        Raises RunError where the case cannot be run, or not be followed.
        """
        self.case = case
        self.lowered = lowered or Lowered(lower(case.system))
        self.program = program = self.lowered.program
        if program.guests:
            raise RunError("processes written in Python are not followed step by step")
        threads = sum(start.count for start in program.starts)
        if threads > CROWD:
            raise RunError(f"{threads:,} threads are too many to follow step by step")
        run = settled(case.system.run, program, engine)
        until = HORIZON if run.until is None else run.until
        self.notes: list[str]
        for most in [each for each in TRACED if each > EACH * threads] or TRACED[-1:]:
            self.outcome = self._run(Options(until, min(run.step_budget, most), run.seed, trace=True), engine)
            if not self.notes or len(measure.deliveries(program, self.outcome)[0]) >= DELIVERIES:
                break
        self.path = Path(program, self.outcome)
        warm = run.warm_up
        if self.notes and warm not in ("auto", 0) and int(warm) >= self.outcome.end // 2:
            warm = "auto"
        self.span, _ = reported(program, self.outcome, warm, self.lowered.bound)

    def _run(self, options: Options, engine: str | None) -> Outcome:
        """The outcome of a run, or of the steps that it may take."""
        self.notes = []
        try:
            return self.lowered.execute(options, engine)
        except Aborted as error:
            if error.outcome.status not in SPENT:
                raise
            shown = units.format_quantity(error.outcome.end, "time")
            self.notes = [f"the path of a unit was followed over the first {shown} simulated"]
            return replace(error.outcome, status=Status.UNTIL)


def waterfall(case: Case, engine: str | None = None, traced: Traced | None = None) -> Waterfall:
    """Stages of the time of a unit of a case, with its first seed.

    The thread that delivers last, of those that deliver much, is followed; with several streams, a unit is one of its
    own stream. Where all loads are open, deliveries follow arrivals, and the stages are of the time of a request from
    its arrival on. Raises RunError for a case that cannot be run, that delivers nothing, or whose processes are
    written in Python.
    """
    traced = traced or Traced(case, engine)
    path, program, outcome = traced.path, traced.program, traced.outcome
    if (found := _of_requests(traced)) is not None:
        return found
    rows, amounts = _deliveries(path, program, outcome, traced.span.until)
    if len(rows) < 2:
        # A trace that is cut off may end the measured span before its stream delivers again.
        rows, amounts = _deliveries(path, program, outcome, outcome.end)
    if len(rows) < 2 or not amounts[1:].any():
        raise RunError("too little is delivered to say where the time of a unit goes")
    first = _first(path, rows, traced.span.since)
    begin, total = int(path.times[rows[first]]), int(amounts[first + 1 :].sum())
    named, size = _unit(case, int(amounts.max()), total)
    ways = list(path.follow(int(rows[-1]), begin))
    count = total / size
    length = int(path.times[rows[-1]]) - begin
    segments = _segments(path, rows, amounts, first, size)
    return Waterfall(
        unit=size,
        named=named,
        units=round(count),
        period=length / count,
        thread=path.thread(int(path.serials[rows[-1]])),
        stages=tuple(_stages(case.system, ways, segments, count)),
        segments=tuple(segments),
        notes=tuple(traced.notes),
        took=_took(traced, named, length / count),
    )


def _took(traced: Traced, named: str, period: float) -> float:
    """Mean time in ps of a unit of the workload that `named` ends with, where several are under way; else 0."""
    workload = named.partition(" of ")[2]
    timed = [
        number
        for number, mark in enumerate(traced.program.marks)
        if mark.role == "latency" and mark.name.partition(": ")[0] == workload
    ]
    marks, span = traced.outcome.marks, traced.span
    inside = (marks[:, 0] > span.since) & (marks[:, 0] <= span.until) & np.isin(marks[:, 1], timed)
    mean = float(marks[inside, 2].mean()) if inside.any() else 0.0
    return mean if mean > SEVERAL * period else 0.0


def _of_requests(traced: Traced) -> Waterfall | None:
    """Stages of the time of a request of the load that has most, from its arrival; None where not all are open."""
    path, program, outcome, span = traced.path, traced.program, traced.outcome, traced.span
    if (
        not program.loads
        or len(program.loads) < len(program.workloads)
        or any(not load.rate for load in program.loads)
    ):
        return None
    recorded = np.flatnonzero(path.ops == Op.MARK)[: len(outcome.marks)]
    marks = outcome.marks[: len(recorded)]
    inside = (marks[:, 0] > span.since) & (marks[:, 0] <= span.until)
    timed = {mark.name: number for number, mark in enumerate(program.marks) if mark.role == "latency"}
    own = {load: np.flatnonzero(inside & (marks[:, 1] == timed.get(load.served, -1))) for load in program.loads}
    load, places = max(own.items(), key=lambda item: len(item[1]))
    if not len(places):
        return None
    some = places[:: -(-len(places) // REQUESTS)].tolist()
    begun = {place: int(marks[place, 0] - marks[place, 2]) for place in some}
    ways = [way for place in some for way in path.follow(int(recorded[place]), begun[place])]
    middle = some[len(some) // 2]
    segments = _joined(list(path.follow(int(recorded[middle]), begun[middle])), begun[middle])
    number = int(np.count_nonzero(np.isin(marks[:, 1], list(timed.values())) & inside))
    named, size = _unit_of([traced.case.system.workloads[load.name]], span.amount) or (
        f"request of {load.name}",
        max(span.amount // max(number, 1), 1),
    )
    return Waterfall(
        unit=size,
        named=named,
        units=len(some),
        period=sum(int(marks[place, 2]) for place in some) / len(some),
        thread=path.thread(int(path.serials[recorded[middle]])),
        stages=tuple(_stages(traced.case.system, ways, segments, len(some))),
        segments=tuple(segments),
        notes=(*traced.notes, *_others({each.name: len(found) for each, found in own.items()}, load.name)),
    )


def _others(ended: dict[str, int], followed: str) -> list[str]:
    """A note on the loads whose requests are fewer and were not followed, and on how many of each ended."""
    others = [f"{number or 'none'} of {name}" for name, number in ended.items() if name != followed]
    if not others:
        return []
    return [
        f"only requests of {followed} were followed, the most frequent: {ended[followed]} of them ended in the part "
        f"followed that is averaged, {listed(others)}; those may spend their time elsewhere"
    ]


def _deliveries(path: Path, program: Program, outcome: Outcome, until: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows at which one stream delivers, up to an instant, and how many bytes each.

    Of the streams that deliver much, it is the one that delivers last: where a trace is cut off, a small request may
    come after the last large response.
    """
    marks = outcome.marks
    rows = np.flatnonzero(path.ops == Op.MARK)[: len(marks)]
    delivers = [number for number, mark in enumerate(program.marks) if mark.role == "delivered"]
    chosen = np.isin(marks[: len(rows), 1], delivers) & (marks[: len(rows), 0] <= until)
    streams: dict[tuple[int, str], list[int]] = {}
    first: dict[int, int] = {}
    for place in np.flatnonzero(chosen):
        serial = int(path.serials[rows[place]])
        # A thread that visits several devices in turn has a stream for each: they are one.
        key = first.setdefault(int(marks[place, 1]), serial), path.thread(serial)
        streams.setdefault(key, []).append(int(place))
    if not streams:
        return rows[:0], rows[:0]
    amounts = {key: int(marks[places, 2].sum()) for key, places in streams.items()}
    much = [places for key, places in streams.items() if amounts[key] >= MUCH * max(amounts.values())]
    same = max(much, key=lambda places: places[-1])
    return rows[same], marks[same, 2]


def _first(path: Path, rows: np.ndarray, since: int) -> int:
    """The delivery to begin after: the first of the measured span, if there are enough from there."""
    found = int(np.searchsorted(path.times[rows], since))
    return max(min(found, len(rows) - 2), 0)


def _unit(case: Case, largest: int, total: int) -> tuple[str, int]:
    """The name of one unit of work, and its bytes; without a word for it, or where less than one of these is
    delivered, the largest delivery."""
    return _unit_of(case.system.workloads.values(), total) or ("delivery", largest)


def _unit_of(workloads: Iterable[Workload[WorkloadParams]], total: int) -> tuple[str, int] | None:
    """The first word for a unit of work that one of the workloads has, and its bytes, of `total` at most."""
    for workload in workloads:
        for field in _UNITS:
            size = getattr(workload.params, field, None)
            if isinstance(size, int) and size <= total:
                return f"{field} of {workload.name}", size
            if field == "object" and hasattr(workload.params, field):
                break
    return None


def _segments(path: Path, rows: np.ndarray, amounts: np.ndarray, first: int, size: int) -> list[Segment]:
    """The way of one unit about the middle of those that are delivered, joined where it goes on alike."""
    sums = np.cumsum(amounts)
    middle = (first + len(rows)) // 2
    last = max(middle, int(np.searchsorted(sums, sums[first] + size)))
    last = min(last, len(rows) - 1)
    before = max(int(np.searchsorted(sums, sums[last] - size, side="right")) - 1, 0)
    begin = int(path.times[rows[before]])
    return _joined(list(path.follow(int(rows[last]), begin)), begin)


def _joined(ways: list[Stretch], begin: int) -> list[Segment]:
    """Stretches, the last first, as segments since an instant; those that go on alike are one."""
    found: list[Segment] = []
    for way in reversed(ways):
        key = (way.where, way.what, way.kind)
        if found and (found[-1].where, found[-1].what, found[-1].kind) == key:
            found[-1] = Segment(*key, found[-1].begin, way.end - begin)
        else:
            found.append(Segment(*key, way.begin - begin, way.end - begin))
    return found


def _stages(system: System, ways: Sequence[Stretch], segments: Sequence[Segment], count: float) -> list[Stage]:
    """Times by work and place, in the order in which the one unit came by them in the mean; alike places as one."""
    alike = alike_of(system)
    names: dict[Hashable, list[str]] = {}
    times: dict[Hashable, int] = {}
    kinds: dict[Hashable, tuple[str, str]] = {}
    spent: Counter[tuple[str, str, str]] = Counter()
    for way in ways:
        spent[way.where, way.what, way.kind] += way.end - way.begin
    for (where, what, kind), time in spent.items():
        key = (alike(where), what, kind)
        kinds[key] = what, kind
        names.setdefault(key, []).append(where)
        times[key] = times.get(key, 0) + time
    places: dict[Hashable, tuple[float, float]] = {}
    for each in segments:
        key = (alike(each.where), each.what, each.kind)
        time = each.end - each.begin
        weight, sum_of = places.get(key, (0.0, 0.0))
        places[key] = (weight + time, sum_of + time * (each.begin + each.end) / 2)
    order = sorted(times, key=lambda key: places[key][1] / places[key][0] if key in places else float("inf"))
    whole = sum(times.values())
    return [
        Stage(together(sorted(set(names[key]))), *kinds[key], times[key] / count, times[key] / whole) for key in order
    ]
