"""The service demand of a program that is certain whatever the order: how often steps run, what they hold and take.

Steps in branches and in loops of unknown length count as never run, and a duration that depends on a register counts
its fixed part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.program.steps import STRIDE, Op, Program

_FITS = 2.0**62

Demands = dict[tuple[int, int], int]
"""Service time (ps) by row of the resources or windows and its stride."""


@dataclass
class ThreadClass:
    """The thread starts, by number, that run the same steps, and the demands of the threads of each.

    `own` is the time of `count` threads' own steps, in ps.
    """

    starts: list[int]
    resources: Demands = field(default_factory=dict)
    windows: Demands = field(default_factory=dict)
    own: int = 0
    count: int = 1


class ThreadClasses:
    """All starts of a program, by the steps that their threads and the children of these run."""

    def __init__(self, program: Program) -> None:
        found: dict[int, list[int]] = {}
        for number, start in enumerate(program.starts):
            found.setdefault(start.entry, []).append(number)
        self._entries = sorted(found)
        self.all = [ThreadClass(found[entry]) for entry in self._entries]

    def of(self, step: int) -> ThreadClass:
        """The class that runs a step."""
        return self.all[bisect_right(self._entries, step) - 1]

    def less(self, other: ThreadClasses) -> ThreadClasses:
        """The demands that `other`, of the same program, does not have."""
        left = copy(self)
        left.all = [
            replace(
                one,
                resources=_less(one.resources, two.resources),
                windows=_less(one.windows, two.windows),
                own=one.own - two.own,
            )
            for one, two in zip(self.all, other.all, strict=True)
        ]
        return left


def _less(demand: Demands, part: Demands) -> Demands:
    return {row: time - part[row] if row in part else time for row, time in demand.items()}


def repeated(program: Program) -> NDArray[np.bool_]:
    """Flags, one a step: True where a loop of known length repeats it, around it or its procedure's first call."""
    depth = np.zeros(len(program.steps) + 1, dtype=np.int64)
    for region in program.regions:
        if region.least > 1:
            depth[region.start] += 1
            depth[region.end] -= 1
    found: NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    ends = {first: end for first, end, _ in program.bodies}
    for entry, at in _procedures(program):
        found[entry : ends[entry]] |= found[at]
    return found


def executions(program: Program) -> list[int]:
    """The least number of times that the threads of each start run each step."""
    fits = program.steps.dtype == np.int64 and _largest(program) < _FITS
    return list(_counts(program, np.int64 if fits else object).tolist())


def _largest(program: Program) -> float:
    """The largest number that the counts are reckoned with."""
    fractions = (region.least.numerator for region in program.regions if isinstance(region.least, Fraction))
    return float(_counts(program, np.float64).max(initial=0)) * max(fractions, default=1)


def _counts(program: Program, dtype: Any) -> NDArray[Any]:
    """The product of all repetitions around each step, from outside inwards; a share gives whole numbers.

    A procedure counts as often as the first step that starts a thread with it.
    """
    found = np.zeros(len(program.steps), dtype)
    ends = {first: end for first, end, _ in program.bodies}
    procedures = _procedures(program)
    for entry, _ in procedures:
        found[entry : ends[entry]] = 1
    for start in program.starts:
        found[start.entry : ends[start.entry]] = start.count
    for region in sorted(program.regions, key=lambda each: (each.start, -each.end)):
        if region.least in (0, 1):
            continue
        part = slice(region.start, region.end)
        if isinstance(region.least, int):
            found[part] *= region.least
        else:
            found[part] = found[part] * region.least.numerator // region.least.denominator
    found[_unsure(program)] = 0
    for entry, at in procedures:
        found[entry : ends[entry]] *= found[at]
    return found


def _unsure(program: Program) -> NDArray[np.bool_]:
    """True if each step may never run, although the thread does that it is part of."""
    depth = np.zeros(len(program.steps) + 1, dtype=np.int64)
    for region in program.regions:
        if region.least == 0:
            depth[region.start] += 1
            depth[region.end] -= 1
    unsure: NDArray[np.bool_] = np.cumsum(depth[:-1]) > 0
    return unsure


