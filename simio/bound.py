"""The upper bound on throughput, from the program alone and without running it.

Each resource is asked for a certain service by the whole of the work, whatever the order; so are windows
(credits, media) and each thread for the steps that it does itself. The work cannot end sooner than the longest of
these. Only what is certain is counted: steps in branches and in loops of unknown length count as never run, and a
duration that depends on a register counts its fixed part; so the bound holds for every run of the program
(operational analysis: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program, ThreadStart


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
    """The bound of a program; `delivered` is 0 where the amount of work is not known beforehand."""
    times = executions(program)
    kinds: list[tuple[str, str]] = []
    steps = program.steps[:, :3].tolist()
    bodies = sorted((first, end) for first, end, _ in program.bodies)
    rows = [_start(program, bodies, steps, times, start) for start in program.starts]
    columns: list[list[Fraction]] = []
    for number, resource in enumerate(program.resources):
        kinds.append((resource.name, "resource"))
        columns.append([Fraction(row[0][number], resource.units) for row in rows])
    for number, window in enumerate(program.windows):
        kinds.append((window.name, "window"))
        columns.append([Fraction(row[1][number], window.slots) for row in rows])
    for name, start in _longest(program, [row[2] for row in rows]).items():
        kinds.append((name, "thread"))
        columns.append([row[2] if number == start else Fraction(0) for number, row in enumerate(rows)])
    limits = [
        Limit(name, kind, sum(column, Fraction(0)))
        for (name, kind), column in zip(kinds, columns, strict=True)
    ]
    order = {"resource": 0, "window": 1, "thread": 2}
    places = sorted(range(len(limits)), key=lambda at: (-limits[at].time, order[limits[at].kind]))
    delivered = _delivered(program, times)
    shares = [
        Share(amount, tuple(columns[at][number] for at in places)) for number, amount in enumerate(delivered)
    ]
    return Bound(sum(delivered), tuple(limits[at] for at in places), _slack(program, times), tuple(shares))


def _start(
    program: Program,
    bodies: list[tuple[int, int]],
    steps: list[list[int]],
    times: list[int],
    start: ThreadStart,
) -> tuple[list[int], list[int], Fraction]:
    """Certain demand of the threads of a start: on resources and on windows, and of each thread for its own steps."""
    resources, windows = [0] * len(program.resources), [0] * len(program.windows)
    last = _end(program, start)
    own = Fraction(0)
    for first, end in bodies[bisect_left(bodies, (start.entry, 0)) : bisect_left(bodies, (last, 0))]:
        time = _demand(bodies, steps, first, end, times, resources)
        if first == start.entry:
            own = Fraction(time, start.count) + start.time
    for occupancy in program.occupancies:
        if start.entry <= occupancy.at < last:
            windows[occupancy.window] += times[occupancy.at] * occupancy.time
    for demand in program.demands:
        if start.entry <= demand.at < last:
            resources[demand.resource] += times[demand.at] * demand.time
    return resources, windows, own


def _longest(program: Program, own: list[Fraction]) -> dict[str, int]:
    """Of the starts that share a name, the number of the one whose threads take longest."""
    found: dict[str, int] = {}
    for number, start in enumerate(program.starts):
        if start.name not in found or own[number] > own[found[start.name]]:
            found[start.name] = number
    return found


def executions(program: Program) -> list[int]:
    """How often each step runs at least."""
    times = np.zeros(len(program.steps), dtype=object)
    ends = {first: end for first, end, _ in program.bodies}
    for start in program.starts:
        times[start.entry : ends[start.entry]] = start.count
    for region in program.regions:
        if region.least == 0:
            times[region.start : region.end] = 0
        elif region.least != 1:
            times[region.start : region.end] *= region.least
    return [floor(count) for count in times]


def _demand(
    bodies: list[tuple[int, int]],
    steps: list[list[int]],
    first: int,
    end: int,
    times: list[int],
    resources: list[int],
) -> int:
    """Add one thread body's certain demand on resources, in unit-ps; returns the body's own time.

    `bodies` are first step and end of all bodies of the program in order; those inside this one are left out. So is
    what a body seizes and does not give back itself, since how long it holds that is not seen here.
    """
    inner = dict(bodies[bisect_right(bodies, (first, end)) : bisect_left(bodies, (end, 0))])
    held: dict[int, int] = {}
    demand: dict[int, int] = {}
    own = 0
    at = first
    while at < end:
        if at in inner:
            at = inner[at]
            continue
        op, a, b = steps[at]
        if op == Op.SEIZE:
            held[a] = held.get(a, 0) + b
        elif op == Op.RELEASE:
            held[a] = held.get(a, 0) - b
        elif op == Op.ADVANCE:
            time = times[at] * a
            own += time
            for r, units in held.items():
                if units > 0:
                    demand[r] = demand.get(r, 0) + time * units
        at += 1
    for r, time in demand.items():
        if held[r] == 0:
            resources[r] += time
    return own


def _end(program: Program, start: ThreadStart) -> int:
    """Where the steps of a start's threads end, those of their children among them."""
    return next(end for first, end, _ in program.bodies if first == start.entry)


def _delivered(program: Program, times: list[int]) -> list[int]:
    """Bytes that each start delivers in all, or causes to be delivered; 0 for all where that is not known."""
    totals = [0] * len(program.starts)
    spans = [range(start.entry, _end(program, start)) for start in program.starts]
    for at, register, value in _deliveries(program):
        if register != NO_REGISTER and program.promises:
            continue
        if register != NO_REGISTER or not times[at]:
            return [0] * len(totals)
        totals[next(number for number, span in enumerate(spans) if at in span)] += times[at] * value
    for promise in program.promises:
        number = next(number for number, span in enumerate(spans) if promise.at in span)
        totals[number] += times[promise.at] * promise.amount
    return totals


def _slack(program: Program, times: list[int]) -> int:
    """Bytes of one round of every thread's outermost loop: what a cut-off run can have delivered early."""
    total = 0
    for at, register, value in _deliveries(program):
        if register == NO_REGISTER:
            around = [region for region in program.regions if region.start <= at < region.end]
            outermost = max(around, key=lambda region: region.end - region.start, default=None)
            rounds = outermost.least if outermost and outermost.least else 1
            total += times[at] // rounds * value
    return total + sum(promise.amount for promise in program.promises)


def _deliveries(program: Program) -> list[tuple[int, int, int]]:
    """Step, register and constant of every MARK of bytes delivered."""
    roles = [mark.role for mark in program.marks]
    marks = np.flatnonzero(program.steps[:, 0] == Op.MARK)
    rows = [(int(at), *(int(v) for v in program.steps[at, 1:4])) for at in marks]
    return [(at, register, value) for at, mark, register, value in rows if roles[mark] == "delivered"]
