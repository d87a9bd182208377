"""The upper bound on throughput, from the program alone and without running it.

Each resource is asked for a certain service by the whole of the work, whatever the order; so are windows
(credits, media) and each thread for the steps that it does itself. The work cannot end sooner than the longest of
these. Only what is certain is counted (`simio.program.demand`); so the bound holds for every run of the program
(operational analysis: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simio.program.demand import Crews, executions, work
from simio.program.form import worked_out
from simio.program.garbage import uncollected
from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program

Need = tuple[tuple[int, Fraction], ...]
"""The starts of threads, by their numbers, for which a limit has something to do, and for how long in ps."""


@dataclass(frozen=True)
class Limit:
    """`name` (of `kind` 'resource', 'window' or 'thread') needs `time` ps for the whole of the work."""

    name: str
    kind: str
    time: Fraction


class Asked(NamedTuple):
    """What `units` of a limit are asked for: `times` ps by those `starts` of threads, in their order."""

    name: str
    kind: str
    starts: tuple[int, ...]
    units: int
    times: tuple[int, ...]


@dataclass(frozen=True)
class Bound:
    """`delivered` bytes in all; what is `asked` for; `slack` bytes that a cut-off run may be ahead.

    `shares` are the bytes that each start of threads delivers; in a run that is cut off, some may be further than
    others.
    """

    delivered: int
    asked: tuple[Asked, ...]
    slack: int
    shares: tuple[int, ...] = ()

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, from the tightest on."""
        return tuple(limit for limit, _ in self._sorted)

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """For which starts of threads each limit is needed."""
        return tuple(need for _, need in self._sorted)

    @cached_property
    def _sorted(self) -> list[tuple[Limit, Need]]:
        known: dict[tuple[int, int], Fraction] = {}

        def among(time: int, units: int) -> Fraction:
            # One object for equal times: comparing alike limits is then free.
            return known.get((time, units)) or known.setdefault((time, units), Fraction(time, units))

        found = []
        for name, kind, starts, units, times in self.asked:
            need = tuple((start, among(time, units)) for start, time in zip(starts, times, strict=True))
            found.append((Limit(name, kind, among(sum(times), units)), need))
        # Of equal ones the first, and equal times stay one object.
        found.sort(key=lambda each: each[0].time, reverse=True)
        return found

    @cached_property
    def _first(self) -> Limit | None:
        most, best = 0, None
        units = 1
        for asked in self.asked:
            total = sum(asked.times)
            if total * units > most * asked.units:
                most, units, best = total, asked.units, asked
        return Limit(best.name, best.kind, Fraction(most, units)) if best else None

    @property
    def tightest(self) -> Limit | None:
        """What sets the bound, or None where nothing does."""
        return self._first if self.delivered else None

    def rate(self, limit: Limit | None = None) -> Fraction | None:
        """Bytes a second that a limit (the tightest) allows, or None where nothing bounds it."""
        limit = limit or self.tightest
        return Fraction(self.delivered * SECOND) / limit.time if limit and limit.time else None

    def allows(self, delivered: int, time: int, complete: bool) -> bool:
        """Whether so many bytes within `time` ps lie under the bound; a cut-off run may be `slack` ahead."""
        limit = self.tightest
        if limit is None:
            return True
        if complete:
            return delivered * limit.time <= self.delivered * time
        least = delivered - self.slack
        return all(self._without(need) >= least or self._most(time, need) >= least for need in self.needs)

    def most(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, beside `slack`, if the threads that need least go first."""
        return min((self._most(time, need) for need in self.needs), default=Fraction(0))

    @cached_property
    def _all(self) -> int:
        return sum(self.shares)

    def _without(self, need: Need) -> int:
        """Bytes of those threads that a limit has nothing to do for."""
        return self._all - sum(self.shares[start] for start, _ in need)

    def _most(self, time: int, need: Need) -> Fraction:
        """The same as far as one limit goes."""
        found, left = Fraction(self._without(need)), Fraction(time)
        for start, asked in sorted(need, key=lambda each: each[1] / max(self.shares[each[0]], 1)):
            part = min(left / asked, Fraction(1))
            found += part * self.shares[start]
            left -= part * asked
        return found


def bound(program: Program) -> Bound:
    """The bound of a program; `delivered` is 0 where the amount of work is not known beforehand."""
    with uncollected():
        rows, numbers = worked_out(_demand, program)
    at, asked = 0, []
    for name, kind, starts in rows:
        end = at + 1 + len(starts)
        asked.append(Asked(name, kind, starts, numbers[at], tuple(numbers[at + 1 : end])))
        at = end
    shares = tuple(numbers[at:-1])
    return Bound(sum(shares), tuple(asked), numbers[-1], shares)


def _demand(program: Program) -> tuple[list[_Row], list[Any]]:
    """What the bound is made of: limits, and as numbers the units and the times of each, the shares and the slack."""
    times = executions(program)
    crews = work(program, times)
    deliveries = _deliveries(program)
    rows: list[_Row] = []
    numbers: list[Any] = []
    tables = (("resource", [(row.name, row.units) for row in program.resources]),
              ("window", [(row.name, row.slots) for row in program.windows]))  # fmt: skip
    for which, (kind, table) in enumerate(tables):
        asked = _asked(program, crews, which)
        for row, (name, units) in enumerate(table):
            need = sorted(asked.get(row, ()))
            rows.append((name, kind, tuple(start for start, _ in need)))
            numbers += [units, *(time for _, time in need)]
    for name, (start, own, count) in _longest(program, crews).items():
        rows.append((name, "thread", (start,) if own else ()))
        numbers += [count, own] if own else [count]
    numbers += _delivered(program, crews, times, deliveries)
    return rows, [*numbers, _slack(program, crews, times, deliveries)]


_Row = tuple[str, str, tuple[int, ...]]
"""Name and kind of a limit, and the starts of threads that it is needed for."""


def _asked(program: Program, crews: Crews, which: int) -> dict[int, list[tuple[int, int]]]:
    """What each row of the resources (or windows) is asked for by which start, in ps, where it is asked at all."""
    found: dict[int, list[tuple[int, int]]] = {}
    for crew in crews.all:
        for (row, stride), time in (crew.windows if which else crew.resources).items():
            for start in crew.starts if time else ():
                found.setdefault(row + stride * program.starts[start].instance, []).append((start, time))
    return found


def _longest(program: Program, crews: Crews) -> dict[str, tuple[int, int, int]]:
    """Of the starts that share a name, the number of the one whose threads take longest, and how long in ps.

    That is a sum, and over how many threads.
    """
    crew_of = {start: crew for crew in crews.all for start in crew.starts}
    found: dict[str, tuple[int, int, int]] = {}
    for number, start in enumerate(program.starts):
        own, count = crew_of[number].own, crew_of[number].count
        if start.time:
            own += start.time * count
        if start.name not in found or own * found[start.name][2] > found[start.name][1] * count:
            found[start.name] = number, own, count
    return found


def _delivered(program: Program, crews: Crews, times: list[int], deliveries: list[list[int]]) -> list[int]:
    """Bytes that each start delivers in all, or causes to be delivered; 0 for all where that is not known."""
    totals = [0] * len(program.starts)
    for at, register, value in deliveries:
        if register != NO_REGISTER and program.promises:
            continue
        if register != NO_REGISTER or not times[at]:
            return [0] * len(totals)
        for start in crews.of(at).starts:
            totals[start] += times[at] * value
    for promise in program.promises:
        for start in crews.of(promise.at).starts:
            totals[start] += times[promise.at] * promise.amount
    return totals


def _slack(program: Program, crews: Crews, times: list[int], deliveries: list[list[int]]) -> int:
    """Bytes of one round of every thread's outermost loop: what a cut-off run can have delivered early."""
    total = sum(promise.amount * len(crews.of(promise.at).starts) for promise in program.promises)
    rounds = _rounds(program, [at for at, register, _ in deliveries if register == NO_REGISTER])
    for at, register, value in deliveries:
        if register == NO_REGISTER:
            total += times[at] // rounds[at] * value * len(crews.of(at).starts)
    return total


def _rounds(program: Program, steps: Sequence[int]) -> dict[int, Fraction | int]:
    """How often the outermost loop or condition around each of some steps runs it at least; 1 where that is never."""
    spans = np.array([(region.start, region.end) for region in program.regions]).reshape(-1, 2)
    # Regions are nested; of some that begin together the widest is first, and of equal ones the first.
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
