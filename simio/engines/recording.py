"""Records of a run by the reference engine: its timeline, and its outcome as tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from simio.engines.outcome import FIRST_INTERVAL, Ints, Outcome, Status, Wait
from simio.program.steps import HORIZON

if TYPE_CHECKING:
    from simio.engines.queues import Server, Store, Thread
    from simio.program.steps import Program


@dataclass(eq=False)
class ReferenceTimeline:
    """Rows taken at multiples of an interval that doubles when the rows are full."""

    most: int
    interval: int = FIRST_INTERVAL
    following: int = FIRST_INTERVAL
    rows: list[tuple[int, list[int]]] = field(default_factory=list)

    def add(self, row: list[int]) -> None:
        self.rows.append((self.following, row))
        if len(self.rows) == self.most:
            self.rows = self.rows[1::2]
            self.interval *= 2
        self.following = min(self.rows[-1][0] + self.interval, HORIZON)


class RecordedRun(Protocol):
    """The part of a run of the reference engine that its records are made of."""

    program: Program
    servers: list[Server]
    stores: list[Store]
    threads: dict[int, Thread]
    state: Ints
    streams: Ints
    sums: list[int]
    marks: list[tuple[int, int, int]]
    stats: list[list[int]]
    trace: list[tuple[int, int, int, int]]
    timeline: ReferenceTimeline
    width: int
    executed: int
    events: int
    fault: tuple[int, int]


def sample(run: RecordedRun, time: int) -> list[int]:
    """A row of the timeline: areas of resources, levels of containers, sums of marks and gauges."""
    row = []
    for server in run.servers:
        row += [server.in_use.upto(time), server.line.upto(time)]
    return row + [store.content.level for store in run.stores] + run.sums + _gauges(run)


def _gauges(run: RecordedRun) -> list[Any]:
    """The words of the machines' gauges now."""
    return [int(run.state[gauge.at]) for gauge in run.program.gauges]


def outcome_of(run: RecordedRun, status: Status, end: int) -> Outcome:
    """The run's counters and records as tables."""
    resources = [
        (s.in_use.upto(end), s.line.upto(end), s.seizes, s.waits, s.longest, s.in_use.level) for s in run.servers
    ]
    containers = [(s.content.level, s.lowest, s.highest, s.put_total, s.got_total, s.blocked) for s in run.stores]
    alive = [(t.serial, t.name, t.pc, t.wait, t.what * (t.wait not in (Wait.READY, Wait.JOIN)))
             for t in run.threads.values()]  # fmt: skip
    return Outcome(
        status=status,
        end=end,
        steps=run.executed,
        events=run.events,
        fault=run.fault,
        marks=table(run.marks, 3),
        resources=table(resources, 6),
        containers=table(containers, 6),
        container_area=tuple(store.content.upto(end) for store in run.stores),
        threads=table(run.stats, 3),
        times=np.array([time for time, _ in run.timeline.rows], dtype=np.int64),
        samples=table([row for _, row in run.timeline.rows], run.width),
        alive=table(alive, 5),
        state=run.state,
        streams=run.streams,
        trace=table(run.trace, 4),
    )


def table(rows: object, columns: int) -> Ints:
    """Rows of integers as an int64 table; what leaves the range wraps, as in the compiled engine."""
    wrapped = [[(v + 2**63) % 2**64 - 2**63 for v in row] for row in rows]  # type: ignore[attr-defined]
    return np.array(wrapped, dtype=np.int64).reshape(len(wrapped), columns)