def _procedures(program: Program) -> list[tuple[int, int]]:
    """First step of each procedure, and the first step that starts a thread with it, in the order of the program."""
    operations = program.steps[:, 0]
    forks = np.flatnonzero(operations == Op.FORK)
    below: set[int] = set()
    first: dict[int, int] = {}
    for at, entry, following in zip(
        forks.tolist(), program.steps[forks, 1].tolist(), operations[forks + 1].tolist(), strict=True
    ):
        # The body of a fork stands below it, and is jumped over; that of a procedure stands behind a thread.
        if entry == at + 2 and following == Op.JUMP:
            below.add(entry)
        elif entry not in below:
            # Of a body that stands below a fork and that others share, only the times of that fork are certain.
            first.setdefault(entry, at)
    return sorted(first.items())


def demands(program: Program, times: list[int], counted: NDArray[np.bool_] | None = None) -> ThreadClasses:
    """The demands of every start; `times` are the executions of each step, and only steps `counted` (all) count."""
    if counted is not None:
        times = [time if counts else 0 for time, counts in zip(times, counted.tolist(), strict=True)]
    classes = ThreadClasses(program)
    for first, steps in _bodies(program, counted):
        own, demand = _demand(steps, times)
        thread_class = classes.of(first)
        start = program.starts[thread_class.starts[0]]
        if first == start.entry:
            thread_class.own, thread_class.count = own, start.count
        _add(thread_class.resources, demand)
    for occupancy in program.occupancies:
        time = times[occupancy.at] * occupancy.time
        _add(classes.of(occupancy.at).windows, {(occupancy.window, occupancy.stride): time})
    for declared in program.demands:
        time = times[declared.at] * declared.time
        _add(classes.of(declared.at).resources, {(declared.resource, declared.stride): time})
    return classes


def _add(demand: Demands, more: Demands) -> None:
    for row, time in more.items():
        demand[row] = demand.get(row, 0) + time


def _bodies(program: Program, counted: NDArray[np.bool_] | None) -> Iterator[tuple[int, Iterator[tuple[int, ...]]]]:
    """Each body's first step and its steps that hold or wait: body, step, stride, operation, two operands.

    Steps of a body inside of another are not among those of the outer one. A body without a wait that is `counted`
    is left out.
    """
    firsts = np.zeros(len(program.steps), dtype=np.int64)
    for first, end, _ in sorted(program.bodies):
        firsts[first:end] = first
    operations = program.steps[:, 0]
    at = np.flatnonzero((operations == Op.ADVANCE) | (operations == Op.SEIZE) | (operations == Op.RELEASE))
    if counted is not None:
        waits = at[(operations[at] == Op.ADVANCE) & counted[at]]
        at = at[np.isin(firsts[at], firsts[waits])]
    at = at[np.argsort(firsts[at], kind="stable")]
    columns = firsts[at], at, program.steps[at, STRIDE], *program.steps[at, :3].T
    # One row at a time, since the garbage collector scans a list of millions again and again.
    return groupby(zip(*(column.tolist() for column in columns), strict=True), key=itemgetter(0))


def _demand(steps: Iterator[tuple[int, ...]], times: list[int]) -> tuple[int, Demands]:
    """A body's own time, and its certain demand on resources in unit-ps.

    A resource that the body seizes and does not give back is left out: its steps do not show how long that is held.
    """
    held: dict[tuple[int, int], int] = {}
    demand: Demands = {}
    own = 0
    for _, at, stride, operation, a, b in steps:
        if operation == Op.ADVANCE:
            time = times[at] * a
            own += time
            for resource, units in held.items():
                if units > 0:
                    demand[resource] = demand.get(resource, 0) + time * units
        else:
            units = b if operation == Op.SEIZE else -b
            held[a, stride] = held.get((a, stride), 0) + units
    return own, {resource: time for resource, time in demand.items() if held[resource] == 0}
