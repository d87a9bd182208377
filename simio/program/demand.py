"""What a program is sure to ask for, whatever the order: how often steps run, and what they hold and wait for.

Only what is certain is counted: steps in branches and in loops of unknown length count as never run, and a duration
that depends on a register counts its fixed part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.program.steps import Op, Program

_FITS = 2.0**62


@dataclass(frozen=True)
class Work:
    """Certain demand of the threads of each start: on resources and windows (ps), and of one thread for itself."""

    resources: list[list[int]]
    windows: list[list[int]]
    own: list[Fraction]


def executions(program: Program) -> list[int]:
    """How often each step runs at least."""
    kind: Any = np.int64
    if any(factor.max(initial=0) >= _FITS for factor in _factors(program, np.float64)):
        kind = object
    numerators, denominators = _factors(program, kind)
    unsure = np.zeros(len(program.steps) + 1, dtype=np.int64)
    for region in program.regions:
        if region.least == 0:
            unsure[region.start] += 1
            unsure[region.end] -= 1
    numerators[np.cumsum(unsure[:-1]) > 0] = 0
    return list((numerators // denominators).tolist())


def _factors(program: Program, kind: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numerator and denominator of the product of all repetitions around each step, zeros left out."""
    numerators, denominators = np.zeros(len(program.steps), kind), np.ones(len(program.steps), kind)
    ends = ends_of_starts(program)
    for start, end in zip(program.starts, ends, strict=True):
        numerators[start.entry : end] = start.count
    for region in program.regions:
        if region.least not in (0, 1):
            numerators[region.start : region.end] *= region.least.numerator
            if region.least.denominator != 1:
                denominators[region.start : region.end] *= region.least.denominator
    return numerators, denominators


def ends_of_starts(program: Program) -> list[int]:
    """Where the steps of each start's threads end, those of their children among them."""
    ends = {first: end for first, end, _ in program.bodies}
    return [ends[start.entry] for start in program.starts]


class Starts:
    """Which start's threads, or their children, run a step."""

    def __init__(self, program: Program) -> None:
        entries = sorted((start.entry, number) for number, start in enumerate(program.starts))
        self._entries = [entry for entry, _ in entries]
        self._numbers = [number for _, number in entries]

    def of(self, step: int) -> int:
        """Number of the start."""
        return self._numbers[bisect_right(self._entries, step) - 1]


def work(program: Program, times: list[int]) -> Work:
    """The demand of every start; `times` says how often each step runs."""
    starts = Starts(program)
    found = Work(
        [[0] * len(program.resources) for _ in program.starts],
        [[0] * len(program.windows) for _ in program.starts],
        [Fraction(start.time) for start in program.starts],
    )
    entries = {start.entry: number for number, start in enumerate(program.starts)}
    for first, steps in _bodies(program):
        own, demand = _demand(steps, times)
        if first in entries:
            number = entries[first]
            found.own[number] += Fraction(own, program.starts[number].count)
        if demand:
            row = found.resources[starts.of(first)]
            for resource, time in demand.items():
                row[resource] += time
    for occupancy in program.occupancies:
        found.windows[starts.of(occupancy.at)][occupancy.window] += times[occupancy.at] * occupancy.time
    for request in program.demands:
        found.resources[starts.of(request.at)][request.resource] += times[request.at] * request.time
    return found


def _bodies(program: Program) -> Iterator[tuple[int, Iterator[list[int]]]]:
    """First step of each body that holds or waits, and its steps that do: body, step, operation, two operands.

    Steps of bodies that stand inside of another are not among those of the outer one.
    """
    firsts = np.zeros(len(program.steps), dtype=np.int64)
    for first, end, _ in sorted(program.bodies):
        firsts[first:end] = first
    operations = program.steps[:, 0]
    at = np.flatnonzero((operations == Op.ADVANCE) | (operations == Op.SEIZE) | (operations == Op.RELEASE))
    at = at[np.argsort(firsts[at], kind="stable")]
    rows = np.column_stack([firsts[at], at, program.steps[at, :3]]).tolist()
    return groupby(rows, key=itemgetter(0))


def _demand(steps: Iterator[list[int]], times: list[int]) -> tuple[int, dict[int, int]]:
    """A body's own time, and its certain demand on resources in unit-ps.

    What it seizes and does not give back itself is left out, since how long it holds that is not seen here.
    """
    held: dict[int, int] = {}
    demand: dict[int, int] = {}
    own = 0
    for _, at, operation, a, b in steps:
        if operation == 2:
            held[a] = held.get(a, 0) + b
        elif operation == 3:
            held[a] = held.get(a, 0) - b
        else:
            time = times[at] * a
            own += time
            for resource, units in held.items():
                if units > 0:
                    demand[resource] = demand.get(resource, 0) + time * units
    return own, {resource: time for resource, time in demand.items() if held[resource] == 0}
