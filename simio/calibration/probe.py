"""Answers of one case with other values of the catalogue, from runs that are cut short."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from simio.errors import RunError, ScenarioError
from simio.loading import ScenarioFile
from simio.loading.catalogue import catalogue
from simio.loading.overlay import Overlay, Values
from simio.lower import lower
from simio.result.quantities import simulated_value
from simio.running import Lowered, RunOptions, pooled_rows, run_program
from simio.sweeps.families import Families
from simio.sweeps.outcome import measures_of

if TYPE_CHECKING:
    from simio.description.measured import MeasuredRow
    from simio.description.model import Case, Run, Scenario, System
    from simio.result.model import CaseResult
    from simio.sweeps.work import Task

STEPS = 200_000
"""Steps of a program that a short run takes, about: ten milliseconds."""
RUNS = 5
"""Replications of a short run, at most."""
NEAR = 0.1
"""A short run whose rate is further than this from that of the whole run, as a share, is too short."""
LONGER = 2
"""The factor by which a run that is too short is lengthened."""


@dataclass(frozen=True)
class ProbeAnswer:
    """Throughput and its bound in bytes a second (None without one), and the rows of a case in their units.

    `measures` are those of a sweep, where the probe is to have them.
    """

    rate: float
    bound: float | None
    rows: tuple[float | None, ...] = ()
    pooled: tuple[float | None, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Length:
    """Length of a whole run: program steps a run, runs, simulated time in ps; and its rate in bytes a second."""

    steps: float
    runs: int
    end: int
    rate: float

    @classmethod
    def of(cls, result: CaseResult) -> Length:
        """The length of a result's runs."""
        runs = max(len(result.seeds), 1)
        return cls(result.steps / runs, runs, result.end, float(result.rate))


class Source:
    """A scenario file whose cases are answered with other values; programs of its cases are made from templates."""

    def __init__(self, task: Task) -> None:
        self.parts = task.parts or catalogue()
        self.file = ScenarioFile(task.scenario, task.text, self.parts, task.tables)
        self.sets, self.engine = task.sets, task.engine
        self.families = Families(trials=0)
        self.allowed: dict[frozenset[tuple[tuple[str, str], str]], bool] = {}
        self.refused: set[tuple[str, str]] = set()


