"""Skipping periods of a run that repeats itself, exactly.

The compiled engine is stopped before some marks in a row. Where its state has the same shape three times at equal
distances, and every value grew evenly, the next period is run by `simio.engines.replay`, which tells for how many
periods nothing comes out differently. What these add (time, counters, areas, marks, rows of the timeline) is then
added at once, and the engine goes on from there. Nothing about a program or a machine has to be known for that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.affine import NotAffine, parts
from simio.engines.outcome import RECORD_LIMIT, SAMPLES, Options
from simio.engines.replay import Replay
from simio.engines.snapshot import Snapshot
from simio.program.steps import HORIZON, Program

FIRST = 16_000_000
"""Steps that are run before it is worth to look for a period, and twice as many before each look that follows."""
SHARE = 100_000
"""One stop for so many steps that have been run: looking is to cost a small part of running."""
PERIOD = 1_000
"""A period that is replayed has at most one step for so many that have been run, and 10,000."""
GAIN = 1_500
"""So many times a step is run in the time that replaying one takes: fewer periods are run faster than skipped."""
ATTEMPTS = 3
"""Periods that are replayed in one look, if they fail."""


class Watch:
    """Looks for a period now and then, and jumps; `stop` is called when the loop has stopped before a mark."""

    def __init__(self, program: Program, options: Options, tables: Any) -> None:
        self.program, self.options, self.tables = program, options, tables
        self.next = FIRST
        self.skipped = self.added = 0
        self.left = self.attempts = 0
        self.key: tuple[int, ...] = ()
        self.found: dict[int, Snapshot] = {}

    def stop(self) -> int:
        """Look; returns the number of marks at which the loop is to stop next."""
        control = self.tables.control
        done = int(control[c.EXECUTED]) - self.skipped
        logged = int(control[c.LOGGED])
        key = tuple(int(control[at]) for at in (c.STEP, c.HEAPED, c.RING_COUNT, c.WORKING))
        key += (int(control[c.USED] - control[c.FREED]),)
        if self.left:
            self.left -= 1
            if key == self.key and self._jumps(logged, done):
                done, logged = int(control[c.EXECUTED]) - self.skipped, int(control[c.LOGGED])
                self.left = 0
            if self.left:
                return logged + 1
            self.found = {}
            self.next = 2 * done
        elif done >= self.next:
            self.left, self.attempts = 16 + done // SHARE, ATTEMPTS
            self.key = key
            self.found = {logged: Snapshot(self.tables, self.program.registers)}
            return logged + 1
        marks = logged - self.added
        return logged + 1 + max(self.next - done, 0) * marks // max(done, 1)

    def _jumps(self, logged: int, done: int) -> bool:
        """Compare with what was found before; whether that led to a jump."""
        now = self.found[logged] = Snapshot(self.tables, self.program.registers)
        first = min(self.found)
        middle, odd = divmod(first + logged, 2)
        if odd or middle not in self.found or not self.attempts:
            return False
        base, before = self.found[first], self.found[middle]
        steps = int(now.control[c.EXECUTED] - before.control[c.EXECUTED])
        if steps > 10_000 + done // PERIOD or now.now == before.now:
            return False
        if not (now.alike(before) and now.alike(base)):
            return False
        if not np.array_equal(now.values - before.values, before.values - base.values):
            return False
        self.attempts -= 1
        self.left *= self.attempts > 0
        return self._skip(before, now, steps)

    def _skip(self, before: Snapshot, now: Snapshot, steps: int) -> bool:
        """Replay the next period, and skip as many as are like it."""
        until = self.options.until
        try:
            replay = Replay(self.program, until, before, now, steps)
            if not replay.period():
                return False
            periods = self._periods(replay)
            if periods * steps < max(GAIN * (steps + 1_000), steps):
                self.left = 0
                return False
            rows = Rows(self.tables, now.now, replay.span, periods)
            again = Replay(self.program, until, before, now, steps)
            if not again.period(rows.phases()):
                return False
        except NotAffine:
            return False
        rows.write(dict(again.samples))
        Leap(self.tables, replay, periods, steps).make()
        self.skipped += periods * steps
        self.added += periods * len(replay.marks)
        return True

    def _periods(self, replay: Replay) -> int:
        """How many periods can be skipped: all are alike, the log has room, and every number fits."""
        limit = replay.horizon.periods
        most = HORIZON if limit is None else limit
        if replay.marks:
            most = min(most, (RECORD_LIMIT - int(self.tables.control[c.LOGGED])) // len(replay.marks))
        now, before = replay.begin, replay.before
        room = HORIZON // 2
        most = min(most, room // replay.options.budget)
        for new, old in ((now.values, before.values), (now.stats.ravel(), before.stats.ravel())):
            step = np.abs(new - old)
            grows = step > 0
            if grows.any():
                most = min(most, int(((room - np.abs(new[grows])) // step[grows]).min()))
        return most


class Rows:
    """The timeline as it is after `periods` periods of `span` ps from `now` on."""

    def __init__(self, tables: Any, now: int, span: int, periods: int) -> None:
        self.tables = tables
        control = tables.control
        times = tables.times[: control[c.ROWS]].tolist()
        interval, following = int(control[c.INTERVAL]), int(control[c.NEXT_SAMPLE])
        while following < now + periods * span:
            times.append(following)
            if len(times) == SAMPLES:
                times = times[1::2]
                interval *= 2
            if following > HORIZON - interval:
                following = HORIZON
                break
            following = times[-1] + interval
        self.times, self.interval, self.following = times, interval, following
        self.instants = {time: divmod(time - now, span) for time in times if time >= now}

    def phases(self) -> list[int]:
        """Instants of a period, in ps from its begin, at which rows are needed."""
        return sorted({phase for _, phase in self.instants.values()})

    def write(self, samples: dict[int, list[Any]]) -> None:
        """Bring the tables up to date, with what the period's first run had at these instants."""
        tables, control = self.tables, self.tables.control
        had = tables.times[: control[c.ROWS]].tolist()
        kept = dict(zip(had, tables.samples.tolist(), strict=False))
        for row, time in enumerate(self.times):
            if time in self.instants:
                period, phase = self.instants[time]
                values = [value + period * step for value, step in map(parts, samples[phase])]
            else:
                values = kept[time]
            tables.times[row] = time
            tables.samples[row] = [wrapped(value) for value in values]
        control[c.ROWS] = len(self.times)
        control[c.INTERVAL], control[c.NEXT_SAMPLE] = self.interval, self.following


class Leap:
    """The tables of a run, `periods` periods later than they are."""

    def __init__(self, tables: Any, replay: Replay, periods: int, steps: int) -> None:
        self.tables, self.replay, self.periods, self.steps = tables, replay, periods, steps
        self.now, self.before = replay.begin, replay.before
        self.time = self.now.now + periods * replay.span

    def make(self) -> None:
        """Change every table."""
        tables, now, before, periods = self.tables, self.now, self.before, self.periods
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
        rows = [[part for number in row for part in parts(number)] for row in self.replay.marks]
        if not rows:
            return
        table = np.array(rows, dtype=np.int64)
        grown = table[None, :, 0::2] + np.arange(self.periods)[:, None, None] * table[None, :, 1::2]
        self.tables.record(grown.reshape(-1, c.LOG_COLUMNS))


def wrapped(value: int) -> int:
    """What is left of a whole number in 64 bits."""
    return (value + 2**63) % 2**64 - 2**63
