"""The tables of a run of the compiled engine as they are after periods that were not run.

Every period adds what the replayed one did (`simio.engines.replay`), each number growing by its step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.affine import parts
from simio.engines.history import wrapped
from simio.engines.outcome import SAMPLES
from simio.engines.replay import Replay
from simio.program.steps import HORIZON


class Leap:
    """The tables of a run, `periods` periods later than they are."""

    def __init__(self, tables: Any, replay: Replay, periods: int, steps: int) -> None:
        self.tables, self.replay, self.periods, self.steps = tables, replay, periods, steps
        self.now, self.before = replay.begin, replay.before
        self.time = self.now.now + periods * replay.span

    def make(self) -> None:
        """Change every table."""
        tables, now, before, periods = self.tables, self.now, self.before, self.periods
        Rows(tables, self.replay, periods).write()
        self._threads()
        self._lines()
        heaped = len(now.due)
        heap = tables.heap[:heaped]
        heap = heap[np.lexsort((heap[:, 1], heap[:, 0]))]
        heap[:, 0] += periods * (now.due - before.due)
        tables.heap[:heaped] = heap[np.lexsort((heap[:, 1], heap[:, 0]))]
        tables.state += periods * (now.state - before.state)
        tables.stats += periods * np.array(self.replay.stats).reshape(tables.stats.shape)
        for row, (value, step) in enumerate(map(parts, self.replay.sums)):
            tables.sums[row] = wrapped(value + (periods - 1) * step)
        self._marks()
        control = tables.control
        control[c.NOW] = self.time
        control[c.EXECUTED] += periods * self.steps
        control[c.EVENTS] += periods * self.replay.events
        control[c.NEXT_SERIAL] += periods * (self.replay.serials - int(now.control[c.NEXT_SERIAL]))
        budget = int(tables.sizes[c.BUDGET]) + periods * self.steps
        tables.sizes[c.BUDGET] = min(budget, HORIZON)

    def _threads(self) -> None:
        threads, now, before, periods = self.tables.threads, self.now, self.before, self.periods
        registers = now.registers + periods * (now.registers - before.registers)
        serials = now.rows[:, c.SERIAL] + periods * (now.rows[:, c.SERIAL] - before.rows[:, c.SERIAL])
        slots = now.slots
        threads[slots, c.REGISTERS : c.REGISTERS + registers.shape[1]] = registers
        threads[slots, c.SERIAL] = serials
        threads[slots, c.AMOUNT] += periods * (now.amounts - before.amounts)
        threads[slots, c.PARENT_SERIAL] = np.where(now.parents >= 0, serials[now.parents], -1)

    def _lines(self) -> None:
        """Counters and areas of resources and containers."""
        for row, server in zip(self.tables.resources, self.replay.servers, strict=True):
            row[c.SEIZES] += self.periods * server.seizes
            row[c.WAITS] += self.periods * server.waits
            for area, level, total in ((server.in_use, c.IN_USE, c.BUSY), (server.line, c.LINE, c.QUEUE)):
                value, step = parts(area.upto(self.replay.env.now))
                row[total] = wrapped(value + (self.periods - 1) * step - int(row[level]) * self.time)
        for row, store in zip(self.tables.containers, self.replay.stores, strict=True):
            row[c.PUT_TOTAL] += self.periods * store.put_total
            row[c.GOT_TOTAL] += self.periods * store.got_total
            row[c.BLOCKED] += self.periods * store.blocked
            row[c.LAST] = self.time
            total = sum(int(row[c.AREA + digit]) << (31 * digit) for digit in range(4))
            total += self.periods * store.content.upto(self.replay.env.now)
            row[c.AREA : c.AREA + 4] = [
                total & c.MASK,
                total >> 31 & c.MASK,
                total >> 62 & c.MASK,
                total >> 93,
            ]

    def _marks(self) -> None:
        """What the periods record, one after the other."""
        marks = [[parts(number) for number in row] for row in self.replay.marks]
        if not marks:
            return
        values, steps = np.moveaxis(np.array(marks, dtype=np.int64), 2, 0).copy()
        log = self.tables.more_marks(self.periods * len(marks)).reshape(
            self.periods, len(marks), c.LOG_COLUMNS
        )
        np.multiply(np.arange(self.periods)[:, None, None], steps, out=log)
        log += values


class Rows:
    """The timeline as it is after `periods` periods more."""

    def __init__(self, tables: Any, replay: Replay, periods: int) -> None:
        self.tables, self.replay = tables, replay
        control = tables.control
        times = tables.times[: control[c.ROWS]].tolist()
        interval, following = int(control[c.INTERVAL]), int(control[c.NEXT_SAMPLE])
        while following < replay.begin.now + periods * replay.span:
            times.append(following)
            if len(times) == SAMPLES:
                times = times[1::2]
                interval *= 2
            if following > HORIZON - interval:
                following = HORIZON
                break
            following = times[-1] + interval
        self.times, self.interval, self.following = times, interval, following

    def write(self) -> None:
        """Bring the tables up to date."""
        tables, control, replay = self.tables, self.tables.control, self.replay
        had = {time: row for row, time in enumerate(tables.times[: control[c.ROWS]].tolist())}
        kept = [had[time] for time in self.times if time in had]
        tables.samples[: len(kept)] = tables.samples[kept]
        tables.times[: len(self.times)] = self.times
        new = np.array(self.times[len(kept) :], dtype=np.int64)
        if len(new):
            passed = (new - replay.begin.now) // replay.span
            for at, column in enumerate(replay.columns()):
                tables.samples[len(kept) : len(self.times), at] = column.at(new, passed, replay.span)
        control[c.ROWS] = len(self.times)
        control[c.INTERVAL], control[c.NEXT_SAMPLE] = self.interval, self.following
