"""Time of the holders of a lock: what they seize, places where they work, and machines that they ask."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from simio.program.steps import STRIDE, Op, Program, named_row, numbered

T = TypeVar("T")
Work = tuple[bool, set[int]]
"""A flag that holders of a lock take time with no other resource held, and rows of the resources that they seize."""

KEPT = 64
"""Largest number of programs whose holdings are kept: as many as a sweep has templates."""
MOST_STEPS = 2**18
"""Steps of all these programs together, at most, which are 16 MB."""


class Holding:
    """The steps between the SEIZE of a lock and its RELEASE, in the body of a thread and of those that it forks."""

    _kept: ClassVar[list[Holding]] = []

    def __init__(self, program: Program) -> None:
        self.resources, self.bodies, self.labels = program.resources, program.bodies, program.labels
        self.steps = program.steps
        self._found: dict[int, frozenset[int]] = {}
        self._known: dict[int, frozenset[str]] = {}
        self._firsts, self._ends = (np.array([body[at] for body in program.bodies], dtype=np.int64) for at in (0, 1))
        self._all = np.flatnonzero(self.steps[:, 0] == Op.SEIZE)
        self._named = np.flatnonzero(np.isin(self.steps[:, 0], (Op.SEIZE, Op.RELEASE)))
        self._places: dict[int, str] = {}
        self._telling = np.flatnonzero(np.isin(self.steps[:, 0], (Op.SEIZE, Op.RELEASE, Op.ADVANCE)))
        self._operands = self.steps[self._telling][:, [0, 1, STRIDE]].tolist()
        around = [label for label in program.labels if not label.call]
        self._where = [label.where for label in around]
        self._starts = np.array([label.start for label in around], dtype=np.int64)
        self._stops = np.array([label.end for label in around], dtype=np.int64)
        self._machines, self._offsets = program.machines, [offset for _, offset in program.machines]
        self.rows = {resource.name: row for row, resource in enumerate(program.resources)}

    @classmethod
    def of(cls, program: Program) -> Holding:
        """The holding of a program, or of an earlier one that is the same in all that counts here, as in a sweep."""
        for each in cls._kept:
            if each._fits(program):
                return each
        made = cls(program)
        kept = [made, *cls._kept[: KEPT - 1]]
        while sum(len(each.steps) for each in kept) > MOST_STEPS:
            kept.pop()
        cls._kept = kept
        return made

    def _fits(self, program: Program) -> bool:
        return (
            program.bodies is self.bodies
            and program.labels is self.labels
            and program.resources is self.resources
            and (program.steps is self.steps or self._same(program.steps))
        )

    def _same(self, steps: NDArray[np.int64]) -> bool:
        return np.array_equal(steps[:, 0], self.steps[:, 0]) and np.array_equal(
            steps[self._named, 1:], self.steps[self._named, 1:]
        )

    def beneath(self, lock: int) -> frozenset[int]:
        """Rows of what works while a lock (a row, too) is held: servers, and locks whose holders work themselves.

        The lock itself is among them if it is such a one.
        """
        if lock not in self._found:
            found: set[int] = set()
            for row, works, inside in self._walk(lock, self._held):
                found |= {row} if works else set()
                found |= {each for each in inside if not self.resources[each].lock}
            self._found[lock] = frozenset(found)
        return self._found[lock]

    def asked(self, lock: int) -> frozenset[str]:
        """Names of the machines that holders of a lock (a row) ask before they wait, also while they hold others."""
        if lock not in self._known:
            each = self._walk(lock, self._machines_asked)
            self._known[lock] = frozenset(name for _, machines, _ in each for name in machines)
        return self._known[lock]

    def _walk(self, lock: int, look: Callable[[int], tuple[T, set[int]]]) -> Iterator[tuple[int, T, set[int]]]:
        """Each lock that holders of a lock seize, itself first, with what `look` finds: its own, and rows seized."""
        known: set[int] = set()
        wanted = [lock]
        while wanted:
            row = wanted.pop()
            if row not in known:
                known.add(row)
                found, inside = look(row)
                yield row, found, inside
                wanted += [each for each in inside if self.resources[each].lock]

    def _machines_asked(self, lock: int) -> tuple[set[str], set[int]]:
        """Machines that are asked while a lock is kept, if also during a wait, and rows seized then."""
        found = [self._asked(at, instance) for at, instance in self._seizes(lock)]
        return set().union(*(asked for asked, _ in found)), set().union(*(inside for _, inside in found))

    def _asked(self, at: int, instance: int) -> tuple[set[str], set[int]]:
        """Machines that are asked while what a step seizes is kept, if also during a wait, and rows seized then."""
        asked: set[str] = set()
        inside: set[int] = set()
        held, waits = True, False
        own = self.steps[at, [1, STRIDE]].tolist()
        for step in self.steps[at + 1 : self._released(at)].tolist():
            if step[0] in (Op.SEIZE, Op.RELEASE) and [step[1], step[STRIDE]] == own:
                # A process that sleeps gives its lock back meanwhile.
                held = step[0] == Op.SEIZE
            elif held and step[0] == Op.SEIZE:
                inside.add(named_row(step, instance))
            elif held and step[0] == Op.CALL:
                asked.add(self._machine(named_row(step, instance)))
            waits = waits or (held and step[0] == Op.GET)
        return asked if waits else set(), inside

    def _machine(self, offset: int) -> str:
        """The name of the machine at an offset of the state."""
        number = bisect_right(self._offsets, offset) - 1
        return self._machines[number][0] if number >= 0 else ""

    def _held(self, lock: int) -> Work:
        works, inside = False, set()
        for at, instance in self._seizes(lock):
            seized: list[tuple[int, int]] = []
            begin, end = np.searchsorted(self._telling, (at + 1, self._released(at))).tolist()
            for number in range(begin, end):
                op, a, stride = self._operands[number]
                if op == Op.SEIZE:
                    seized.append((a, stride))
                    inside.add(a + stride * instance)
                elif op == Op.RELEASE and (a, stride) in seized:
                    seized.remove((a, stride))
                elif op == Op.ADVANCE and not seized:
                    # A part's queue is held while the part works, which has a lock of its own.
                    place = self.rows.get(self._place(int(self._telling[number]), instance), lock)
                    works = works or place == lock
                    inside.add(place)
        return works, inside - {lock}

    def _place(self, at: int, instance: int) -> str:
        """The place of the innermost label of work around a step; '' if there is none."""
        if at not in self._places:
            around = np.flatnonzero((self._starts <= at) & (at < self._stops))
            self._places[at] = self._where[around[0]] if len(around) else ""
        return numbered(self._places[at], instance)

    def _seizes(self, lock: int) -> Iterator[tuple[int, int]]:
        """Each SEIZE of a lock, with the instance that it is for."""
        first, stride = self.steps[self._all, 1], self.steps[self._all, STRIDE]
        own = (first == lock) | ((stride > 0) & (lock > first) & ((lock - first) % np.maximum(stride, 1) == 0))
        for at in self._all[own].tolist():
            first_row, step = self.steps[at, [1, STRIDE]].tolist()
            yield at, 0 if first_row == lock else (lock - first_row) // step

    def _released(self, at: int) -> int:
        """The last RELEASE in its body of what a step seizes, or the end of that body."""
        first, stride = self.steps[at, [1, STRIDE]].tolist()
        end = int(self._ends[(self._firsts <= at) & (at < self._ends)].min())
        places = self._releases.get((first, stride), [])
        number = bisect_left(places, end)
        return places[number - 1] if number and places[number - 1] > at else end

    @cached_property
    def _releases(self) -> dict[tuple[int, int], list[int]]:
        """The steps that release each row, by its operands, in order."""
        found: dict[tuple[int, int], list[int]] = {}
        for at, (op, first, stride) in zip(self._telling.tolist(), self._operands, strict=True):
            if op == Op.RELEASE:
                found.setdefault((first, stride), []).append(at)
        return found
