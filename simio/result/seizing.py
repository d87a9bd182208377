"""Steps from each SEIZE of a program to its RELEASE, as they are written, for whatever instance of a thread."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simio.program.steps import NAMING, STRIDE, Op, Program, Table

Named = tuple[int, int]
"""The row that a step names, and how far from it the row of the next instance is."""


class Work(NamedTuple):
    """Rows that are seized behind a SEIZE, and places where time passes with none of these held."""

    seized: frozenset[Named]
    places: frozenset[str]


class Questions(NamedTuple):
    """Rows that are seized behind a SEIZE, and machines that are called, if the thread waits for a GET as well.

    Steps do not count while the thread has given up what it seized, as one that sleeps does.
    """

    seized: frozenset[Named]
    called: frozenset[Named]


class Seizing:
    """The steps from each SEIZE to the last RELEASE of the same row in its body, or to the end of that."""

    def __init__(self, program: Program) -> None:
        self._steps = program.steps
        self._works: dict[int, Work] = {}
        self._questions: dict[int, Questions] = {}
        self._firsts, self._ends = (np.array([body[at] for body in program.bodies], dtype=np.int64) for at in (0, 1))
        self._all, self._rows = self._of(Op.SEIZE)
        self._working, self._worked = self._of(Op.SEIZE, Op.RELEASE, Op.ADVANCE)
        self._asking, self._named = self._of(Op.SEIZE, Op.CALL, Op.GET)
        around = [label for label in program.labels if not label.call]
        self._where = [label.where for label in around]
        self._starts = np.array([label.start for label in around], dtype=np.int64)
        self._stops = np.array([label.end for label in around], dtype=np.int64)

    def _of(self, *ops: Op) -> tuple[Table, Table]:
        """Steps of these operations by number, and the row and the stride that each names."""
        found = np.flatnonzero(np.isin(self._steps[:, 0], ops))
        columns = np.zeros(max(Op) + 1, dtype=np.int64)
        columns[list(NAMING)] = list(NAMING.values())
        own = self._steps[found]
        return found, np.column_stack((own[np.arange(len(own)), columns[own[:, 0]]], own[:, STRIDE]))

    def of(self, row: int) -> Iterator[tuple[int, int]]:
        """Each SEIZE of a row, by its step, with the instance that it is for."""
        first, stride = self._rows[:, 0], self._rows[:, 1]
        apart = row - first
        own = (apart == 0) | ((stride > 0) & (apart > 0) & (apart % np.maximum(stride, 1) == 0))
        instances = apart[own] // np.maximum(stride[own], 1)
        yield from zip(self._all[own].tolist(), instances.tolist(), strict=True)

    def work(self, at: int) -> Work:
        """The work that follows the SEIZE of a step."""
        if at not in self._works:
            self._works[at] = self._work(at)
        return self._works[at]

    def _work(self, at: int) -> Work:
        held: list[Named] = []
        inside: set[Named] = set()
        places: set[str] = set()
        begin, end = np.searchsorted(self._working, (at + 1, self._released(at))).tolist()
        for step, op, named in self._operands[begin:end]:
            if op == Op.SEIZE:
                held.append(named)
                inside.add(named)
            elif op == Op.RELEASE:
                if named in held:
                    held.remove(named)
            elif not held:
                places.add(self._place(step))
        return Work(frozenset(inside), frozenset(places))

    def _place(self, at: int) -> str:
        """The place of the innermost label of work around a step; '' if there is none."""
        around = np.flatnonzero((self._starts <= at) & (at < self._stops))
        return self._where[around[0]] if len(around) else ""

    def questions(self, at: int) -> Questions:
        """The calls that follow the SEIZE of a step."""
        if at not in self._questions:
            self._questions[at] = self._asked(at)
        return self._questions[at]

    def _asked(self, at: int) -> Questions:
        seized: set[Named] = set()
        called: set[Named] = set()
        waits = False
        for first, end in self._kept(at):
            begin, behind = np.searchsorted(self._asking, (first, end))
            ops, named = self._steps[self._asking[begin:behind], 0], self._named[begin:behind]
            seized.update((row, stride) for row, stride in named[ops == Op.SEIZE].tolist())
            called.update((row, stride) for row, stride in named[ops == Op.CALL].tolist())
            waits = waits or bool((ops == Op.GET).any())
        return Questions(frozenset(seized), frozenset(called if waits else ()))

    def _kept(self, at: int) -> Iterator[tuple[int, int]]:
        """The ranges of steps in which what a step seizes is kept: a process that sleeps gives its lock back."""
        end = self._released(at)
        row, stride = self._steps[at, [1, STRIDE]].tolist()
        since: int | None = at + 1
        found = self._changes[row, stride]
        for place, op in found[bisect_left(found, (at + 1,)) : bisect_left(found, (end,))]:
            if op == Op.RELEASE and since is not None:
                yield since, place
                since = None
            elif op == Op.SEIZE and since is None:
                since = place + 1
        if since is not None:
            yield since, end

    def _released(self, at: int) -> int:
        """The last RELEASE in its body of what a step seizes, or the end of that body."""
        row, stride = self._steps[at, [1, STRIDE]].tolist()
        end = int(self._ends[(self._firsts <= at) & (at < self._ends)].min())
        places = self._releases.get((row, stride), [])
        number = bisect_left(places, end)
        return places[number - 1] if number and places[number - 1] > at else end

    @cached_property
    def _releases(self) -> dict[Named, list[int]]:
        """The steps that release each row, in order."""
        changes = self._changes.items()
        return {row: [at for at, op in found if op == Op.RELEASE] for row, found in changes}

    @cached_property
    def _changes(self) -> dict[Named, list[tuple[int, int]]]:
        """The steps that seize or release each row, with their operations, in order."""
        found: dict[Named, list[tuple[int, int]]] = {}
        for step, op, named in self._operands:
            if op != Op.ADVANCE:
                found.setdefault(named, []).append((step, op))
        return found

    @cached_property
    def _operands(self) -> list[tuple[int, int, Named]]:
        """The steps that seize, release and advance, in order, with their operations and the rows that they name."""
        rows, strides = self._worked.T.tolist()
        ops = self._steps[self._working, 0].tolist()
        return list(zip(self._working.tolist(), ops, zip(rows, strides, strict=True), strict=True))
