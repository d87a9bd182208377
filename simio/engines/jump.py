"""Skipping periods of a run that repeats itself, exactly.

What is recorded tells whether a run may be repeating itself, at no cost while it runs (`repeated`). Where it may, the
compiled engine is stopped before the marks at which a period would begin. Where its state then has the same shape
three times at equal distances, and every value grew evenly, the next period is run by `simio.engines.replay`, which
tells for how many periods nothing comes out differently. What these add (time, counters, areas, marks, rows of the
timeline) is then added at once, and the engine goes on from there. Nothing about a program or a machine has to be
known for that.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import RECORD_LIMIT, Ints, Options
from simio.engines.snapshot import Snapshot
from simio.program.steps import HORIZON, Program

FIRST = 8_000_000
"""Steps that are run before a period is looked for, and before the next look after a jump."""
AGAIN = 2.0
"""After a look without a jump, so many times the steps are run before the next one."""
STOP = 60_000
"""Steps that are run in the time that a stop takes, and one more for each word of the tables."""
SHARE = 100
"""Of all steps, one in so many may be spent on the stops of one look, but for the fewest."""
FEWEST, MOST = 5, 32
"""Stops of one look."""
LONGEST = 20_000
"""Marks in the longest period that is looked for."""
PLACES = 32
"""Marks of a period that are looked at before all are."""
GAIN = 400
"""So many times a step is run in the time that replaying one takes."""
SAFETY = 4
"""What replaying costs has to be gained so many times if all goes well, and twice that after each time it did not."""


class Watch:
    """Looks for a period now and then, and jumps; `stop` is called when the loop has stopped before a mark."""

    def __init__(self, program: Program, options: Options, tables: Any) -> None:
        self.program, self.options, self.tables = program, options, tables
        self.next = FIRST
        self.skipped = self.added = 0
        self.due = self.left = self.apart = 0
        self.safety = SAFETY
        self.key: list[int] = []
        self.found: dict[int, Snapshot] = {}

    def stop(self) -> int:
        """Look; returns the number of marks at which the loop is to stop next."""
        logged = int(self.tables.control[c.LOGGED])
        if logged < self.due:  # The table of marks was full.
            return self.due
        done = int(self.tables.control[c.EXECUTED]) - self.skipped
        if not self.left and done >= self.next:
            self._look(logged, done)
        if self.left:
            self.left -= 1
            self.due = logged + self.apart
            if self._compare(logged, done):
                self.left = 0
        if not self.left:
            self.found = {}
            logged = int(self.tables.control[c.LOGGED])
            marks = logged - self.added
            self.due = logged + 1 + max(self.next - done, 0) * marks // max(done, 1)
        return self.due

    def _look(self, logged: int, done: int) -> None:
        """See whether to stop at equal distances from here on."""
        self.next = int(AGAIN * done)
        self.apart = repeated(self.tables.log[:logged])
        if self.apart:
            words = sum(table.size for table in (self.tables.threads, self.tables.state))
            self.left = min(max(done // (SHARE * (STOP + words)), FEWEST), MOST)

    def _compare(self, logged: int, done: int) -> bool:
        """Compare with the first stop of this look and the one halfway; whether to look no further."""
        control = self.tables.control
        key = [int(control[at]) for at in (c.STEP, c.HEAPED, c.RING_COUNT, c.WORKING)]
        key.append(int(control[c.USED] - control[c.FREED]))
        if not self.found:
            self.key = key
        if key != self.key:
            return False
        now = self.found[logged] = Snapshot(self.tables, self.program.registers)
        first = min(self.found)
        before, odd = divmod(first + logged, 2)
        if odd or before not in self.found or not now.evenly(self.found[before], self.found[first]):
            return False
        self._jump(self.found[before], now, done)
        return True

    def _jump(self, before: Snapshot, now: Snapshot, done: int) -> None:
        """Replay the next period if that promises a gain, and skip as many as are like it."""
        steps = int(now.control[c.EXECUTED] - before.control[c.EXECUTED])
        price = GAIN * (steps + 1_000)
        if self._promised(before, now, done // steps) * steps < self.safety * price:
            return
        self.safety *= 2
        periods = self._skip(before, now, steps, price // steps)
        if periods * steps > price:
            self.safety, self.next = SAFETY, done + FIRST

    def _promised(self, before: Snapshot, now: Snapshot, passed: int) -> int:
        """How many periods there may be, from what is easily seen: the time left, who wakes, and counts of loops.

        Where nothing tells when the run ends, as many as have `passed`.
        """
        span = now.now - before.now
        ends = [(self.options.until - now.now) // span] if self.options.until < HORIZON else []
        falling = before.registers - now.registers
        counts = (falling > 0) & (now.registers > 0)
        ends += (now.registers[counts] // falling[counts]).tolist()
        behind = span - (now.due - before.due)
        wakes = ((now.due - now.now)[behind > 0] // behind[behind > 0]).tolist()
        return int(min(wakes + (ends or [passed])))

    def _skip(self, before: Snapshot, now: Snapshot, steps: int, least: int) -> int:
        """How many periods were skipped, if `least` are alike; else none is."""
        from simio.engines.affine import NotAffine
        from simio.engines.leap import Leap
        from simio.engines.replay import Replay

        replay = Replay(self.program, self.options.until, before, now, steps, max(least, 1))
        collecting = gc.isenabled()
        gc.disable()  # a fifth of the time that replaying takes
        try:
            if not replay.period():
                return 0
        except NotAffine:
            return 0
        finally:
            if collecting:
                gc.enable()
        periods = self._fitting(replay)
        if periods > 0:
            Leap(self.tables, replay, periods, steps).make()
            self.skipped += periods * steps
            self.added += periods * len(replay.marks)
        return periods

    def _fitting(self, replay: Any) -> int:
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


def repeated(log: Ints) -> int:
    """The fewest marks after which the same ones came again, three times up to now, at evenly growing instants; or 0.

    It need not be a period of the state: that may be a multiple, or not repeat at all.
    """
    times, marks = log[:, 0], log[:, 1]
    count = len(log)
    apart = np.arange(1, min(count // 3, LONGEST) + 1)
    for look in range(PLACES):
        last = count - 1 - apart * look // PLACES
        even = (marks[last] == marks[last - apart]) & (marks[last] == marks[last - 2 * apart])
        even &= times[last] - times[last - apart] == times[last - apart] - times[last - 2 * apart]
        apart = apart[even]
    for period in apart.tolist():
        last, middle, first = (log[count - n * period :][:period] for n in (1, 2, 3))
        same = np.array_equal(last[:, 1], middle[:, 1]) and np.array_equal(middle[:, 1], first[:, 1])
        if same and np.array_equal(last[:, 0] - middle[:, 0], middle[:, 0] - first[:, 0]):
            return int(period)
    return 0
