"""The state of a run of the compiled engine that has stopped before a mark, in a form that two instants can share.

What only orders or names (slots, serial numbers) is told by rank: the threads that have not ended are numbered in
order of their creation. `shape` and `heap` are what has to be the same at both instants; `values` and `due` may
differ by a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simio.engines import layout as c
from simio.engines.outcome import Ints, Wait


class Snapshot:
    """`slots` are the rows of the threads by rank; lines, heap and ring hold ranks."""

    def __init__(self, tables: Any, registers: int) -> None:
        threads, control = tables.threads, tables.control
        used = threads[: control[c.USED]]
        live = np.flatnonzero(used[:, c.FLAGS] & c.LIVE)
        self.slots = live[np.argsort(used[live, c.SERIAL])]
        self.ranks = np.full(len(threads) + 1, -1)
        self.ranks[self.slots] = np.arange(len(self.slots))
        rows = threads[self.slots]
        self.rows = rows
        self.now, self.step = int(control[c.NOW]), int(control[c.STEP])
        self.running = int(self.ranks[control[c.SLOT]])
        heap = tables.heap[: control[c.HEAPED]]
        heap = heap[np.lexsort((heap[:, 1], heap[:, 0]))]
        self.due = heap[:, 0]
        self.heap = self.ranks[heap[:, 2]]
        ring = np.arange(control[c.RING_HEAD], control[c.RING_HEAD] + control[c.RING_COUNT])
        self.ring = self.ranks[tables.ring[ring % len(tables.ring)]]
        self.servers = self._lines(threads, tables.resources[:, c.HEAD])
        self.gets = self._lines(threads, tables.containers[:, c.GET_HEAD])
        self.puts = self._lines(threads, tables.containers[:, c.PUT_HEAD])
        self.parents = self._parents(threads, rows)
        self.resources, self.containers = tables.resources.copy(), tables.containers.copy()
        self.state, self.stats, self.sums = tables.state.copy(), tables.stats.copy(), tables.sums.copy()
        self.control = control.copy()
        waiting = (rows[:, c.WAIT] != Wait.READY) & (rows[:, c.WAIT] != Wait.JOIN)
        self.amounts = np.where(waiting, rows[:, c.AMOUNT], 0)
        kept = [c.NAME, c.CHILDREN, c.FLAGS, c.WAIT]
        self.placed = rows[:, c.PC].copy()
        self.placed[self.running] = self.step
        self.shape = np.concatenate([
            [self.running, self.step, control[c.WORKING], len(self.slots)], rows[:, kept].ravel(), self.placed,
            np.where(waiting, rows[:, c.WHAT], 0), self.parents, self.ring,
            [rank for line in (*self.servers, *self.gets, *self.puts) for rank in (*line, -1)],
            self.resources[:, [c.IN_USE, c.LINE, c.LONGEST]].ravel(),
            self.containers[:, [c.LEVEL, c.LOWEST, c.HIGHEST]].ravel(),
        ])  # fmt: skip
        self.registers: Ints = rows[:, c.REGISTERS : c.REGISTERS + registers]
        self.values = np.concatenate(
            [[self.now], self.amounts, self.registers.ravel(), self.state, rows[:, c.SERIAL]]
        )

    def _lines(self, threads: Ints, heads: Ints) -> list[list[int]]:
        found = []
        for slot in heads.tolist():
            line = []
            while slot >= 0:
                line.append(int(self.ranks[slot]))
                slot = threads[slot, c.NEXT]
            found.append(line)
        return found

    def _parents(self, threads: Ints, rows: Ints) -> Ints:
        """Ranks of the parents that may yet be told of an end, or -1."""
        parent = rows[:, c.PARENT]
        alive = (parent >= 0) & (rows[:, c.FLAGS] & c.JOINED != 0) & (threads[parent, c.FLAGS] & c.LIVE != 0)
        alive &= threads[parent, c.SERIAL] == rows[:, c.PARENT_SERIAL]
        return np.where(alive, self.ranks[parent], -1)

    def evenly(self, before: Snapshot, first: Snapshot) -> bool:
        """Whether all three are the same but for values, which grew evenly from the first on, time among them."""
        return (
            self.now > before.now
            and np.array_equal(self.shape, before.shape)
            and np.array_equal(self.shape, first.shape)
            and np.array_equal(self.heap, before.heap)
            and np.array_equal(self.heap, first.heap)
            and np.array_equal(self.due - before.due, before.due - first.due)
            and np.array_equal(self.values - before.values, before.values - first.values)
        )
