"""Intervals of a prediction: uncertain catalogue values carried through the simulation, and the model's error."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.calibration.covariance import LEVEL
from simio.calibration.ensemble import Ensemble
from simio.calibration.modelerror import ModelError, learnt
from simio.calibration.probe import Length
from simio.calibration.responses import GROUP, SMALL, Responses, respond
from simio.calibration.usage import Range, range_of, values_of
from simio.calibration.values import CatalogueValue
from simio.description.measured import APART, MeasuredRow
from simio.description.model import Scenario
from simio.errors import SimioError
from simio.loading.catalogue import Catalogue, catalogue
from simio.result.compare import pooled_value
from simio.result.model import CaseResult, ScenarioResult
from simio.result.quantities import simulated_value
from simio.result.uncertainty import Dependence, Interval, Uncertainty
from simio.sweeps import Task, run_many

Vector = NDArray[np.float64]
Key = tuple[object, ...]

DRAWS = 2000
"""Draws of all values from which quantiles are taken; they cost no run."""
FARTHEST = 2.0
"""Scores beyond this count as this: an effect was seen at a standard deviation."""
SEED = 1
NOISE = 0.05
"""Error of the model within a scenario's own rows, where nothing was predicted blind."""
DEPENDS = 0.05
"""A change of the answer, as a share, from which it depends on a value."""
PARALLEL = 2_000_000
"""Program steps of all runs from which several processes answer."""
_OVER: Mapping[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median, "most": np.max}


@dataclass(frozen=True)
class Responding:
    """The responses of the cases of a result to the values that are uncertain; `failed` groups of cases have none."""

    scenario: Scenario
    result: ScenarioResult
    values: Mapping[str, Range]
    responses: Mapping[int, Responses]
    failed: int

    def intervals(self, error: ModelError | None, level: float = LEVEL) -> ScenarioResult:
        """The result with intervals of this level, for a model error."""
        spreads = _Spreads(self.scenario, self.result, self.responses, list(self.values.values()), error, level)
        responses = self.responses.values()
        found = Uncertainty(
            samples=DRAWS,
            values=len(self.values),
            by_rule=sum(not each.stated for each in self.values.values()),
            halved=sum(each.halved for each in responses),
            failed=self.failed,
            evidence=error.told if error else "",
            model_error=error.deviation if error else None,
            pooled=tuple(spreads.pooled(number) for number in range(len(self.result.pooled))),
            runs=sum(each.runs for each in responses),
            unsourced=_unsourced(self.responses, self.values),
        )
        return replace(self.result, cases=tuple(map(spreads.case, self.result.cases)), uncertainty=found)


def with_intervals(
    scenario: Scenario,
    result: ScenarioResult,
    engine: str | None = None,
    progress: Callable[[int], Any] | None = None,
    tables: Path | None = None,
) -> ScenarioResult:
    """The result with a 90% interval of each throughput and measured quantity. Raises SimioError as `run_scenario`.

    `tables` is the folder that the scenario was loaded with; `progress` gets the number of answered cases.
    """
    return answered(scenario, result, None, engine, progress, tables).intervals(learnt())


def answered(
    scenario: Scenario,
    result: ScenarioResult,
    parts: Catalogue | None = None,
    engine: str | None = None,
    progress: Callable[[int], Any] | None = None,
    tables: Path | None = None,
) -> Responding:
    """The responses of each case, by short runs. Raises SimioError as `run_scenario`."""
    parts = parts or catalogue()
    folder = Path(scenario.path).parent
    indices = [case.index for case in result.cases]
    uncertain = {
        case.index: [found for value in values_of(case.system, parts, folder) if (found := range_of(value))]
        for case in scenario.cases
        if case.index in indices
    }
    responses, failed = _responses(scenario, result, uncertain, parts, engine, tables, progress)
    values = {each.value.name: each for own in uncertain.values() for each in own}
    return Responding(scenario, result, values, responses, failed)


