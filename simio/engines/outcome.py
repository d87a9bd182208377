"""The options and the outcome of a run: the contract between engines and results.

Every number is an integer and both engines return the same ones, to the tick. Areas (unit-picoseconds) are the
integral of a quantity over time, so that a mean over any span is a difference of areas over that span.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simio.errors import RunError
from simio.program.steps import HORIZON
from simio.sketch import Sketch

Ints = NDArray[np.int64]

SAMPLES = 512
"""Most rows of the timeline; when they are full, every second one is dropped and the interval doubles."""
LEAST_SAMPLES = 64
SAMPLED_WORDS = 2**21
"""Words of a timeline (16 MB) beyond which it has fewer rows, down to the least."""
FIRST_INTERVAL = 2**20
"""First interval of the timeline in ps, about a microsecond."""
DEFAULT_BUDGET = 500_000_000
RECORD_LIMIT = 30_000_000
"""Marks that a run may record, 720 MB of them: ten million requests have two each, and some to spare."""
THREAD_LIMIT = 1_000_000
"""Threads that may live at once, in half a gigabyte of the compiled engine's tables."""
CONDENSE_AT = 2**20
"""Marks of a run from which on `Options.condense` gets them, 24 MB of them."""
MOST_KEPT = 2**21
"""Marks of a run up to which the records of some are selected once and kept while its result is made: 48 MB."""
CHUNK = 2**16
"""Most steps that `Options.watch` gets at a time."""