class Probe:
    """One case, answered with other values: by whole runs, or given its length by runs as short as give its rate.

    A run of many steps is cut off, and its warm-up with it; one of many replications has fewer of them, with the same
    seeds (common random numbers: Law, Simulation Modeling and Analysis, 5th edition, section 11.2). Where the short
    run has another rate than the whole, it is lengthened. A program that was run before is not run again.
    """

    def __init__(self, source: Source, index: int, length: Length | None = None, measures: bool = False) -> None:
        """Answers have all `measures` of their runs where these are asked for."""
        self.source, self.index, self._measures = source, index, measures
        self._known: dict[str, ProbeAnswer] = {}
        self.programs = 0
        scenario = source.file.scenario(source.sets, only=index)
        self.case = scenario.cases[0]
        rows = (*self.case.measured, *pooled_rows(scenario, self.case))
        self.columns = ("rate", "bound", *(row.label for row in rows))
        whole = self.case.system.run
        self.run, self.base = (
            self._short(scenario, length) if length else (whole, self._answered(scenario, whole, False))
        )

    def alone(self) -> Probe:
        """A copy with the answers that are known now, which learns by itself."""
        other = copy(self)
        other._known = dict(self._known)
        return other

    def answer(self, values: Values) -> ProbeAnswer | None:
        """The answer with these values; None where the parts, or the run, cannot have them."""
        try:
            return self._answered(self._with(values), self.run)
        except (ScenarioError, RunError):
            return None

    def allows(self, values: Values) -> bool:
        """True if the parts can have these values; asked once for all cases of a source."""
        key = frozenset(values.items())
        if key not in self.source.allowed:
            try:
                self._with(values)
                self.source.allowed[key] = True
            except ScenarioError:
                self.source.allowed[key] = False
        return self.source.allowed[key]

    def _with(self, values: Values) -> Scenario:
        file = self.source.file.with_parts(Overlay(self.source.parts, values))
        return file.scenario(self.source.sets, only=self.index)

    def _short(self, scenario: Scenario, length: Length) -> tuple[Run, ProbeAnswer]:
        run = self.case.system.run
        if length.steps <= STEPS:
            # A steady rate needs no replications, a random one needs some.
            runs = min(length.runs, RUNS, max(1, int(STEPS / max(length.steps, 1))))
            wanted = run if length.runs == 1 else run.model_copy(update={"replications": runs, "precision": None})
            return wanted, self._answered(scenario, wanted, prepared=False)
        share = STEPS / length.steps
        single: dict[str, Any] = {"precision": None} | ({} if length.runs == 1 else {"replications": 1})
        while share * LONGER < 1:
            # The warm-up is cut with the run: what its lack does to the rate is judged by that of the whole.
            warm_up = run.warm_up if run.warm_up == "auto" else math.ceil(run.warm_up * share)
            wanted = run.model_copy(update={**single, "until": math.ceil(length.end * share), "warm_up": warm_up})
            try:
                found = self._answered(scenario, wanted, prepared=False)
            except RunError:
                found = None
            if found and length.rate and abs(found.rate / length.rate - 1) <= NEAR:
                return wanted, found
            share *= LONGER
        wanted = run.model_copy(update=single)
        return wanted, self._answered(scenario, wanted, prepared=False)

    def compatible(self, values: Values) -> Values:
        """Values out of these that the parts accept together, as many as halving finds."""
        if not values or self.allows(values):
            return values
        if len(values) == 1:
            self.source.refused |= values.keys()
            return {}
        names = list(values)
        halves = names[: len(names) // 2], names[len(names) // 2 :]
        # Values that parts have refused once will hardly be accepted now.
        suspected = [name for name in names if name in self.source.refused]
        if suspected and len(suspected) < len(names):
            halves = [name for name in names if name not in self.source.refused], suspected
        first, second = (self.compatible({name: values[name] for name in half}) for half in halves)
        together = {**first, **second}
        return together if self.allows(together) else first

    @property
    def system(self) -> System:
        """The case's system, with its short run."""
        return replace(self.case.system, run=self.run)

    def prepare(self, several: Sequence[Values], alike: Sequence[System] = ()) -> None:
        """Trace lowering once, so that other values are cheap: these, and what varies between alike systems."""
        with suppress(ScenarioError, RunError):
            others = [replace(self._with(values).cases[0].system, run=self.run) for values in several]
            self.source.families.prepare(self.system, [*others, *alike])

    def _answered(self, scenario: Scenario, run: Run, prepared: bool = True) -> ProbeAnswer:
        case = scenario.cases[0]
        case = replace(case, system=replace(case.system, run=run))
        program = self.source.families.lower(case.system) if prepared else Lowered(lower(case.system))
        key = f"{program.hash} {run.until} {run.replications}"
        if key not in self._known:
            self.programs += 1
            also = pooled_rows(scenario, case)
            result = run_program(case, program, RunOptions(self.source.engine), also)
            found = answer_of(result, case, also)
            self._known[key] = replace(found, measures=measures_of(result)) if self._measures else found
        return self._known[key]


def answer_of(result: CaseResult, case: Case, also: Sequence[MeasuredRow]) -> ProbeAnswer:
    """The answer that a result gives."""
    return ProbeAnswer(
        float(result.rate),
        float(result.bound) if result.bound else None,
        tuple(simulated_value(result, row) for row in case.measured),
        tuple(simulated_value(result, row) for row in also),
    )


def change(base: float | None, found: float | None) -> float:
    """log(found / base); nan where there is none."""
    return math.log(found / base) if base and found and base > 0 and found > 0 else math.nan
