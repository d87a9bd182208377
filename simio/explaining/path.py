"""A run's critical path: what had to happen, one thing after another, for something to happen when it did.

A run that was traced step by step is followed backwards. A step that took time is what time passed for. A thread that
waited for others is left for the one that let it go on: the thread that put into the container, released the lock,
or ended. Only where it waited in line for a resource that works for others, the wait itself is noted, and what
the thread did before is followed (C.-Q. Yang and B. P. Miller, "Critical path analysis for the execution of parallel
and distributed programs", ICDCS 1988). So the stretches that are found follow one another without a gap, and their
lengths add up to the time that passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simio.engines.outcome import Ints, Outcome
from simio.program.labels import Label
from simio.program.steps import NO_REGISTER, STRIDE, Op, Program, named_row, numbered

SERVICE, WAITING, DELAY = "service", "waiting", "delay"
"""Kinds of stretch: something works, a wait for a resource that serves others, or nothing works."""
TIMER = "timer"
"""The label of a wait that a rule lays down."""
_NOBODY = Label(0, 0, "", "")
_ENDED = {int(Op.GET): Op.PUT, int(Op.PUT): Op.GET, int(Op.SEIZE): Op.RELEASE, int(Op.JOIN): Op.END}
"""The operation of another thread that lets a thread go on which waited at an operation."""


@dataclass(frozen=True)
class Stretch:
    """A part of a path: `kind` of `what` at `where`, from `begin` to `end` in ps."""

    begin: int
    end: int
    kind: str
    what: str
    where: str


class Steps:
    """The work of each step of a program, by its labels and resources."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.steps = program.steps.tolist()

    @cached_property
    def work(self) -> list[Label]:
        """The innermost label of work around each step."""
        found = [_NOBODY] * len(self.steps)
        for label in reversed(self.program.labels):
            if not label.call:
                found[label.start : label.end] = [label] * (label.end - label.start)
        return found

    @cached_property
    def calls(self) -> list[str]:
        """The outermost call around each step, '' where there is none."""
        found = [""] * len(self.steps)
        for label in self.program.labels:
            if label.call:
                found[label.start : label.end] = [label.what] * (label.end - label.start)
        return found

    @cached_property
    def named(self) -> list[str]:
        """The calls that there are, '' the first."""
        return list(dict.fromkeys(["", *self.calls]))

    @cached_property
    def kinds(self) -> Ints:
        """Numbers among `named` of the calls around each step."""
        number = {what: index for index, what in enumerate(self.named)}
        return np.array([number[what] for what in self.calls], dtype=np.int64)

    def holding(self, at: int, instance: int = 0) -> int:
        """The resource that a step is done with: of those that its thread has seized where it stands, the last that
        works and is no lock, else the last; -1 where there is none. What another thread has seized is not seen."""
        seized = self._seized[at]
        return named_row(self.steps[seized], instance) if seized >= 0 else -1

    @cached_property
    def _seized(self) -> list[int]:
        """The SEIZE of that resource."""
        found = [-1] * len(self.steps)
        resources = self.program.resources
        ends = {first: end for first, end, _ in self.program.bodies}
        for first, end in ends.items():
            held: list[int] = []
            at = first - 1
            while (at := at + 1) < end:
                if at > first and at in ends:
                    at = ends[at] - 1
                    continue
                op, resource = self.steps[at][:2]
                if op == Op.SEIZE:
                    held.append(at)
                elif op == Op.RELEASE:
                    given = next((each for each in held if self.steps[each][1] == resource), None)
                    held = [each for each in held if each != given]
                working = [each for each in held if not resources[self.steps[each][1]].lock]
                found[at] = (working or held or [-1])[-1]
        return found

    def stretches(self, at: int, begin: int, end: int, thread: str, instance: int = 0) -> Iterator[Stretch]:
        """The work of a step of ADVANCE from `begin` to `end`; a part that depends on an amount may be apart."""
        label, (fixed, register) = self.work[at], self.steps[at][1:3]
        middle = begin + fixed if label.byte and register != NO_REGISTER else end
        place = numbered(label.where, instance)
        if label.what == TIMER:
            yield Stretch(begin, end, DELAY, label.what, place)
        elif label.what:
            yield Stretch(begin, min(middle, end), SERVICE, label.what, place)
            if middle < end:
                yield Stretch(middle, end, SERVICE, label.byte, place)
        else:
            resource = self.holding(at, instance)
            working = resource >= 0 and not self.program.resources[resource].lock
            where = self.program.resources[resource].name if resource >= 0 else thread
            yield Stretch(begin, end, SERVICE if working else DELAY, "", where)


