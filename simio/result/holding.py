"""Time of the holders of a lock: what they seize, places where they work, and machines that they ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from simio.program.steps import Op, Program, numbered
from simio.result.seizing import Seizing

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
        self._works: dict[int, Work] = {}
        self._seizing = Seizing(program)
        self._named = np.flatnonzero(np.isin(self.steps[:, 0], (Op.SEIZE, Op.RELEASE)))
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
            each = self._walk(lock, self._asked)
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

    def _asked(self, lock: int) -> tuple[set[str], set[int]]:
        """Machines that holders of a lock ask before they wait, and rows that they seize."""
        machines: set[str] = set()
        inside: set[int] = set()
        for at, instance in self._seizing.of(lock):
            found = self._seizing.questions(at)
            machines |= {self._machine(row + stride * instance) for row, stride in found.called}
            inside |= {row + stride * instance for row, stride in found.seized}
        return machines, inside

    def _machine(self, offset: int) -> str:
        """The name of the machine at an offset of the state."""
        number = bisect_right(self._offsets, offset) - 1
        return self._machines[number][0] if number >= 0 else ""

    def _held(self, lock: int) -> Work:
        if lock not in self._works:
            self._works[lock] = self._work(lock)
        return self._works[lock]

    def _work(self, lock: int) -> Work:
        inside: set[int] = set()
        places: set[int] = set()
        for at, instance in self._seizing.of(lock):
            found = self._seizing.work(at)
            inside |= {row + stride * instance for row, stride in found.seized}
            # A part's queue is held while the part works, which has a lock of its own.
            places |= {self.rows.get(numbered(place, instance), lock) for place in found.places}
        return lock in places, (inside | places) - {lock}
