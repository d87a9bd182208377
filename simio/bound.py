"""The upper bound on throughput, from the program alone and without running it.

The work as a whole has a service demand at each station, whatever the order: at resources, at windows (credits,
media), and at each thread for its own steps. The work cannot end sooner than the longest of these demands. Only what
is certain is counted (`simio.program.demand`), so the bound holds for every run of the program (operational analysis:
P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simio.program.demand import ThreadClasses, demands, executions
from simio.program.garbage import uncollected
from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program

Need = tuple[tuple[int, Fraction], ...]
"""The numbers of the thread starts that need a limit, each with the time in ps that it needs."""


@dataclass(frozen=True)
class Limit:
    """`name` (of `kind` 'resource', 'window' or 'thread') needs `time` ps for the whole of the work."""

    name: str
    kind: str
    time: Fraction


class Station(NamedTuple):
    """A resource, window or thread of `units`, and its demands: `times` in ps of the thread starts `starts`."""

    name: str
    kind: str
    starts: tuple[int, ...]
    units: int
    times: tuple[int, ...]


@dataclass(frozen=True)
class Bound:
    """`delivered` bytes in all; the `stations`; `slack` bytes that a cut-off run may be ahead.

    `shares` are the bytes that each thread start delivers; in a run that is cut off, some may be further than others.
    """

    delivered: int
    stations: tuple[Station, ...]
    slack: int
    shares: tuple[int, ...] = ()

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, the tightest first."""
        return tuple(limit for limit, _ in self._sorted)

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """The thread starts that need each limit, in the order of `limits`."""
        return tuple(need for _, need in self._sorted)

    @cached_property
    def _sorted(self) -> list[tuple[Limit, Need]]:
        known: dict[tuple[int, int], Fraction] = {}

        def among(time: int, units: int) -> Fraction:
            # One object for equal times makes it cheap to compare limits.
            return known.get((time, units)) or known.setdefault((time, units), Fraction(time, units))

        found = []
        for name, kind, starts, units, times in self.stations:
            need = tuple((start, among(time, units)) for start, time in zip(starts, times, strict=True))
            found.append((Limit(name, kind, among(sum(times), units)), need))
        # A stable sort: of equal limits the first stays first.
        found.sort(key=lambda each: each[0].time, reverse=True)
        return found

    @cached_property
    def _first(self) -> Limit | None:
        most, best = 0, None
        units = 1
        for station in self.stations:
            total = sum(station.times)
            if total * units > most * station.units:
                most, units, best = total, station.units, station
        return Limit(best.name, best.kind, Fraction(most, units)) if best else None

    @property
    def tightest(self) -> Limit | None:
        """The limit that sets the bound, or None."""
        return self._first if self.delivered else None

    def rate(self, limit: Limit | None = None) -> Fraction | None:
        """Bytes a second that a limit (the tightest by default) allows, or None if nothing bounds the rate."""
        limit = limit or self.tightest
        return Fraction(self.delivered * SECOND) / limit.time if limit and limit.time else None

    def allows(self, delivered: int, time: int, complete: bool) -> bool:
        """Whether `delivered` bytes within `time` ps lie under the bound; a cut-off run may be `slack` ahead."""
        limit = self.tightest
        if limit is None:
            return True
        if complete:
            return delivered * limit.time <= self.delivered * time
        least = delivered - self.slack
        return all(self._without(need) >= least or self._most(time, need) >= least for need in self.needs)

    def most(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, without `slack`, if the threads that need least go first."""
        return min((self._most(time, need) for need in self.needs), default=Fraction(0))

    @cached_property
    def _all(self) -> int:
        return sum(self.shares)

    def _without(self, need: Need) -> int:
        """Bytes of the threads that do not need a limit."""
        return self._all - sum(self.shares[start] for start, _ in need)

    def _most(self, time: int, need: Need) -> Fraction:
        """As `most`, for one limit."""
        found, left = Fraction(self._without(need)), Fraction(time)
        for start, time_needed in sorted(need, key=lambda each: each[1] / max(self.shares[each[0]], 1)):
            part = min(left / time_needed, Fraction(1))
            found += part * self.shares[start]
            left -= part * time_needed
        return found


def bound(program: Program) -> Bound:
    """The bound of a program; `delivered` is 0 if the amount of work is not known beforehand."""
    with uncollected():
        times = executions(program)
        classes = demands(program, times)
        stations = (*_stations(program, classes), *_threads(program, classes))
        deliveries = _deliveries(program)
        shares = _delivered(program, classes, times, deliveries)
        return Bound(sum(shares), stations, _slack(program, classes, times, deliveries), tuple(shares))


def _stations(program: Program, classes: ThreadClasses) -> Iterator[Station]:
    """Resources and windows, each with the thread starts that need it."""
    for kind, rows in (
        ("resource", [(row.name, row.units) for row in program.resources]),
        ("window", [(row.name, row.slots) for row in program.windows]),
    ):
        times = _times(program, classes, kind)
        for row, (name, units) in enumerate(rows):
            need = sorted(times.get(row, ()))
            yield Station(name, kind, tuple(start for start, _ in need), units, tuple(time for _, time in need))


def _times(program: Program, classes: ThreadClasses, kind: str) -> dict[int, list[tuple[int, int]]]:
    """For each row of the resources or windows, the starts that need it and the time in ps that each needs."""
    found: dict[int, list[tuple[int, int]]] = {}
    for each in classes.all:
        for (row, stride), time in (each.windows if kind == "window" else each.resources).items():
            for start in each.starts if time else ():
                found.setdefault(row + stride * program.starts[start].instance, []).append((start, time))
    return found


def _threads(program: Program, classes: ThreadClasses) -> Iterator[Station]:
    """Of the starts that share a name, the one whose threads take longest by themselves."""
    class_of = {start: each for each in classes.all for start in each.starts}
    longest: dict[str, tuple[int, int, int]] = {}
    for number, start in enumerate(program.starts):
        own, count = class_of[number].own, class_of[number].count
        if start.time:
            own += start.time * count
        if start.name not in longest or own * longest[start.name][2] > longest[start.name][1] * count:
            longest[start.name] = number, own, count
    for name, (number, own, count) in longest.items():
        yield Station(name, "thread", (number,) if own else (), count, (own,) if own else ())


def _delivered(program: Program, classes: ThreadClasses, times: list[int], deliveries: list[list[int]]) -> list[int]:
    """Bytes that each start delivers in all, or causes to be delivered; all 0 if that is not known."""
    totals = [0] * len(program.starts)
    for at, register, value in deliveries:
        if register != NO_REGISTER and program.promises:
            continue
        if register != NO_REGISTER or not times[at]:
            return [0] * len(totals)
        for start in classes.of(at).starts:
            totals[start] += times[at] * value
    for promise in program.promises:
        for start in classes.of(promise.at).starts:
            totals[start] += times[promise.at] * promise.amount
    return totals


def _slack(program: Program, classes: ThreadClasses, times: list[int], deliveries: list[list[int]]) -> int:
    """Bytes of one round of every thread's outermost loop, which a cut-off run can have delivered early."""
    total = sum(promise.amount * len(classes.of(promise.at).starts) for promise in program.promises)
    rounds = _rounds(program, [at for at, register, _ in deliveries if register == NO_REGISTER])
    for at, register, value in deliveries:
        if register == NO_REGISTER:
            total += times[at] // rounds[at] * value * len(classes.of(at).starts)
    return total


def _rounds(program: Program, steps: Sequence[int]) -> dict[int, Fraction | int]:
    """The least number of times that the outermost loop or condition around each step runs it; 1 for never."""
    spans = np.array([(region.start, region.end) for region in program.regions]).reshape(-1, 2)
    # Regions are nested: of those that begin together, the widest is outermost.
    order = np.lexsort((np.arange(len(spans)), -spans[:, 1], spans[:, 0]))
    ends = spans[order, 1]
    before = np.maximum.accumulate(np.concatenate([[0], ends]))[:-1]
    outermost = order[ends > before]
    firsts = spans[outermost, 0]
    found: dict[int, Fraction | int] = {}
    for at in steps:
        place = int(np.searchsorted(firsts, at, side="right")) - 1
        around = program.regions[outermost[place]] if place >= 0 else None
        found[at] = around.least or 1 if around and at < around.end else 1
    return found


def _deliveries(program: Program) -> list[list[int]]:
    """Step, register and constant of every MARK of bytes delivered."""
    roles = [row for row, mark in enumerate(program.marks) if mark.role == "delivered"]
    at = np.flatnonzero(program.steps[:, 0] == Op.MARK)
    at = at[np.isin(program.steps[at, 1].astype(np.int64), roles)]
    return list(np.column_stack([at, program.steps[at, 2:4]]).tolist())
