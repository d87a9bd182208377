"""The tables of a run of the compiled engine as they are after periods that were not run.

Every period adds what the one did that was proved alike (`simio.engines.proof`), each number growing by its step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.history import wrapped
from simio.engines.outcome import SAMPLES
from simio.engines.proof import Proof
from simio.engines.snapshot import Snapshot
from simio.program.steps import HORIZON


class Leap:
    """The tables of a run, `periods` periods later than `now`, which is `passed` periods after the proof's begin."""

    def __init__(self, tables: Any, proof: Proof, now: Snapshot, passed: int, periods: int) -> None:
        self.tables, self.proof, self.now = tables, proof, now
        self.passed, self.periods = passed, periods
        self.time = now.now + periods * proof.span

    def make(self) -> None:
        """Change every table."""
        tables, now, periods, proof = self.tables, self.now, self.periods, self.proof
        begin, before, replay = proof.begin, proof.before, proof.replay
        Rows(tables, proof, self.time).write(self._offsets())
        self._threads()
        self._lines()
        heaped = len(now.due)
        heap = tables.heap[:heaped]
        heap = heap[np.lexsort((heap[:, 1], heap[:, 0]))]
        step = np.zeros(len(now.slots), dtype=np.int64)
        step[begin.heap] = begin.due - before.due
        heap[:, 0] += periods * step[now.heap]
        tables.heap[:heaped] = heap[np.lexsort((heap[:, 1], heap[:, 0]))]
        tables.state += periods * (begin.state - before.state)
        tables.stats += periods * np.array(replay.stats).reshape(tables.stats.shape)
        tables.sums += periods * (begin.sums - before.sums)
        self._marks()
        control = tables.control
        control[c.NOW] = self.time
        control[c.EXECUTED] += periods * proof.steps
        control[c.EVENTS] += periods * replay.events
        control[c.NEXT_SERIAL] += periods * (replay.serials - int(begin.control[c.NEXT_SERIAL]))
        budget = int(tables.sizes[c.BUDGET]) + periods * proof.steps
        tables.sizes[c.BUDGET] = min(budget, HORIZON)

    def _threads(self) -> None:
        threads, now, periods = self.tables.threads, self.now, self.periods
        begin, before = self.proof.begin, self.proof.before
        registers = now.registers + periods * (begin.registers - before.registers)
        serials = now.rows[:, c.SERIAL] + periods * (begin.rows[:, c.SERIAL] - before.rows[:, c.SERIAL])
        slots = now.slots
        threads[slots, c.REGISTERS : c.REGISTERS + registers.shape[1]] = registers
        threads[slots, c.SERIAL] = serials
        threads[slots, c.AMOUNT] += periods * (begin.amounts - before.amounts)
        threads[slots, c.PARENT_SERIAL] = np.where(now.parents >= 0, serials[now.parents], -1)

    def _areas(self) -> list[list[int]]:
        """Those of each resource now: of what is in use, and of the line."""
        now = self.now.now
        return [
            [row[c.BUSY] + row[c.IN_USE] * now, row[c.QUEUE] + row[c.LINE] * now]
            for row in self.now.resources.tolist()
        ]

    def _offsets(self) -> list[int]:
        """By how much more they are than the proof tells."""
        return [
            area - total - self.passed * step
            for found, told in zip(self._areas(), self.proof.replay.areas, strict=True)
            for area, (total, step) in zip(found, told, strict=True)
        ]

    def _lines(self) -> None:
        """Counters and areas of resources and containers."""
        replay = self.proof.replay
        for row, server, areas, grown in zip(
            self.tables.resources, replay.servers, self._areas(), replay.areas, strict=True
        ):
            row[c.SEIZES] += self.periods * server.seizes
            row[c.WAITS] += self.periods * server.waits
            for at, (level, total) in enumerate(((c.IN_USE, c.BUSY), (c.LINE, c.QUEUE))):
                row[total] = wrapped(areas[at] + self.periods * grown[at][1] - int(row[level]) * self.time)
        for row, store in zip(self.tables.containers, replay.stores, strict=True):
            row[c.PUT_TOTAL] += self.periods * store.put_total
            row[c.GOT_TOTAL] += self.periods * store.got_total
            row[c.BLOCKED] += self.periods * store.blocked
            row[c.LAST] = self.time
            total = sum(int(row[c.AREA + digit]) << (31 * digit) for digit in range(4))
            total += self.periods * store.content.upto(replay.env.now)
            row[c.AREA : c.AREA + 4] = [
                total & c.MASK,
                total >> 31 & c.MASK,
                total >> 62 & c.MASK,
                total >> 93,
            ]

    def _marks(self) -> None:
        """What the periods record, one after the other."""
        values, steps = np.moveaxis(self.proof.marks, 2, 0).copy()
        log = self.tables.more_marks(self.periods * len(values)).reshape(self.periods, len(values), c.LOG_COLUMNS)
        np.multiply(np.arange(self.passed, self.passed + self.periods)[:, None, None], steps, out=log)
        log += values


class Rows:
    """The timeline as it is when the time has gone on up to `end`, all periods before being those of the proof."""

    def __init__(self, tables: Any, proof: Proof, end: int) -> None:
        self.tables, self.proof = tables, proof
        control = tables.control
        times = tables.times[: control[c.ROWS]].tolist()
        interval, following = int(control[c.INTERVAL]), int(control[c.NEXT_SAMPLE])
        while following < end:
            times.append(following)
            if len(times) == SAMPLES:
                times = times[1::2]
                interval *= 2
            if following > HORIZON - interval:
                following = HORIZON
                break
            following = times[-1] + interval
        self.times, self.interval, self.following = times, interval, following

    def write(self, offsets: list[int]) -> None:
        """Bring the tables up to date; the first columns are so much more than the proof tells."""
        tables, control, proof = self.tables, self.tables.control, self.proof
        had = {time: row for row, time in enumerate(tables.times[: control[c.ROWS]].tolist())}
        kept = [had[time] for time in self.times if time in had]
        tables.samples[: len(kept)] = tables.samples[kept]
        tables.times[: len(self.times)] = self.times
        new = np.array(self.times[len(kept) :], dtype=np.int64)
        if len(new):
            passed = (new - proof.begin.now) // proof.span
            for at, column in enumerate(proof.columns):
                more = offsets[at] if at < len(offsets) else 0
                found = column.at(new, passed, proof.span) + wrapped(more)
                tables.samples[len(kept) : len(self.times), at] = found
        control[c.ROWS] = len(self.times)
        control[c.INTERVAL], control[c.NEXT_SAMPLE] = self.interval, self.following
