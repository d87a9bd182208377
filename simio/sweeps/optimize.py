"""The best values of keys: by running all configurations, or by a search where they are too many."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from simio.errors import SimioError
from simio.extras import needs
from simio.sweeps.conditions import Requirement
from simio.sweeps.constraints import broken
from simio.sweeps.cost import Prices
from simio.sweeps.outcome import THROUGHPUT, measured
from simio.sweeps.rows import SweepRow, row_of
from simio.sweeps.space import Settings
from simio.sweeps.sweep import Plan, Workers
from simio.sweeps.ties import COST, as_good, margin
from simio.sweeps.values import Axis

GLOBAL = 0.7
"""Share of the runs for the search everywhere; the rest is for the neighbourhood of the best."""
FINEST = 1 / 512
"""The last step of the search in an interval, as a share of it."""
WORST = 1e30
GENERATIONS = 200

Point = tuple[float, ...]
"""A place in the space: a share from 0 to 1 on each axis."""


@dataclass(frozen=True)
class Goal:
    """The measure to bring up, or down, with a cost of at most `budget` and at least `least` bytes a second.

    `conditions` are what a configuration has to keep.
    """

    measure: str = THROUGHPUT
    maximise: bool = True
    budget: float | None = None
    least: float | None = None
    conditions: tuple[Requirement, ...] = ()

    def value(self, row: SweepRow) -> float:
        """The measure that is minimised. Raises SimioError for one that a run does not have."""
        if row.outcome is None:
            return WORST
        value = row.value(self.measure)
        if value is None:
            value = measured(row.outcome.measures, self.measure)
        short = (self.least or 0) - (row.throughput or 0)
        if self.least and short > 0:
            return WORST * (1 + short / self.least)
        missed = sum(broken(condition, row.outcome.measures) for condition in self.conditions)
        if missed:
            return WORST * (1 + missed)
        return -value if self.maximise else value

    def reached(self, row: SweepRow) -> bool:
        """True if a row ran and fulfils the conditions."""
        return self.value(row) < WORST

    def chosen(self, rows: Sequence[SweepRow]) -> list[SweepRow]:
        """The rows that are as good as the best; the one to take first, as `as_good` has it."""
        return as_good([row for row in rows if self.reached(row)], self.value, self.measure)

    def best(self, rows: Sequence[SweepRow]) -> SweepRow | None:
        """The best row by its figure alone: of equal ones the cheapest, of these the first."""
        good = [row for row in rows if self.reached(row)]
        return min(good, key=lambda row: (self.value(row), row.value(COST) or 0, row.number), default=None)

    def front(self, rows: Sequence[SweepRow]) -> list[SweepRow]:
        """The rows that no other beats in both cost and measure, the cheapest first; what costs more is better by
        more than chance.

        Where the cost is the measure, throughput stands against it.
        """
        against = Goal(conditions=self.conditions) if self.measure == COST else self
        found: list[SweepRow] = []
        good = [row for row in rows if self.reached(row)]
        for row in sorted(good, key=lambda row: (row.value(COST) or 0, against.value(row), row.number)):
            if not found or against.value(row) < against.value(found[-1]) - margin(row, found[-1], against.measure):
                found.append(row)
        return found


@dataclass
class Search:
    """A search for the best of a plan.

    `rows` are all configurations that were tried; those that cost too much did not run. `most`
    is the number of runs. `proven` says whether every configuration was tried.
    """

    plan: Plan
    goal: Goal
    prices: Prices
    workers: Workers
    most: int
    seed: int = 0
    step: Callable[[], Any] = lambda: None
    rows: list[SweepRow] = field(default_factory=list)
    runs: int = 0
    proven: bool = False
    _known: dict[tuple[str, ...], SweepRow] = field(default_factory=dict)
    _places: dict[tuple[str, ...], Point] = field(default_factory=dict)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of the plan."""
        return self.plan.space.axes

    @property
    def number(self) -> int | None:
        """Number of configurations, if they can be counted."""
        sizes = [size_of(axis) for axis in self.axes]
        return None if None in sizes else prod(size or 1 for size in sizes)

    def run(self) -> None:
        """Run all configurations if they are few enough, else search. What an interrupt leaves is in `rows`."""
        if self.number is not None and self.number <= self.most:
            self._all()
            self.proven = True
            return
        self._everywhere()
        self._around_best()

    def _all(self) -> None:
        points: list[Point] = [()]
        for axis in self.axes:
            size = size_of(axis) or 1
            points = [(*point, (index + 0.5) / size) for point in points for index in range(size)]
        self.values(points)

    def _everywhere(self) -> None:
        """Differential evolution (Storn and Price, 1997), a generation at a time."""
        needs("scipy", "a search over so many points")
        from scipy.optimize import differential_evolution

        source = random.Random(self.seed)
        size = max(5, min(10 * len(self.axes), self.most // 4))
        first = [[source.random() for _ in self.axes] for _ in range(size)]
        enough = int(GLOBAL * self.most)
        differential_evolution(
            lambda point: 0.0,  # never called: `workers` has the values of a generation at once
            [(0.0, 1.0)] * len(self.axes),
            init=first,
            rng=self.seed,
            maxiter=GENERATIONS,
            tol=0,
            polish=False,
            updating="deferred",
            workers=lambda _, points: self.values([tuple(map(float, point)) for point in points]),
            callback=lambda intermediate_result: self.runs >= enough,
        )

    def _around_best(self) -> None:
        """Steps along the axes from the best point: to the neighbours in lists, ever shorter ones in intervals."""
        share = 1 / 8
        best = self.goal.best(self.rows)
        while best is not None and self.runs < self.most:
            here = self._point(best.settings)
            points = [point for axis in range(len(here)) for point in self._beside(here, axis, share)]
            self.values(points)
            better = self.goal.best(self.rows)
            if better is best:
                if share <= FINEST:
                    return
                share /= 2
            best = better

    def _beside(self, here: Point, axis: int, share: float) -> list[Point]:
        size = size_of(self.axes[axis])
        step = max(share, 1 / size) if self.axes[axis].interval and size else 1 / size if size else share
        moved = [here[axis] - step, here[axis] + step]
        return [(*here[:axis], at, *here[axis + 1 :]) for at in moved if 0 <= at <= 1]

    def _point(self, settings: Mapping[str, str]) -> Point:
        return self._places[tuple(settings[key] for axis in self.axes for key in axis.keys)]

    def values(self, points: Sequence[Point]) -> list[float]:
        """The goal's value of each point, from runs of those that are new while runs are left."""
        wanted = [self._settings(point) for point in points]
        keys = [tuple(settings.values()) for settings in wanted]
        for key, point in zip(keys, points, strict=True):
            self._places.setdefault(key, point)
        self._try(dict(zip(keys, wanted, strict=True)))
        return [self.goal.value(self._known[key]) if key in self._known else WORST for key in keys]

    def _settings(self, point: Point) -> Settings:
        found: Settings = {}
        for axis, share in zip(self.axes, point, strict=True):
            if axis.interval:
                found[axis.keys[0]] = axis.interval.at(min(max(share, 0.0), 1.0))
            else:
                index = min(int(share * len(axis.points)), len(axis.points) - 1)
                found.update(zip(axis.keys, axis.points[index], strict=True))
        return found

    def _try(self, wanted: dict[tuple[str, ...], Settings]) -> None:
        """Run what is new, as far as the number of runs and the budget allow."""
        new: list[tuple[tuple[str, ...], Settings, float | None]] = []
        for key, settings in wanted.items():
            if key in self._known or self.runs + len(new) >= self.most:
                continue
            cost = self._cost(settings)
            if isinstance(cost, SimioError):
                self._note(key, settings, cost, None)
            elif self.goal.budget is not None and cost is not None and cost > self.goal.budget:
                self._note(key, settings, SimioError(f"costs {cost:g}, more than the budget"), cost)
            else:
                new.append((key, settings, cost))
        case = self.plan.cases[0][0]
        tasks = [self.plan.task_of(settings, case) for _, settings, _ in new]
        outcomes: dict[int, Any] = {}
        try:
            for index, outcome in self.workers.run(tasks):
                outcomes[index] = outcome
                self.runs += 1
                self.step()
        finally:
            # In order of the points, so that the rows do not depend on which run ended first.
            for index, (key, settings, cost) in enumerate(new):
                if index in outcomes:
                    self._note(key, settings, outcomes[index], cost)

    def _cost(self, settings: Settings) -> float | None | SimioError:
        """The price of a configuration; None without prices, and the error of one that cannot be built."""
        if not self.prices:
            return None
        task = self.plan.task_of(settings, self.plan.cases[0][0])
        try:
            built = self.plan.source.scenario(task.sets, only=task.case)
        except SimioError as error:
            return error
        return self.prices.of(settings, built.cases[0].system)

    def _note(self, key: tuple[str, ...], settings: Settings, outcome: Any, cost: float | None) -> None:
        row = row_of(len(self.rows) + 1, {**settings, **self.plan.cases[0][1]}, outcome)
        if row.outcome and cost is not None:
            row = replace(row, outcome=replace(row.outcome, measures={**row.outcome.measures, COST: cost}))
        self._known[key] = row
        self.rows.append(row)


def size_of(axis: Axis) -> int | None:
    """Number of values of an axis, if they can be counted."""
    return axis.interval.number if axis.interval else len(axis.points)
