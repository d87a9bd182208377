"""The upper bound on throughput, from the program alone and without running it.

Each resource is asked for a certain service by the whole of the work, whatever the order; so are windows
(credits, media) and each thread for the steps that it does itself. The work cannot end sooner than the longest of
these. Only what is certain is counted: steps in branches and in loops of unknown length count as never run, and a
duration that depends on a register counts its fixed part; so the bound holds for every run of the program
(operational analysis: P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from simio.program.service import SECOND
from simio.program.steps import NO_REGISTER, Op, Program


@dataclass(frozen=True)
class Limit:
    """`name` (of `kind` 'resource', 'window' or 'thread') needs `time` ps for the whole of the work."""

    name: str
    kind: str
    time: Fraction


@dataclass(frozen=True)
class Bound:
    """`delivered` bytes in all; `limits` from the tightest on; `slack` bytes that a cut-off run may be ahead."""

    delivered: int
    limits: tuple[Limit, ...]
    slack: int

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
        spare = 0 if complete else self.slack
        return (delivered - spare) * limit.time <= self.delivered * time


def bound(program: Program) -> Bound:
    """The bound of a program; `delivered` is 0 where the amount of work is not known beforehand."""
    times = executions(program)
    resources = [0] * len(program.resources)
    threads: dict[str, Fraction] = {}
    steps = program.steps[:, :3].tolist()
    for first, end, _ in program.bodies:
        own = _demand(program, steps, first, end, times, resources)
        for start in program.starts:
            if start.entry == first:
                time = Fraction(own, start.count) + start.time
                threads[start.name] = max(threads.get(start.name, time), time)
    windows = [0] * len(program.windows)
    for occupancy in program.occupancies:
        windows[occupancy.window] += times[occupancy.at] * occupancy.time
    limits = [
        Limit(r.name, "resource", Fraction(time, r.units))
        for r, time in zip(program.resources, resources, strict=True)
    ]
    limits += [
        Limit(w.name, "window", Fraction(time, w.slots))
        for w, time in zip(program.windows, windows, strict=True)
    ]
    limits += [Limit(name, "thread", time) for name, time in threads.items()]
    order = {"resource": 0, "window": 1, "thread": 2}
    limits.sort(key=lambda limit: (-limit.time, order[limit.kind]))
    return Bound(_delivered(program, times), tuple(limits), _slack(program, times))


def executions(program: Program) -> list[int]:
    """How often each step runs at least."""
    times = np.zeros(len(program.steps), dtype=object)
    ends = {first: end for first, end, _ in program.bodies}
    for start in program.starts:
        times[start.entry : ends[start.entry]] = start.count
    for region in program.regions:
        times[region.start : region.end] *= region.least
    return [floor(count) for count in times]


def _demand(
    program: Program, steps: list[list[int]], first: int, end: int, times: list[int], resources: list[int]
) -> int:
    """Add one thread body's certain demand on resources, in unit-ps; returns the body's own time.

    What a body seizes and does not give back itself is left out, since how long it holds that is not seen here.
    """
    inner = {f: e for f, e, _ in program.bodies if first < f and e <= end}
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


def _delivered(program: Program, times: list[int]) -> int:
    """Bytes delivered in all, or 0 where a mark's value or its repetition is not a constant."""
    total = 0
    for at, register, value in _deliveries(program):
        if register != NO_REGISTER or not times[at]:
            return 0
        total += times[at] * value
    return total


def _slack(program: Program, times: list[int]) -> int:
    """Bytes of one round of every thread's outermost loop: what a cut-off run can have delivered early."""
    total = 0
    for at, register, value in _deliveries(program):
        if register == NO_REGISTER:
            around = [region for region in program.regions if region.start <= at < region.end]
            outermost = max(around, key=lambda region: region.end - region.start, default=None)
            rounds = outermost.least if outermost and outermost.least else 1
            total += times[at] // rounds * value
    return total


def _deliveries(program: Program) -> list[tuple[int, int, int]]:
    """Step, register and constant of every MARK of bytes delivered."""
    roles = [mark.role for mark in program.marks]
    marks = np.flatnonzero(program.steps[:, 0] == Op.MARK)
    rows = [(int(at), *(int(v) for v in program.steps[at, 1:4])) for at in marks]
    return [(at, register, value) for at, mark, register, value in rows if roles[mark] == "delivered"]
