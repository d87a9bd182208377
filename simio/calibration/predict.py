"""Intervals of a prediction: uncertain catalogue values carried through the simulation, and the model's error."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.calibration.ensemble import Ensemble
from simio.calibration.modelerror import Evidence, Key, ModelError, run_key
from simio.calibration.usage import Range, range_of, values_of
from simio.calibration.values import FLOOR, CatalogueValue
from simio.description.model import Scenario
from simio.errors import ScenarioError, SimioError
from simio.loading import ScenarioFile
from simio.loading.catalogue import Catalogue, catalogue
from simio.loading.overlay import Overlay
from simio.result.compare import pooled_value, simulated_value
from simio.result.model import CaseResult, Interval, ScenarioResult, Uncertainty
from simio.running import RunOptions, run_cases
from simio.sweeps import Task, run_many

Vector = NDArray[np.float64]

SAMPLES = 24
"""Points of the Latin hypercube: the standard deviation of 24 is known to 15 %."""
NORMAL_90 = 1.6449
"""Half a 90 % interval of a normal distribution, in standard deviations."""
SEED = 1
DIGITS = 3
"""Significant digits of drawn values: with more, the exact fractions of service times grow beyond 64 bits."""
HALVINGS = 3
"""A draw that no datasheet allows is taken half as far from the values as they are, so often."""


@dataclass(frozen=True)
class Sample:
    """Results of one case with the values of one draw: bytes a second, and its rows in their units."""

    rate: float
    rows: tuple[float | None, ...]
    pooled: tuple[float | None, ...]


def sampled(scenario: Scenario, task: Task) -> Sample:
    """The work of one task: the only case there is, reduced to what is compared."""
    result = next(run_cases(scenario, RunOptions(task.engine)))
    pooled = (simulated_value(result, each.row) for each in scenario.pooled if task.case in each.cases)
    return Sample(float(result.rate), tuple(simulated_value(result, row) for row in result.measured), tuple(pooled))


def with_intervals(
    scenario: Scenario,
    result: ScenarioResult,
    parts: Catalogue | None = None,
    engine: str | None = None,
    progress: Callable[[int, int], Any] | None = None,
    samples: int = SAMPLES,
    tables: Path | None = None,
) -> ScenarioResult:
    """The result with an interval of each throughput and measured quantity. Raises SimioError as `run_scenario`.

    `parts` and `tables` are those that the scenario was loaded with.
    """
    parts = parts or catalogue()
    folder = Path(scenario.path).parent
    indices = [case.index for case in result.cases]
    ranges: dict[str, Range] = {}
    for case in scenario.cases:
        if case.index in indices:
            for value in values_of(case.system, parts, folder):
                within = range_of(value)
                if within is not None:
                    ranges[value.name] = within
    uncertain = list(ranges.values())
    drawn = draws(uncertain, samples)
    first = ScenarioFile(scenario.path, scenario.text, tables=tables)
    overlays, halved = _possible(first, result.sets, parts, uncertain, drawn, indices[0])
    tasks = [
        Task(scenario.path, result.sets, index, scenario.text, overlay, engine, tables)
        for overlay in overlays
        for index in indices
    ]
    found: dict[tuple[int, int], Sample] = {}
    failed = 0
    for number, outcome in run_many(tasks, do=sampled):
        if isinstance(outcome, SimioError):
            failed += 1
            if failed == len(tasks):
                raise outcome
        else:
            found[number // len(indices), indices[number % len(indices)]] = outcome
        if progress:
            progress(number + 1, len(tasks))
    evidence = Evidence(scenario, result, parts, engine, tables)
    return _told(scenario, result, uncertain, found, evidence, len(overlays), halved, failed)


def draws(uncertain: Sequence[Range], samples: int) -> list[dict[str, float]]:
    """Values of each draw: a Latin hypercube (McKay, Beckman, Conover, 1979), the same each time.

    Fitted values are log-normal with the interval as their 90 %, correlated as their fit found; all others are
    uniform in the logarithm between their ends, or uniform where the lower is zero.
    """
    if not uncertain:
        return []
    from scipy.stats import norm, qmc

    shares = qmc.LatinHypercube(len(uncertain), rng=SEED).random(samples)
    scores = norm.ppf(shares)
    scores = scores @ _mixing([within.value for within in uncertain]).T
    found = []
    for share, score in zip(shares, scores, strict=True):
        point = zip(uncertain, share, score, strict=True)
        found.append({each.value.name: _drawn(each, float(u), float(z)) for each, u, z in point})
    return found


def _drawn(within: Range, share: float, score: float) -> float:
    value = within.value
    if value.basis == "fitted":
        low, high = max(within.low, value.number * FLOOR), within.high
        reach = math.log(value.number / low) if score < 0 else math.log(high / value.number)
        return value.number * math.exp(score * reach / NORMAL_90)
    if within.low <= 0:
        return within.low + share * (within.high - within.low)
    return within.low * (within.high / within.low) ** share


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
    mixed: Vector = root / lengths[:, None]
    return mixed


def _possible(
    source: ScenarioFile,
    sets: Sequence[str],
    parts: Catalogue,
    uncertain: Sequence[Range],
    drawn: Sequence[Mapping[str, float]],
    index: int,
) -> tuple[list[Overlay], int]:
    """An overlay for each draw that datasheets allow, drawn nearer where they do not; and how many were."""

    overlays, halved = [], 0
    for draw in drawn:
        for times in range(HALVINGS + 1):
            values = {}
            for within in uncertain:
                value = within.value
                number = value.number + (draw[value.name] - value.number) / 2**times
                if number > 0:
                    values[value.at] = value.text(number, DIGITS)
            overlay = Overlay(parts, values)
            try:
                ScenarioFile(source.path, source.text, overlay, source.studies).scenario(sets, only=index)
            except ScenarioError:
                continue
            overlays.append(overlay)
            halved += times > 0
            break
    return overlays, halved


def _told(
    scenario: Scenario,
    result: ScenarioResult,
    uncertain: Sequence[Range],
    found: Mapping[tuple[int, int], Sample],
    evidence: Evidence,
    drawn: int,
    halved: int,
    failed: int,
) -> ScenarioResult:
    spreads = _Spreads(scenario, result, found, drawn, evidence)
    told = Uncertainty(
        samples=drawn,
        values=len(uncertain),
        by_rule=sum(not within.stated for within in uncertain),
        halved=halved,
        failed=failed,
        evidence=evidence.told,
        model_error=evidence.everything.deviation if evidence.everything else None,
        pooled=tuple(spreads.pooled(number) for number in range(len(result.pooled))),
    )
    return replace(result, cases=tuple(spreads.case(case) for case in result.cases), uncertainty=told)


class _Spreads:
    """Intervals of a result: draws, conditioned on the measured runs, and the model's error."""

    def __init__(
        self,
        scenario: Scenario,
        result: ScenarioResult,
        found: Mapping[tuple[int, int], Sample],
        drawn: int,
        evidence: Evidence,
    ) -> None:
        self.scenario, self.result, self.found, self.evidence = scenario, result, found, evidence
        self.cases = {case.index: case for case in result.cases}
        # Only draws that every case could be run with can be told against one another.
        self.draws = [k for k in range(drawn) if all((k, index) in found for index in self.cases)]
        self.ensemble = Ensemble(self._observed())

    def case(self, case: CaseResult) -> CaseResult:
        """A case with the intervals of its throughput and of its rows."""
        rows = []
        for number, row in enumerate(case.measured):
            key = run_key((case.index,), row)
            rows.append(self._around(*self._row(case, number), [key], self.evidence.without(key)))
        same = [key for key in self.ensemble.observed if isinstance(key, tuple) and case.index in key[0]]
        error = self.evidence.without(*same)
        own = self._around(float(case.rate), [self.found[k, case.index].rate for k in self.draws], same, error)
        return replace(case, interval=own, row_intervals=tuple(rows))

    def pooled(self, number: int) -> Interval | None:
        """The interval of a row over several cases; None where not all of them were run."""
        each = self.result.pooled[number]
        if not self.cases.keys() >= set(each.cases):
            return None
        key = run_key(each.cases, each.row)
        return self._around(*self._pooled(number), [key], self.evidence.without(key))

    def _around(
        self,
        value: float | None,
        samples: Sequence[float | None],
        own: Sequence[Key],
        error: ModelError | None,
    ) -> Interval | None:
        """90 % about a value: both variances, as independent in the logarithm."""
        if value is None or value <= 0:
            return None
        target = _logs(value, samples)
        if not np.all(np.isfinite(target)) or (not len(target) and error is None):
            return None
        noise = error.deviation if error else None
        spread = self.ensemble.variance(target, own, noise) if len(target) else 0.0
        reach = (error.quantile if error else NORMAL_90) * math.sqrt(spread + (noise or 0.0) ** 2)
        return Interval(value * math.exp(-reach), value * math.exp(reach))

    def _row(self, case: CaseResult, number: int) -> tuple[float | None, list[float | None]]:
        """A row's value, and its value in each draw."""
        drawn = [self.found[k, case.index].rows[number] for k in self.draws]
        return simulated_value(case, case.measured[number]), drawn

    def _pooled(self, number: int) -> tuple[float | None, list[float | None]]:
        each = self.result.pooled[number]
        places = {i: sum(i in other.cases for other in self.scenario.pooled[:number]) for i in each.cases}
        drawn = [pooled_value(each.row, [self.found[k, i].pooled[places[i]] for i in each.cases]) for k in self.draws]
        return pooled_value(each.row, [simulated_value(self.cases[i], each.row) for i in each.cases]), drawn

    def _observed(self) -> dict[Hashable, Vector]:
        """The draws of each measured run: the mean of its rows."""
        runs: dict[Hashable, list[Vector]] = {}
        if self.result.sets:
            return {}  # what was measured belongs to the scenario as it is written
        for case in self.result.cases:
            for number, row in enumerate(case.measured):
                value, drawn = self._row(case, number)
                if row.value is not None and value:
                    runs.setdefault(run_key((case.index,), row), []).append(_logs(value, drawn))
        for number, each in enumerate(self.result.pooled):
            if each.row.value is not None and self.cases.keys() >= set(each.cases):
                value, drawn = self._pooled(number)
                if value:
                    runs.setdefault(run_key(each.cases, each.row), []).append(_logs(value, drawn))
        return {key: np.mean(vectors, axis=0) for key, vectors in runs.items()}


def _logs(value: float, samples: Sequence[float | None]) -> Vector:
    """log(sample / value), nan where there is none."""
    return np.array([math.log(each / value) if each and each > 0 else math.nan for each in samples])