def _responses(
    scenario: Scenario,
    result: ScenarioResult,
    uncertain: Mapping[int, Sequence[Range]],
    parts: Catalogue,
    engine: str | None,
    tables: Path | None,
    progress: Callable[[int], Any] | None,
) -> tuple[dict[int, Responses], int]:
    """The responses of each case that has some, and how many groups of cases could not be answered."""
    answered = [case for case in result.cases if case.rate]
    indices = [case.index for case in answered]
    groups = {indices[at]: indices[at : at + GROUP] for at in range(0, len(indices), GROUP)}
    lengths = {case.index: Length.of(case) for case in answered}
    tasks = [Task(scenario.path, result.sets, first, scenario.text, parts, engine, tables) for first in groups]
    do = partial(respond, uncertain=uncertain, lengths=lengths, group=groups, answered=None)
    several = len(tasks) > 1 and sum(case.steps for case in answered) > PARALLEL
    processors = _processors() if several else 1
    # One that would be last by itself is answered here, where values of each case are tried by all processors.
    pooled = len(tasks) - (len(tasks) % processors == 1) if several else 0
    found: dict[int, Responses] = {}
    failed = 0
    pool = run_many(tasks[:pooled], processors, do=do)
    # Tasks of this process tell of each case, those of others of each group.
    here = run_many(tasks[pooled:], 1, do=partial(do, answered=progress))
    for tell, (_, outcome) in chain(zip(repeat(progress), pool, strict=False), zip(repeat(None), here, strict=False)):
        if isinstance(outcome, SimioError):
            failed += 1
            if failed == len(tasks):
                raise outcome
            continue
        found |= {each.index: each for each in outcome}
        if tell:
            tell(len(outcome))
    return found, failed


def _processors() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def scores_of(uncertain: Sequence[Range]) -> dict[str, Vector]:
    """Scores of each value by name, standard normal, correlated as the fits found; the same each time."""
    drawn = np.random.default_rng(SEED).standard_normal((DRAWS, len(uncertain)))
    mixed = drawn @ _mixing([each.value for each in uncertain]).T
    clipped = np.clip(mixed, -FARTHEST, FARTHEST)
    return {each.value.name: clipped[:, column] for column, each in enumerate(uncertain)}


def _mixing(values: Sequence[CatalogueValue]) -> Vector:
    """The matrix that gives independent scores the correlations of the fits: the symmetric root of these."""
    names = {value.name: index for index, value in enumerate(values)}
    wanted = np.eye(len(values))
    for value in values:
        for other, share in (value.fit.correlation if value.fit else {}).items():
            if other in names:
                wanted[names[value.name], names[other]] = wanted[names[other], names[value.name]] = share
    strengths, directions = np.linalg.eigh(wanted)
    root = directions * np.sqrt(np.maximum(strengths, 0.0)) @ directions.T
    lengths = np.sqrt(np.sum(root**2, axis=1))
    mixed: Vector = root / np.where(lengths > 0, lengths, 1.0)[:, None]
    return mixed


def between(logs: Vector, value: float, level: float = LEVEL) -> Interval:
    """The interval about a value that holds a share `level` of draws of the logarithm of what it is multiplied by."""
    low, high = np.quantile(logs, [0.5 - level / 2, 0.5 + level / 2]) if len(logs) else (0.0, 0.0)
    return Interval(value * math.exp(min(float(low), 0.0)), value * math.exp(max(float(high), 0.0)))