class Path:
    """A traced run, which can be followed backwards from any of the steps in it."""

    def __init__(self, program: Program, outcome: Outcome) -> None:
        self.program = program
        self.steps = Steps(program)
        self.times, self.serials, self.at = (np.ascontiguousarray(outcome.trace[:, each]) for each in range(3))
        self.ops = program.steps[self.at, 0]
        self.first = sum(start.count for start in program.starts)
        self.forks = np.flatnonzero(self.ops == Op.FORK)
        self._starts = [start for start in program.starts for _ in range(start.count)]

    @cached_property
    def instances(self) -> list[int]:
        """The instance of each thread."""
        found = [start.instance for start in self._starts]
        for parent in self.serials[self.forks].tolist():
            found.append(found[parent])
        return found

    @cached_property
    def named(self) -> Ints:
        """The name that the first operand of each row's step stands for, if it stands for one."""
        named, stride = self.program.steps[:, 1], self.program.steps[:, STRIDE]
        return named[self.at] + stride[self.at] * np.array(self.instances)[self.serials]

    @cached_property
    def before(self) -> Ints:
        """The row of the step that the same thread did before each row's; -1 where there is none."""
        order = self.by_thread
        found = np.full(len(order), -1, dtype=np.int64)
        same = self.serials[order[1:]] == self.serials[order[:-1]]
        found[order[1:][same]] = order[:-1][same]
        return found

    @cached_property
    def by_thread(self) -> Ints:
        """Rows in the order of threads, and of each thread in the order of time."""
        return np.argsort(self.serials, kind="stable")

    @cached_property
    def begun(self) -> Ints:
        """The first row of those that the same thread did at the same instant as each row, without a break."""
        order = self.by_thread
        serials, times = self.serials[order], self.times[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (serials[1:] != serials[:-1]) | (times[1:] != times[:-1])
        found = np.empty(len(order), dtype=np.int64)
        found[order] = order[first][np.cumsum(first) - 1]
        return found

    def thread(self, serial: int) -> str:
        """Name of a thread."""
        if serial < self.first:
            return self._starts[serial].name
        fork = self.steps.steps[self.at[self.forks[serial - self.first]]]
        return self.program.names[named_row(fork, self.instances[serial])]

    def parent(self, serial: int) -> int:
        """Serial number of the thread that started another; -1 of those that a program begins with."""
        return -1 if serial < self.first else int(self.serials[self.forks[serial - self.first]])

    def follow(self, row: int, since: int) -> Iterator[Stretch]:
        """The stretches before a row, the last first, back to `since` ps, where the earliest is cut."""
        while row >= 0 and self.times[row] > since:
            row, found = self._back(int(self.begun[row]))
            for stretch in reversed(found):
                if stretch.end > max(since, stretch.begin):
                    begin = max(stretch.begin, since)
                    yield Stretch(begin, stretch.end, stretch.kind, stretch.what, stretch.where)

    def _back(self, row: int) -> tuple[int, list[Stretch]]:
        """The next row to follow, and the stretches between it and this one, before which time passed."""
        previous, now = int(self.before[row]), int(self.times[row])
        if previous < 0:
            return self._started(int(self.serials[row]), now)
        then = int(self.times[previous])
        at, op = int(self.at[previous]), int(self.ops[previous])
        if op == Op.ADVANCE:
            serial = int(self.serials[row])
            thread = self.thread(serial)
            return previous, list(self.steps.stretches(at, then, now, thread, self.instances[serial]))
        named = int(self.named[previous])
        if op == Op.SEIZE and not self.program.resources[named].lock:
            return previous, [Stretch(then, now, WAITING, "", self.program.resources[named].name)]
        cause = self.cause(row, named, op)
        if cause >= 0:
            return cause, []
        return previous, [Stretch(then, now, WAITING, "", self._awaited(named, op))]

    def _started(self, serial: int, now: int) -> tuple[int, list[Stretch]]:
        """The cause of a thread's first step, and the delay since."""
        if serial < self.first:
            return -1, [Stretch(0, now, DELAY, "", self.thread(serial))] if now else []
        fork = int(self.forks[serial - self.first])
        then = int(self.times[fork])
        return fork, [Stretch(then, now, DELAY, "", self.thread(serial))] if now > then else []

    def cause(self, row: int, target: int, op: int) -> int:
        """The row that let a thread go on that had waited for `target`; -1 where there is none to be found."""
        now = self.times[row]
        ended = _ENDED[op]
        rows = self._rows(ended, -1 if op == Op.JOIN else target)
        place = int(np.searchsorted(rows, row)) - 1
        while place >= 0 and self.times[rows[place]] == now:
            found = int(rows[place])
            if op != Op.JOIN or self.parent(int(self.serials[found])) == int(self.serials[row]):
                return found
            place -= 1
        return -1

    def _rows(self, op: Op, target: int) -> NDArray[np.int64]:
        key = (int(op), target)
        if key not in self._known:
            of = self.ops == op
            if target >= 0:
                of &= self.named == target
            self._known[key] = np.flatnonzero(of)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        return {}

    def _awaited(self, target: int, op: int) -> str:
        if op == Op.JOIN:
            return "children"
        rows = self.program.resources if op == Op.SEIZE else self.program.containers
        return rows[target].name
