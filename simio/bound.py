"""The upper bound on throughput, from the program alone and without running it.

Each resource is asked for a certain service by the whole of the work, whatever the order; so are windows
(credits, media) and each thread for the steps that it does itself. The work cannot end sooner than the longest of
these. Only what is certain is counted (`simio.program.demand`); so the bound holds for every run of the program
(operational analysis: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from simio.errors import RunError
from simio.program.demand import Starts, executions, work
from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program

_NOTHING = Fraction(0)
MOST_SHARES = 20_000_000
"""Of starts times resources and windows: what each start asks of each is held in a table."""


@dataclass(frozen=True)
class Limit:
    """`name` (of `kind` 'resource', 'window' or 'thread') needs `time` ps for the whole of the work."""

    name: str
    kind: str
    time: Fraction


@dataclass(frozen=True)
class Share:
    """What the threads of one start deliver in all, and what each limit has to do for that, in ps."""

    delivered: int
    times: tuple[Fraction, ...]


@dataclass(frozen=True)
class Bound:
    """`delivered` bytes in all; `limits` from the tightest on; `slack` bytes that a cut-off run may be ahead.

    `shares` say what each start of threads has in both; in a run that is cut off, some may be further than others.
    """

    delivered: int
    limits: tuple[Limit, ...]
    slack: int
    shares: tuple[Share, ...] = ()

    @property
    def tightest(self) -> Limit | None:
        """What sets the bound, or None where nothing does."""
        return self.limits[0] if self.delivered and self.limits and self.limits[0].time else None

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
        return all(
            self._without(number) >= least or self._most(time, number) >= least
            for number in range(len(self.limits))
        )

    def most(self, time: int) -> Fraction:
        """Bytes that can be delivered within `time` ps, beside `slack`, if the threads that need least go first."""
        return min((self._most(time, number) for number in range(len(self.limits))), default=Fraction(0))

    def _without(self, limit: int) -> int:
        """Bytes of those threads that a limit has nothing to do for."""
        return sum(share.delivered for share in self.shares if not share.times[limit])

    def _most(self, time: int, limit: int) -> Fraction:
        """The same as far as one limit goes."""
        found, left = Fraction(0), Fraction(time)
        for share in sorted(self.shares, key=lambda s: s.times[limit] / max(s.delivered, 1)):
            need = share.times[limit]
            part = min(left / need, Fraction(1)) if need else Fraction(1)
            found += part * share.delivered
            left -= part * need
        return found


def bound(program: Program) -> Bound:
    """The bound of a program; `delivered` is 0 where the amount of work is not known beforehand.

    Raises RunError for a program of more threads and resources than can be looked at together.
    """
    starts, asked = len(program.starts), len(program.resources) + len(program.windows)
    if starts * asked > MOST_SHARES:
        raise RunError(
            f"{starts:,} groups of threads with {asked:,} resources and windows are too many for one run: at most "
            f"{MOST_SHARES:,} pairs of them; use fewer disks, streams or processes"
        )
    times = executions(program)
    found = work(program, times)
    limits: list[Limit] = []
    columns: list[list[Fraction]] = []
    for kind, table, units in (
        ("resource", found.resources, [(row.name, row.units) for row in program.resources]),
        ("window", found.windows, [(row.name, row.slots) for row in program.windows]),
    ):
        for (name, among), column in zip(units, zip(*table, strict=True), strict=True):
            limits.append(Limit(name, kind, Fraction(sum(column), among)))
            columns.append([Fraction(time, among) if time else _NOTHING for time in column])
    for name, start in _longest(program, found.own).items():
        limits.append(Limit(name, "thread", found.own[start]))
        columns.append([_NOTHING] * len(program.starts))
        columns[-1][start] = found.own[start]
    order = {"resource": 0, "window": 1, "thread": 2}
    places = sorted(range(len(limits)), key=lambda at: (-limits[at].time, order[limits[at].kind]))
    deliveries = _deliveries(program)
    delivered = _delivered(program, times, deliveries)
    rows = zip(*(columns[at] for at in places), strict=True) if places else [()] * len(delivered)
    shares = tuple(Share(amount, tuple(row)) for amount, row in zip(delivered, rows, strict=True))
    ordered = tuple(limits[at] for at in places)
    return Bound(sum(delivered), ordered, _slack(program, times, deliveries), shares)


def _longest(program: Program, own: list[Fraction]) -> dict[str, int]:
    """Of the starts that share a name, the number of the one whose threads take longest."""
    found: dict[str, int] = {}
    for number, start in enumerate(program.starts):
        if start.name not in found or own[number] > own[found[start.name]]:
            found[start.name] = number
    return found


def _delivered(program: Program, times: list[int], deliveries: list[list[int]]) -> list[int]:
    """Bytes that each start delivers in all, or causes to be delivered; 0 for all where that is not known."""
    totals = [0] * len(program.starts)
    starts = Starts(program)
    for at, register, value in deliveries:
        if register != NO_REGISTER and program.promises:
            continue
        if register != NO_REGISTER or not times[at]:
            return [0] * len(totals)
        totals[starts.of(at)] += times[at] * value
    for promise in program.promises:
        totals[starts.of(promise.at)] += times[promise.at] * promise.amount
    return totals


def _slack(program: Program, times: list[int], deliveries: list[list[int]]) -> int:
    """Bytes of one round of every thread's outermost loop: what a cut-off run can have delivered early."""
    total = sum(promise.amount for promise in program.promises)
    spans = np.array([(region.start, region.end) for region in program.regions]).reshape(-1, 2)
    for at, register, value in deliveries:
        if register == NO_REGISTER:
            around = np.flatnonzero((spans[:, 0] <= at) & (at < spans[:, 1]))
            rounds: Fraction | int = 1
            if len(around):
                outermost = around[np.argmax(spans[around, 1] - spans[around, 0])]
                rounds = program.regions[outermost].least or 1
            total += times[at] // rounds * value
    return total


def _deliveries(program: Program) -> list[list[int]]:
    """Step, register and constant of every MARK of bytes delivered."""
    roles = [row for row, mark in enumerate(program.marks) if mark.role == "delivered"]
    at = np.flatnonzero((program.steps[:, 0] == Op.MARK) & np.isin(program.steps[:, 1], roles))
    return list(np.column_stack([at, program.steps[at, 2:4]]).tolist())