def sample_rows(columns: int) -> int:
    """Rows of a timeline with so many columns, an even number."""
    return max(LEAST_SAMPLES, min(SAMPLES, SAMPLED_WORDS // max(columns, 1) // 2 * 2))


class Status(IntEnum):
    """The end of a run."""

    DONE = 0
    """Every thread but the daemons has ended."""
    UNTIL = 1
    """The time limit was reached."""
    DEADLOCK = 2
    BUDGET = 3
    HORIZON = 4
    OVERFLOW = 5
    """A register's value left the 64-bit range, or a division by zero."""
    NEGATIVE = 6
    """A negative time or amount."""
    RELEASED = 7
    """More units were released than are in use."""
    OVERFULL = 8
    """A put or get of more than a container ever holds."""
    MACHINE = 9
    """A machine refused a request."""
    RECORDS = 10
    """More marks than a run may record."""
    THREADS = 11
    """More threads than may live at once."""
    INTERRUPTED = 12
    """Ctrl-C."""


SPENT = (Status.BUDGET, Status.RECORDS)
"""Ends of a run that has used up what it may take; what happened until then is whole."""


class Wait(IntEnum):
    """The reason for which a thread waits when a run ends."""

    READY = 0
    RESOURCE = 1
    PUT = 2
    GET = 3
    JOIN = 4


@dataclass(frozen=True)
class Options:
    """`until` in ps; `budget` in steps; `seed` of all random streams; `trace` records every step.

    `watch` is given every step instead, as tables like `Outcome.trace` of up to `CHUNK` rows in order; what it raises
    ends the run. `condense` is given the marks recorded so far whenever there are `CONDENSE_AT` of them, and returns
    fewer that stand for them, in order. `work` gives the bytes that the run delivers in all, 0 if unknown, for
    whoever waits for a run of seconds.
    """

    until: int = HORIZON
    budget: int = DEFAULT_BUDGET
    seed: int = 1
    trace: bool = False
    watch: Callable[[Ints], object] | None = None
    work: Callable[[], int] | None = None
    condense: Callable[[Ints], Ints] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """Counters and records of one run.

    `marks` (m, 3): time, mark, value, in order of recording. `resources` (r, 6): busy area, queue area, seizes,
    waits, longest line, units in use at the end. `containers` (c, 6): level at the end, lowest, highest, amount
    put, amount got, waits; `container_area`, Python integers. `threads` (names, 3): started, ended, ps of
    ADVANCE. `samples` are the rows of the timeline, each taken when all that happens up to `times[i]` has
    happened: busy and queue areas of every resource, level of every container, sum of every mark (modulo 2^64,
    signed: that of packets' words has no meaning and may not fit), word of every gauge. `alive` (t, 5) are the
    threads that have not ended: serial number, name, step, kind of wait, what it waits for; `trace` (s, 4): time,
    serial number, step, and of a PUT or GET the amount in its register, if it has one. `condensed` has what
    `Options.condense` took out of `marks`, by the row of the mark; no engine sets it.
    """

    status: Status
    end: int
    steps: int
    events: int
    fault: tuple[int, int]
    marks: Ints
    resources: Ints
    containers: Ints
    container_area: tuple[int, ...]
    threads: Ints
    times: Ints
    samples: Ints
    alive: Ints
    state: Ints
    streams: Ints
    trace: Ints = field(default_factory=lambda: np.empty((0, 4), dtype=np.int64))
    condensed: Mapping[int, Sketch] = field(default_factory=dict)

    def records(self, rows: Collection[int]) -> Ints:
        """Records of the marks in these rows, of `marks`; read-only, as what is selected once is kept."""
        key = tuple(rows)
        found = self._selected.get(key)
        if found is None:
            found = self._select(key)
            found.flags.writeable = False
            if len(self.marks) <= MOST_KEPT:
                self._selected[key] = found
        return found

    def series(self, row: int) -> tuple[Ints, Ints]:
        """Instants (ps) of the records of a mark, and the sums of their values so far; read-only."""
        found = self._series.get(row)
        if found is None:
            records = self.records((row,))
            found = np.ascontiguousarray(records[:, 0]), records[:, 2].cumsum()
            if len(self.marks) <= MOST_KEPT:
                self._series[row] = found
        return found

    def instants(self, rows: Collection[int]) -> tuple[Ints, Ints]:
        """Instants (ps) of the records of these marks, each once, and the sums of their values then; read-only."""
        key = tuple(rows)
        found = self._instants.get(key)
        if found is None:
            found = _summed(self.records(key))
            for table in found:
                table.flags.writeable = False
            if len(self.marks) <= MOST_KEPT:
                self._instants[key] = found
        return found

    @cached_property
    def _series(self) -> dict[int, tuple[Ints, Ints]]:
        return {}

    @cached_property
    def _instants(self) -> dict[tuple[int, ...], tuple[Ints, Ints]]:
        return {}

    def _select(self, rows: tuple[int, ...]) -> Ints:
        if not rows:
            return self.marks[:0]
        own = self._own == rows[0]
        for row in rows[1:]:
            own |= self._own == row
        return self.marks[:] if own.all() else self.marks[np.flatnonzero(own)]

    @cached_property
    def _own(self) -> Ints:
        """The mark of each record, one after the other in memory."""
        return np.ascontiguousarray(self.marks[:, 1])

    @cached_property
    def _selected(self) -> dict[tuple[int, ...], Ints]:
        return {}

    def differences(self, other: Outcome) -> list[str]:
        """Names of the fields in which two outcomes differ; empty where they are identical."""
        different = []
        for item in fields(self):
            mine, theirs = getattr(self, item.name), getattr(other, item.name)
            same = np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs
            if not same:
                different.append(item.name)
        return different


def _summed(records: Ints) -> tuple[Ints, Ints]:
    """The instants of records in order, each once, and the sum of the values at each."""
    times, values = np.ascontiguousarray(records[:, 0]), np.ascontiguousarray(records[:, 2])
    apart = np.ones(len(times), dtype=bool)
    np.not_equal(times[1:], times[:-1], out=apart[1:])
    if apart.all():
        return times, values
    starts = np.flatnonzero(apart)
    return times[starts], np.add.reduceat(values, starts)


class Aborted(RunError):
    """A run that ended in a deadlock, a spent budget or another error; `outcome` is what happened until then."""

    def __init__(self, message: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.outcome = outcome


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `outcome` is what happened until then."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome
