"""The upper bound on throughput, from the program alone and without running it.

The work as a whole has a service demand at each station, whatever the order: at resources, at windows (credits,
media), and at each thread for its own steps. The work cannot end sooner than the longest of these demands. Only what
is certain is counted (`simio.program.demand`), so the bound holds for every run of the program (operational analysis:
P. J. Denning and J. P. Buzen, "The operational analysis of queueing network models", ACM
Computing Surveys 10(3), 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from simio.limits import Bound, Station, Work
from simio.program.demand import ThreadClasses, demands, executions, repeated
from simio.program.garbage import uncollected
from simio.program.steps import NO_REGISTER, Op, Program


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
    of_starts = (classes.of(start.entry) for start in program.starts)
    own = tuple((each.own, each.count) for each in of_starts)
    return sum(shares), stations, tuple(shares), own


def _stations(program: Program, classes: ThreadClasses) -> Iterator[Station]:
    """Resources and windows, each with the thread starts that need it."""
    resources = [(row.name, "lock" if row.lock else "resource", row.units) for row in program.resources]
    windows = [(row.name, "resources" if row.together else "window", row.slots) for row in program.windows]
    early = {(kind, row): time for kind, row, time in program.early}
    for table, rows in (("resource", resources), ("window", windows)):
        times = _times(program, classes, table)
        for row, (name, kind, units) in enumerate(rows):
            need = sorted(times.get(row, ()))
            yield Station(
                name,
                kind,
                tuple(start for start, _ in need),
                units,
                tuple(time for _, time in need),
                early.get((table, row), 0),
            )


def _times(program: Program, classes: ThreadClasses, kind: str) -> dict[int, list[tuple[int, int]]]:
    """The starts that need each row of the resources or windows, and the time in ps that each needs."""
    found: dict[int, list[tuple[int, int]]] = {}
    for each in classes.all:
        for (row, stride), time in (each.windows if kind == "window" else each.resources).items():
            for start in each.starts if time else ():
                found.setdefault(row + stride * program.starts[start].instance, []).append((start, time))
    return found


def _threads(program: Program, classes: ThreadClasses) -> Iterator[Station]:
    """The start whose threads take longest by themselves, of those that share a name."""
    longest: dict[str, tuple[int, int, int]] = {}
    for number, start in enumerate(program.starts):
        each = classes.of(start.entry)
        own, count = each.own + start.time * each.count, each.count
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
