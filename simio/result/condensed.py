"""Marks of long runs in bounded memory: times as distributions, deliveries thinned, requests handed on.

A trace may have any number of requests. What a run has recorded of them is condensed whenever the engine's log is
full (`Options.condense`). Of deliveries two in a row of a stream become one at the time of the second: all bytes
count, and a delivery accrues evenly since the one before it anyway (`simio.result.measure`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from simio.engines.outcome import Ints, Outcome
from simio.errors import RunError
from simio.program.roles import REQUEST
from simio.program.steps import Program
from simio.sketch import Sketch

_BYTES = ("delivered", "sent", "counted")
_TIMES = ("latency", "time")

Sink = Callable[[Ints], object]
"""Is given records of marks of requests: time, mark, value."""


class Condenser:
    """Condenses the marks of one run, and hands those of requests to a `sink`, if there is one."""

    def __init__(self, program: Program, sink: Sink | None = None) -> None:
        self._roles = [mark.role for mark in program.marks]
        self._sink = sink
        self.times: dict[int, Sketch] = {}
        """The values of marks of times that were taken out of the log, by the row of the mark."""

    def __call__(self, marks: Ints) -> Ints:
        """The records that stay, in order. Raises RunError if these are hardly fewer."""
        kept = np.ones(len(marks), dtype=bool)
        values = marks[:, 2].copy()
        for row in np.unique(marks[:, 1]).tolist():
            own = np.flatnonzero(marks[:, 1] == row)
            if self._roles[row] in _TIMES:
                self.times.setdefault(row, Sketch()).add(values[own])
                kept[own] = False
            elif self._roles[row] in _BYTES and len(own) > 1:
                first, second = own[: len(own) // 2 * 2 : 2], own[1 : len(own) // 2 * 2 : 2]
                values[second] += values[first]
                kept[first] = False
            elif self._roles[row] == REQUEST:
                kept[own] = False
        if self._sink:
            self._sink(marks[np.array([role == REQUEST for role in self._roles])[marks[:, 1]]])
        if kept.sum() > len(marks) * 3 // 4:
            raise RunError("the run records more than can be kept; shorten it")
        return np.column_stack((marks[:, :2], values))[kept]

    def finish(self, outcome: Outcome) -> Outcome:
        """The outcome with what was condensed, the last of it, too; without records of requests."""
        rows = np.array([role == REQUEST for role in self._roles], dtype=bool)
        marks = outcome.marks
        requests = rows[marks[:, 1]]
        if self._sink and requests.any():
            self._sink(marks[requests])
        marks = marks[~requests]
        if self.times:
            late = np.array([role in _TIMES for role in self._roles])[marks[:, 1]]
            for row in np.unique(marks[late, 1]).tolist():
                self.times.setdefault(row, Sketch()).add(marks[marks[:, 1] == row, 2])
            marks = marks[~late]
        return replace(outcome, marks=marks, condensed=self.times)


def recorded(outcome: Outcome, row: int) -> Sketch:
    """Records of a mark in the whole run."""
    if row in outcome.condensed:
        return outcome.condensed[row]
    return Sketch(outcome.records((row,))[:, 2])
