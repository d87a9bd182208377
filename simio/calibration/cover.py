"""Cover of the intervals: the measured rows inside, each judged by a model error learnt without its document."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from simio.calibration.freeze import cases_of
from simio.calibration.modelerror import Evidence, ModelError, all_evidence, learnt, likelihood
from simio.calibration.predict import DRAWS, SEED, between, with_intervals
from simio.errors import SimioError
from simio.result.compare import comparison_of
from simio.result.model import ScenarioResult
from simio.result.uncertainty import Interval
from simio.running import run_scenario
from simio.studies.blind import Blind, blind_tests, records
from simio.studies.rows import Library, Row, rows

RATES = ("throughput", "stream", "requests", "packets")
"""Quantities whose rows are evidence."""


@dataclass(frozen=True)
class Covered:
    """A row with its interval as shares of the prediction; `then` is that of a blind row when it was predicted."""

    document: str
    row: str
    blind: Blind | None
    error: float
    low: float
    high: float
    spread: float
    certain: float

    @property
    def covered(self) -> bool:
        """True if what was measured lies in the interval."""
        return math.log(self.low) <= self.error <= math.log(self.high)

    @property
    def width(self) -> float:
        """The width of the interval as a share of the prediction."""
        return self.high - self.low


def blind_rows(known: Sequence[Row], library: Library) -> dict[tuple[str, str], Blind]:
    """The predictions made blind that say something of an interval, by table and name of the row that each is of."""
    tests = blind_tests(records(library), known, {})
    return {(row.of.table, row.of.name): row for test in tests for row in test.judged}


def renewed(studies: Sequence[str], library: Library, progress: Callable[[str], Any] | None) -> list[Evidence]:
    """The evidence with that of the studies, or of all, as it is now, by runs; it takes minutes.

    The spread of a row is narrowed by the measured runs beside it, its own excepted, as in `simio run --interval`.
    Raises SimioError for a study that there is not.
    """
    blind = blind_rows(rows((), library), library)
    wanted = [row for row in rows(studies, library) if row.quantity in RATES]
    known: dict[str, list[Row]] = {}
    for row in wanted:
        if row.measured is not None or (row.table, row.name) in blind:
            known.setdefault(row.scenario, []).append(row)
    found = []
    for name, own in known.items():
        if progress:
            progress(name)
        scenario = library.scenario(name)
        ran = run_scenario(scenario, cases=cases_of(own))
        result = with_intervals(scenario, ran, tables=library.tables)
        here = (_evidence(row, result, blind.get((row.table, row.name))) for row in own)
        found += [each for each in here if each]
    order = {table: number for number, table in enumerate(library.names)}
    chosen = set(library.chosen(studies))
    kept = [each for each in all_evidence() if each.table in order and each.table not in chosen]
    return sorted(kept + found, key=lambda each: order[each.table])


def _evidence(row: Row, result: ScenarioResult, then: Blind | None) -> Evidence | None:
    own = comparison_of(result, row.of, row.case)
    if own is None or own.interval is None:
        return None
    error, interval = then.error if then else own.error, own.interval
    if error is None or error <= -1:
        return None
    log = -math.log1p(error)
    name = f"{row.table}: {row.name}"
    return Evidence(
        row.study, name, then is not None, *(round(x, 4) for x in (log, interval.spread, interval.certain))
    )


def covers(studies: Sequence[str]) -> list[Covered]:
    """Each row of the kept evidence of the studies, or of all: around what was predicted, with no run.

    To judge a row, the model error is learnt without its document. Raises SimioError for a study that there is not,
    and where there is no evidence of any.
    """
    library = Library()
    tables = set(library.chosen(studies))
    blind = blind_rows(rows((), library), library)
    wanted = [each for each in all_evidence() if each.table in tables]
    if not wanted:
        raise SimioError("--cover: found no evidence of these studies; --cover --update-baseline makes it")
    errors = {name: learnt(name) for name in dict.fromkeys(each.document for each in wanted)}
    found = []
    for each in wanted:
        table, _, name = each.row.partition(": ")
        interval = _interval(each, errors[each.document])
        then = blind.get((table, name)) if each.blind else None
        found.append(Covered(each.document, each.row, then, each.error, interval.low, interval.high,
                             each.spread, each.certain))  # fmt: skip
    return found


def _interval(row: Evidence, error: ModelError | None) -> Interval:
    """The interval of a row as shares of its prediction, from its spread, the model error and a certain bound."""
    random = np.random.default_rng(SEED)
    logs = row.spread * random.standard_normal(DRAWS)
    if error:
        logs = logs + error.draws(DRAWS, row.certain, random)
    if row.certain:
        logs = np.minimum(logs, -math.log(row.certain))
    return between(logs, 1.0)


@dataclass(frozen=True)
class CoverShare:
    """Rows of a kind: their number, how many lie inside, and the median width."""

    rows: int
    inside: int
    width: float

    @property
    def share(self) -> float:
        """The share inside."""
        return self.inside / self.rows if self.rows else 0.0


def share_of(found: Sequence[Covered]) -> CoverShare:
    """The cover of rows."""
    return CoverShare(
        len(found), sum(each.covered for each in found), median([each.width for each in found] or [0.0])
    )


def share_then(found: Sequence[Covered]) -> CoverShare:
    """The cover of blind rows by the intervals that they were predicted with."""
    inside, widths = 0, []
    for each in found:
        if each.blind and each.blind.kept.interval:
            low, high = (end / each.blind.kept.predicted for end in each.blind.kept.interval)
            inside += math.log(low) <= each.error <= math.log(high)
            widths.append(high - low)
    return CoverShare(len(widths), inside, median(widths or [0.0]))


def score(evidence: Sequence[Evidence]) -> float:
    """The sum over blind rows of the logarithm of their density, learnt without their document."""
    total = 0.0
    for row in evidence:
        error = learnt(row.document, evidence) if row.blind else None
        total += likelihood(row, error) if error else 0.0
    return total


def as_data(evidence: Sequence[Evidence]) -> list[dict[str, object]]:
    """Evidence as it is kept in `validation/evidence.json`. Raises SimioError if no row was measured."""
    if not evidence:
        raise SimioError("there is no evidence: no row was measured")
    return [asdict(each) for each in evidence]
