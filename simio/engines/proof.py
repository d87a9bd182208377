"""What a replayed period has proved, and where it holds again.

The states of the run at the begin of each period are on a line: `begin` + k * step for k = 0, 1, … At some k a thread
that sleeps wakes, and that is another period. Often nothing comes of it: a timer that was set on looks whether it is
due, and sleeps again. Then the state soon is on the line again, but for instants that somebody sleeps until and for
what only threads know that did nothing in the period. What the replay had asked of these instants is asked again of
the new ones, and as many periods as follow from that are alike, with no other replay.
"""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.affine import asked, digits, parts
from simio.engines.outcome import Ints
from simio.engines.replay import Replay
from simio.engines.snapshot import Snapshot
from simio.program.steps import HORIZON


class Proof:
    """The period that `replay` went through, of so many `steps`."""

    def __init__(self, replay: Replay, steps: int) -> None:
        self.replay, self.steps = replay, steps
        self.begin, self.before = replay.begin, replay.before
        self.span, self.horizon = replay.span, replay.horizon
        self.step: Ints = self.begin.values - self.before.values
        marks = [[parts(number) for number in row] for row in replay.marks]
        self.marks: Ints = np.array(marks, dtype=np.int64).reshape(-1, c.LOG_COLUMNS, 2)
        """What is recorded: each number, and its step."""
        self.columns = replay.columns()
        self.sleepers = self.begin.heap[replay.sleepers]
        """Ranks of who sleeps, in order of their instants."""
        self._pin()
        self.questions = [(value, digits(step), zero, answer) for value, step, zero, answer in self.horizon.asked]
        self._place()

    def _pin(self) -> None:
        """What is told of other periods must not depend on what is free."""
        for _, history in self.replay.gauged:
            for _, value in history.changes:
                parts(value)

    def _place(self) -> None:
        """Which values need not be on the line: what nobody looked at, and sleepers' instants."""
        begin, replay = self.begin, self.replay
        threads, width = begin.registers.shape
        registers, self.serials = 1 + threads, len(self.step) - threads
        loose = np.zeros(len(self.step), dtype=bool)
        for rank in replay.idle():
            loose[registers + rank * width :][:width] = True
        loose[self.serials :] = True
        tied = replay.tied(begin.values) & (self.step == 0) & ~loose
        tied[:registers] = False
        self.straight = ~(loose | tied)
        self.tied = np.flatnonzero(tied)
        self.tied_to = [replay.instants[value] for value in begin.values[tied].tolist()]

    def at(self, tables: Any) -> bool:
        """Whether the run that has stopped may be at the begin of a period."""
        now, step = int(tables.control[c.NOW]), int(tables.control[c.STEP])
        return step == self.begin.step and (now - self.begin.now) % self.span == 0

    def again(self, now: Snapshot) -> tuple[int, int | None]:
        """How many periods have passed since `begin`, and for how many from `now` on it holds; None: for ever."""
        passed = (now.now - self.begin.now) // self.span
        shifts = self._shifts(now, passed)
        if shifts is None or any(shifts[which] for which in self.horizon.pinned):
            return passed, 0
        most = None if self.horizon.always is None else self.horizon.always - passed
        for value, (own, *free), zero, answer in self.questions:
            moved = value + passed * own + sum(map(mul, free, shifts))
            same, periods = asked(moved, own, zero)
            if same != answer:
                return passed, 0
            if periods is not None:
                most = periods if most is None else min(most, periods)
        return passed, most

    def _shifts(self, now: Snapshot, passed: int) -> list[int] | None:
        """By how much each sleeper's instant is another than in the replay; None off the line."""
        begin = self.begin
        if len(now.values) != len(self.step) or not np.array_equal(now.shape, begin.shape):
            return None
        shifts = self._sleeping(now, passed)
        if shifts is None or passed > HORIZON // 2 // int(np.abs(self.step).max()):
            return None
        off = now.values - begin.values - passed * self.step
        straight = not off[self.straight].any() and np.array_equal(off[self.tied], shifts[self.tied_to])
        sums = now.sums - begin.sums - passed * (begin.sums - self.before.sums)
        if not straight or sums.any() or not self._numbered(now, passed, off[self.serials :]):
            return None
        return [int(shift) for shift in shifts]

    def _sleeping(self, now: Snapshot, passed: int) -> Ints | None:
        """The same of instants alone: sleepers are the same ones, and all others go on at instants on the line."""
        begin = self.begin
        if len(now.heap) != len(begin.heap):
            return None
        asleep = np.isin(now.heap, self.sleepers)
        awake = np.isin(begin.heap, self.sleepers, invert=True)
        if not np.array_equal(now.heap[~asleep], begin.heap[awake]):
            return None
        if (now.due[~asleep] - begin.due[awake] - passed * (begin.due - self.before.due)[awake]).any():
            return None
        shifts: dict[int, int] = {}
        due = dict(zip(now.heap[asleep].tolist(), now.due[asleep].tolist(), strict=True))
        for rank, before in zip(self.sleepers.tolist(), begin.due[~awake].tolist(), strict=True):
            shift = due[rank] - before
            if shifts.setdefault(self.replay.instants[before], shift) != shift:
                return None
        return np.array([shifts[which] for which in range(len(shifts))], dtype=np.int64)

    def _numbered(self, now: Snapshot, passed: int, off: Ints) -> bool:
        """Whether all threads since have been numbered in the same order, others having come between."""
        begin, steps = self.begin, self.replay.serials - int(self.begin.control[c.NEXT_SERIAL])
        following = now.control[c.NEXT_SERIAL] - begin.control[c.NEXT_SERIAL] - passed * steps
        return bool((off[self.step[self.serials :] != 0] == following).all())