class _Spreads:
    """Intervals of a result: draws of all values, conditioned on the measured runs, and the model's error."""

    def __init__(
        self,
        scenario: Scenario,
        result: ScenarioResult,
        responses: Mapping[int, Responses],
        uncertain: Sequence[Range],
        error: ModelError | None,
        level: float,
    ) -> None:
        self.scenario, self.result, self.error, self.level = scenario, result, error, level
        self.cases = {case.index: case for case in result.cases}
        scores = scores_of(uncertain)
        self.changes = {index: _drawn(each, scores) for index, each in responses.items()}
        self.certain = {index: _certain(self.cases[index], each) for index, each in responses.items()}
        self.ensemble = Ensemble(self._observed())

    def case(self, case: CaseResult) -> CaseResult:
        """A case with the intervals of its throughput and of its rows."""
        changes = self.changes.get(case.index)
        if changes is None:
            return replace(case, row_intervals=(None,) * len(case.measured))
        rows = []
        for number, row in enumerate(case.measured):
            key = run_key((case.index,), row)
            value = simulated_value(case, row)
            rows.append(self._around(value, changes[:, 2 + number], [key], case, row))
        same = [key for key in self.ensemble.observed if isinstance(key, tuple) and case.index in key[0]]
        own = self._around(float(case.rate), changes[:, 0], same, case)
        return replace(case, interval=own, row_intervals=tuple(rows))

    def pooled(self, number: int) -> Interval | None:
        """The interval of a row over several cases; None where not all of them were run."""
        each = self.result.pooled[number]
        drawn = self._pooled(number)
        if drawn is None:
            return None
        return self._around(*drawn, [run_key(each.cases, each.row)], self.cases[each.cases[0]], pooled=True)

    def _around(
        self,
        value: float | None,
        target: Vector,
        own: Sequence[Key],
        case: CaseResult,
        row: MeasuredRow | None = None,
        pooled: bool = False,
    ) -> Interval | None:
        """The interval about a value, from uncertain values, the measured runs and the model's error, below a cap."""
        if value is None or value <= 0:
            return None
        prior = float(np.mean(target**2))
        left = self.ensemble.variance(target, own, self.error.deviation if self.error else NOISE)
        logs = target * (math.sqrt(left / prior) if prior > 0 else 1.0)
        certain = 0.0 if pooled else self.certain.get(case.index, 0.0)
        if self.error:
            logs = logs + self.error.draws(DRAWS, certain, np.random.default_rng(SEED + 1))
        quantity = "" if pooled else row.quantity if row else "throughput"
        if quantity == "throughput" and case.bound and case.rate:
            logs = np.minimum(logs, math.log(case.bound / case.rate) + self.changes[case.index][:, 1])
        elif quantity in ("cpu", "process", "class"):
            logs = np.minimum(logs, math.log(max(100.0 / value, 1.0)))
        return replace(between(logs, value, self.level), spread=math.sqrt(left), certain=certain)

    def _pooled(self, number: int) -> tuple[float | None, Vector] | None:
        """The value of a row over several cases, and the logarithms of its changes; None if a case was not run."""
        each = self.result.pooled[number]
        if not self.changes.keys() >= set(each.cases):
            return None
        values = [simulated_value(self.cases[i], each.row) for i in each.cases]
        value = pooled_value(each.row, values)
        if not value or not all(values):
            return None
        columns = []
        for index, own in zip(each.cases, values, strict=True):
            place = sum(index in other.cases for other in self.scenario.pooled[:number])
            column = 2 + len(self.cases[index].measured) + place
            columns.append(own * np.exp(self.changes[index][:, column]))
        return value, np.log(_OVER[each.row.over](np.stack(columns), axis=0) / value)

    def _observed(self) -> dict[Hashable, Vector]:
        """The draws of each measured run: the mean of its rows."""
        runs: dict[Hashable, list[Vector]] = {}
        if self.result.sets:
            return {}  # what was measured belongs to the scenario as it is written
        for index, changes in self.changes.items():
            for number, row in enumerate(self.cases[index].measured):
                if row.value is not None and simulated_value(self.cases[index], row):
                    runs.setdefault(run_key((index,), row), []).append(changes[:, 2 + number])
        for number, each in enumerate(self.result.pooled):
            drawn = self._pooled(number) if each.row.value is not None else None
            if drawn:
                runs.setdefault(run_key(each.cases, each.row), []).append(drawn[1])
        return {key: np.mean(vectors, axis=0) for key, vectors in runs.items()}


def run_key(cases: Sequence[int], row: MeasuredRow) -> Key:
    """The run that a row is of, as `simio.calibration.model.run_of` has it."""
    return (tuple(cases), row.of if row.quantity in APART else None)


def _drawn(responses: Responses, scores: Mapping[str, Vector]) -> Vector:
    """The changes of a case's columns in each draw, with what the sum of effects leaves open."""
    changes = responses.changes(scores) if scores else np.zeros((DRAWS, len(responses.noise)))
    open_ = np.maximum(responses.noise, responses.residual)
    # The rest is of the run as a whole: all columns of a draw have their share of the same deviate.
    deviate = np.random.default_rng(SEED + 2 + responses.index).standard_normal(DRAWS)
    open_[1] = 0.0
    found: Vector = changes + np.outer(np.clip(deviate, -FARTHEST, FARTHEST), open_)
    return found


def _certain(case: CaseResult, responses: Responses) -> float:
    """The share of its bound that a case reaches, if no uncertain value raises the bound; else 0."""
    raised = any(side[name][1] > SMALL for side in (responses.low, responses.high) for name in side)
    return float(case.rate / case.bound) if case.bound and not raised else 0.0


def _unsourced(responses: Mapping[int, Responses], values: Mapping[str, Range]) -> tuple[Dependence, ...]:
    """The values without a source on which an answer depends, each where it depends most; the largest first."""
    found: dict[str, Dependence] = {}
    for each in responses.values():
        for name in each.low:
            known = values[name]
            low, high = (math.expm1(float(side[name][0])) for side in (each.low, each.high))
            size = max(abs(low), abs(high))
            before = found.get(name)
            if known.unsourced and size > DEPENDS and (before is None or size > before.size):
                value = known.value
                ends = value.text(known.at(-1.0), 3), value.text(known.at(1.0), 3)
                found[name] = Dependence(name, value.written, value.basis, each.index, ends, (low, high))
    return tuple(sorted(found.values(), key=lambda each: -each.size))
