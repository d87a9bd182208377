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
from numpy.typing import NDArray

from simio.program.demand import ThreadClasses, demands, executions, repeated
from simio.program.garbage import uncollected
from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program

Need = tuple[tuple[int, Fraction], ...]
"""The numbers of the thread starts that need a limit, each with the time in ps that it needs."""


@dataclass(frozen=True)
class Limit:
    """`name` (of `kind` 'resource', 'lock', 'window' or 'thread') needs `time` ps for the whole of the work."""

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

    @property
    def need(self) -> Need:
        """The thread starts, each with the time of its demand if all units worked for it."""
        return tuple((start, Fraction(time, self.units)) for start, time in zip(self.starts, self.times, strict=True))


@dataclass(frozen=True)
class Work:
    """Bytes to be delivered, and the demands of that at the `stations`.

    `delivered` are the bytes in all, `shares` those of each thread start, and `own` the time in ps that the threads
    of each start take by themselves, with their number.
    """

    delivered: int
    stations: tuple[Station, ...]
    shares: tuple[int, ...] = ()
    own: tuple[tuple[int, int], ...] = ()

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
        """The limit that needs the longest time, or None."""
        return self._first if self.delivered else None

    def rate(self, limit: Limit | None = None) -> Fraction | None:
        """Bytes a second that a limit (the tightest by default) allows, or None if nothing bounds the rate."""
        limit = limit or self.tightest
        return Fraction(self.delivered * SECOND) / limit.time if limit and limit.time else None

    def most(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, if the threads that need least go first."""
        return min((self.most_by(time, need) for need in self.needs), default=Fraction(0))

    def most_by(self, time: int, need: Need) -> Fraction:
        """As `most`, for one limit."""
        found, left = Fraction(self.without(need)), Fraction(time)
        for start, time_needed in sorted(need, key=lambda each: each[1] / max(self.shares[each[0]], 1)):
            part = min(left / time_needed, Fraction(1))
            found += part * self.shares[start]
            left -= part * time_needed
        return found

    def without(self, need: Need) -> int:
        """Bytes of the threads that do not need a limit."""
        return self._all - sum(self.shares[start] for start, _ in need)

    def alone(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, if no thread had to wait for another."""
        rows = zip(self.shares, self.own, strict=True)
        parts = (
            share * min(Fraction(time * count, own), Fraction(1)) if own else share for share, (own, count) in rows
        )
        return Fraction(sum(parts))

    @cached_property
    def _all(self) -> int:
        return sum(self.shares)


@dataclass(frozen=True)
class Cap:
    """The most that a run can show: `rate` in bytes a second, set by `name` (of `kind` as in `Limit`)."""

    rate: Fraction
    name: str
    kind: str


@dataclass(frozen=True)
class Bound(Work):
    """The whole `Work` of a program; of that, `sustained` is done in loops, and not once.

    `slack` are the bytes that a cut-off run may be ahead: some threads may be further than others in it.
    """

    slack: int = 0
    sustained: Work = Work(0, ())

    def allows(self, delivered: int, time: int, complete: bool) -> bool:
        """Whether `delivered` bytes within `time` ps lie under the bound; a cut-off run may be `slack` ahead."""
        limit = self.tightest
        if limit is None:
            return True
        if complete:
            return delivered * limit.time <= self.delivered * time
        least = delivered - self.slack
        return all(self.without(need) >= least or self.most_by(time, need) >= least for need in self.needs)

    @property
    def whole(self) -> Cap | None:
        """The highest throughput of a run from its start to its end, or None if nothing bounds it."""
        limit, rate = self.tightest, self.rate()
        return Cap(rate, limit.name, limit.kind) if limit and rate is not None else None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Resources and windows without a demand that is certain beforehand, in the order of the program."""
        return tuple(one.name for one in self.stations if one.kind in ("resource", "window") and not sum(one.times))

    def cap(self, until: int | None = None, ahead: bool = False) -> Cap | None:
        """The highest throughput that a run can show, or None if nothing bounds it.

        A station allows the rate at which the whole work passes it, or, after what is done once, that of the work
        in loops. In a run that is cut off at `until` ps those threads may be furthest that need least; `ahead` counts
        their `slack`, too.
        """
        caps = self.caps(until, ahead) if self.tightest else ()
        return caps[0] if caps else None

    def caps(self, until: int | None = None, ahead: bool = False) -> list[Cap]:
        """The highest throughput that each station allows, the lowest first; none for what only passes it once."""
        slack = self.slack if ahead else 0
        alone = None if until is None else self._cut(until, slack, self.sustained.alone(until), self.alone(until))
        found = []
        for one, again in zip(self.stations, self.sustained.stations, strict=True):
            whole, looped = sum(one.times), sum(again.times)
            if not whole or (self.sustained.delivered and not looped):
                continue
            rates = [Fraction(self.delivered * one.units * SECOND, whole)]
            if self.sustained.delivered:
                rates.append(Fraction(self.sustained.delivered * one.units * SECOND, looped))
            if until is not None and until * one.units < whole:
                most = self.sustained.most_by(until, again.need), self.most_by(until, one.need)
                rates.append(alone if alone and one.kind == "thread" else self._cut(until, slack, *most))
            found.append(Cap(max(rates), one.name, one.kind))
        return sorted(found, key=lambda each: each.rate)

    def _cut(self, until: int, slack: int, looped: Fraction, whole: Fraction) -> Fraction:
        """Bytes a second until `until` ps, of which `looped` bytes of the work in loops or `whole` of all is done."""
        done = self.delivered - self.sustained.delivered + looped if self.sustained.delivered else whole
        return min(done + slack, Fraction(self.delivered)) * SECOND / until


def bound(program: Program) -> Bound:
    """The bound of a program; `delivered` is 0 if the amount of work is not known beforehand."""
    with uncollected():
        times, looped = executions(program), repeated(program)
        classes = demands(program, times)
        again = classes.less(demands(program, times, ~looped))
        deliveries = _deliveries(program)
        shares = _delivered(program, classes, times, deliveries)
        share_looped = _delivered(program, classes, times, deliveries, looped) if any(shares) else shares
        slack = _slack(program, classes, times, deliveries)
        return Bound(*_work(program, classes, shares), slack, Work(*_work(program, again, share_looped)))


def _work(
    program: Program, classes: ThreadClasses, shares: list[int]
) -> tuple[int, tuple[Station, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    stations = (*_stations(program, classes), *_threads(program, classes))
    class_of = {start: each for each in classes.all for start in each.starts}
    own = tuple((class_of[start].own, class_of[start].count) for start in range(len(program.starts)))
    return sum(shares), stations, tuple(shares), own


def _stations(program: Program, classes: ThreadClasses) -> Iterator[Station]:
    """Resources and windows, each with the thread starts that need it."""
    resources = [(row.name, "lock" if row.lock else "resource", row.units) for row in program.resources]
    windows = [(row.name, "window", row.slots) for row in program.windows]
    for table, rows in (("resource", resources), ("window", windows)):
        times = _times(program, classes, table)
        for row, (name, kind, units) in enumerate(rows):
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


def _delivered(
    program: Program,
    classes: ThreadClasses,
    times: list[int],
    deliveries: list[list[int]],
    counted: NDArray[np.bool_] | None = None,
) -> list[int]:
    """Bytes that each start delivers, or causes to be, in steps `counted` (all); all 0 if that is not known."""
    totals = [0] * len(program.starts)
    for at, register, value in deliveries:
        if register != NO_REGISTER and program.promises:
            continue
        if register != NO_REGISTER or not times[at]:
            return [0] * len(totals)
        for start in classes.of(at).starts if counted is None or counted[at] else ():
            totals[start] += times[at] * value
    for promise in program.promises:
        if not times[promise.at]:
            return [0] * len(totals)
        for start in classes.of(promise.at).starts if counted is None or counted[promise.at] else ():
            totals[start] += times[promise.at] * promise.amount
    return totals


def _slack(program: Program, classes: ThreadClasses, times: list[int], deliveries: list[list[int]]) -> int:
    """Bytes that a cut-off run can have delivered early: a round of each thread's outermost loop, and caches."""
    total = sum(program.containers[row].capacity for row in program.ahead)
    total += sum(promise.amount * len(classes.of(promise.at).starts) for promise in program.promises)
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
