"""Activity of threads at each instant of a run, and holders of resources, from the steps that an engine reports.

A thread that continues later than its last step began has waited there, or has advanced; a SEIZE is granted when the
thread continues. The steps are therefore sufficient, and both engines report the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from simio.program.steps import HORIZON, NAMING, Op, Program, named_row
from simio.waiting import watcher

MOST = 250_000
"""Spans that are kept unless another number is asked for."""


@dataclass(frozen=True, slots=True)
class Span:
    """Something that lasts from `since` to `until` ps on a lane of a track.

    In `Activity.held`, thread `name` holds a unit of resource `track`; in `Activity.passed`, threads called `track`
    (numbers of names, `lane` telling apart those that live at once) are at step `step`, which names row `row` of
    something or none (-1), holding resource `inner` or none (-1).
    """

    track: int
    lane: int
    since: int
    until: int
    name: int
    step: int = -1
    row: int = -1
    inner: int = -1


class Full(Exception):
    """Signal that the activity holds as many spans as it may."""


@dataclass(eq=False)
class _Lanes:
    """The lowest lanes first, each for one at a time."""

    used: int = 0
    free: list[int] = field(default_factory=list)

    def take(self) -> int:
        if self.free:
            return heappop(self.free)
        self.used += 1
        return self.used - 1

    def give(self, lane: int) -> None:
        heappush(self.free, lane)


class Activity:
    """Spans of resources and threads between two instants of a run; `watch` receives the steps of an engine."""

    def __init__(self, program: Program, since: int = 0, most: int = MOST) -> None:
        self.program, self.since, self.most = program, since, most
        self.held: list[Span] = []
        self.passed: list[Span] = []
        self.end = since
        self.until = HORIZON
        self.full = False
        names = {name: number for number, name in enumerate(program.names)}
        self._names = [names[start.name] for start in program.starts for _ in range(start.count)]
        self._names += [-1] * len(program.guests)
        self._instances = [start.instance for start in program.starts for _ in range(start.count)]
        self._instances += [0] * len(program.guests)
        self._last = np.empty((0, 3), dtype=np.int64)
        self._units: list[_Lanes] = [_Lanes() for _ in program.resources]
        self._places: dict[int, _Lanes] = {}
        self._lane: dict[int, int] = {}
        self._holding: dict[int, list[tuple[int, int, int]]] = {}
        """(serial, lane, since) of each unit that is held, in order, by resource."""
        self._inner: dict[int, list[int]] = {}
        """Resources that a thread holds, in order, by thread."""
        self._table = program.steps.tolist()

    # --- what an engine calls ----------------------------------------------------------------------------

    def watch(self, steps: np.ndarray) -> None:
        """Go on with steps (time, serial number, step, …); raises Full at the span that is one too many."""
        rows = np.concatenate([self._last, steps[:, :3]])
        known = len(self._last)
        ops = self.program.steps[rows[:, 2], 0]
        before, last = _neighbours(rows[:, 1])
        for _, serial, step in rows[known:][ops[known:] == Op.FORK].tolist():
            self._names.append(self._named(serial, step))
            self._instances.append(self._instances[serial])
        for at in _telling(rows, ops, before, known).tolist():
            self._row(rows[at].tolist(), None if before[at] < 0 else rows[before[at]].tolist())
            if len(self.held) + len(self.passed) >= self.most:
                self._last = _latest(rows[: at + 1], ops)
                self.full = True
                self.end = int(rows[at, 0])
                raise Full
        self._last = rows[last & (ops != Op.END)]
        self.end = int(rows[-1, 0]) if len(rows) else self.end
        if told := watcher():
            told.runs(self.end, self.until, len(self.held) + len(self.passed), self.most)

    def finish(self, end: int) -> None:
        """End all spans that are under way, at the end of the run or of what is kept of it."""
        self.end = end
        for time, serial, step in self._last.tolist():
            self._pass(serial, time, end, step)
        for resource, holders in self._holding.items():
            for serial, lane, since in holders:
                self._hold(resource, lane, since, end, serial)

    # --- steps -------------------------------------------------------------------------------------------

    def _row(self, now: list[int], before: list[int] | None) -> None:
        """A step that a thread runs (time, serial number, step), and the one before it, which lasted until now."""
        time, serial, step = now
        if before is None:
            lanes = self._places.setdefault(self._names[serial], _Lanes())
            self._lane[serial] = lanes.take()
        else:
            self._pass(serial, before[0], time, before[2])
            done = self._table[before[2]]
            if done[0] == Op.SEIZE:
                self._seize(serial, self._named(serial, before[2]), done[2], time)
        row = self._table[step]
        if row[0] == Op.RELEASE:
            self._release(serial, self._named(serial, step), row[2], time)
        elif row[0] == Op.END:
            self._places[self._names[serial]].give(self._lane.pop(serial))

    def _named(self, serial: int, step: int) -> int:
        """The row that a thread's step names, -1 where it names none."""
        row = self._table[step]
        return named_row(row, self._instances[serial]) if row[0] in NAMING else -1

    def _seize(self, serial: int, resource: int, units: int, time: int) -> None:
        lanes = self._units[resource]
        holders = self._holding.setdefault(resource, [])
        holders += [(serial, lanes.take(), time) for _ in range(units)]
        self._inner.setdefault(serial, []).extend([resource] * units)

    def _release(self, serial: int, resource: int, units: int, time: int) -> None:
        """Give back what the thread holds; one that holds none gives back for the first holder."""
        holders = self._holding.get(resource, [])
        # Resources that a Python process holds are not among the steps.
        for _ in range(min(units, len(holders))):
            own = [at for at, (holder, _, _) in enumerate(holders) if holder == serial]
            holder, lane, since = holders.pop(own[-1] if own else 0)
            self._inner[holder].remove(resource)
            if not self._inner[holder]:
                del self._inner[holder]
            self._units[resource].give(lane)
            self._hold(resource, lane, since, time, holder)

    def _hold(self, resource: int, lane: int, since: int, until: int, serial: int) -> None:
        since = max(since, self.since)
        if until > since:
            self.held.append(Span(resource, lane, since, until, self._names[serial]))

    def _pass(self, serial: int, since: int, until: int, step: int) -> None:
        since = max(since, self.since)
        if until > since:
            name = self._names[serial]
            inner = self._inner.get(serial, (-1,))[-1]
            row = self._named(serial, step)
            self.passed.append(Span(name, self._lane[serial], since, until, name, step, row, inner))


def _neighbours(serials: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of the row before each row in its thread, or -1; and flags of the threads' last rows."""
    order = np.argsort(serials, kind="stable")
    same = serials[order][1:] == serials[order][:-1]
    before = np.full(len(serials), -1)
    before[order[1:][same]] = order[:-1][same]
    last = np.ones(len(serials), dtype=bool)
    last[order[:-1][same]] = False
    return before, last


def _telling(rows: np.ndarray, ops: np.ndarray, before: np.ndarray, known: int) -> np.ndarray:
    """Places of the new rows at which anything begins or ends, in order."""
    first = before < 0
    later = ~first & (rows[:, 0] > rows[before, 0])
    granted = ~first & (ops[before] == Op.SEIZE)
    found = np.flatnonzero(first | later | granted | (ops == Op.RELEASE) | (ops == Op.END))
    return found[found >= known]


def _latest(rows: np.ndarray, ops: np.ndarray) -> np.ndarray:
    """The last row of each thread that has not ended."""
    return rows[_neighbours(rows[:, 1])[1] & (ops[: len(rows)] != Op.END)]
