"""Cover of the intervals: the measured rows inside, each judged by a model error learnt without its document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from simio.calibration.modelerror import Evidence, all_evidence, learnt, likelihood
from simio.calibration.predict import Answered, answered
from simio.errors import SimioError
from simio.result.compare import Comparison, comparisons, pooled_comparisons
from simio.result.model import Interval, ScenarioResult
from simio.running import run_scenario
from simio.studies.blind import Blind, blind_tests, records
from simio.studies.rows import Library, Row, rows


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
        """Whether what was measured lies in the interval."""
        return math.log(self.low) <= self.error <= math.log(self.high)

    @property
    def width(self) -> float:
        """The width of the interval as a share of the prediction."""
        return self.high - self.low


def blind_rows(known: Sequence[Row], library: Library) -> dict[tuple[str, str], Blind]:
    """The predictions made blind that say something of an interval, by table and name of the row that each is of."""
    tests = blind_tests(records(library), known, {})
    found = [row for test in tests for row in test.rows if row.kept.interval and _measured(row)]
    return {(row.kept.table, row.kept.case): row for row in found}


def _measured(row: Blind) -> tuple[float, float] | None:
    """What was measured of a row, at least and at most: of its table, else of the record; None if it is withheld."""
    if row.of.measured is not None:
        upper = row.of.measured if row.of.of.upper is None else row.of.of.upper
        return float(row.of.measured), float(upper)
    kept = row.kept.measured
    return kept if isinstance(kept, tuple) or kept is None else (kept, kept)


def _log_error(row: Blind) -> float:
    """log(measured / predicted), against the nearer end of a range and 0 inside."""
    measured = _measured(row)
    assert measured is not None
    return math.log(min(max(row.kept.predicted, measured[0]), measured[1]) / row.kept.predicted)


def covers(
    studies: Sequence[str] = (), library: Library | None = None, progress: Callable[[str], Any] | None = None
) -> tuple[list[Covered], list[Evidence]]:
    """Each measured or blind row of the studies (all, if none is named), and the evidence that all of them are.

    To judge a row, the model error is learnt without its document; the measured runs beside it narrow its interval as
    they do for `simio run --interval`, its own run excepted. The evidence that is kept of other rows counts, too. Raises
    SimioError for a study that there is not.
    """
    library = library or Library()
    wanted = [row for row in rows(studies, library) if row.quantity in ("throughput", "stream")]
    blind = blind_rows(rows((), library), library)
    known = [row for row in wanted if row.measured is not None or (row.table, row.name) in blind]
    answers: dict[str, Answered] = {}
    for name in dict.fromkeys(row.scenario for row in known):
        scenario = library.scenario(name)
        if progress:
            progress(name)
        answers[name] = answered(scenario, run_scenario(scenario), tables=library.tables)
    plain = {name: each.intervals(None) for name, each in answers.items()}
    evidence = [_evidence(each) for each in _judged(known, plain, blind) if each]
    renewed = {each.row for each in evidence}
    everything = [*evidence, *(each for each in all_evidence() if each.row not in renewed)]
    found = []
    for document in dict.fromkeys(row.study for row in known):
        error = learnt(document, everything)
        own = [row for row in known if row.study == document]
        names = {row.scenario for row in own}
        told = {name: answers[name].intervals(error) for name in names}
        found += [each for each in _judged(own, told, blind) if each]
    return found, evidence


def _judged(
    known: Iterable[Row], results: Mapping[str, ScenarioResult], blind: Mapping[tuple[str, str], Blind]
) -> Iterable[Covered | None]:
    for row in known:
        interval, simulated, error = _compared(row, results[row.scenario])
        then = blind.get((row.table, row.name))
        if interval is None or not simulated:
            continue
        if then is not None:
            log = _log_error(then)
        elif error is not None and error > -1:
            log = -math.log1p(error)
        else:
            continue
        low, high = interval.low / simulated, interval.high / simulated
        name = f"{row.table}: {row.name}"
        yield Covered(row.study, name, then, log, low, high, interval.spread, interval.certain)


def _compared(row: Row, result: ScenarioResult) -> tuple[Interval | None, float | None, float | None]:
    """The interval, the simulated value and its error of a row."""
    found: list[Comparison] = pooled_comparisons(result)
    if not row.of.over:
        found = comparisons(next(case for case in result.cases if case.index == row.case))
    own = next((each for each in found if each.row is row.of or each.row == row.of), None)
    return (own.interval, own.simulated, own.error) if own else (None, None, None)


def _evidence(row: Covered) -> Evidence:
    return Evidence(
        row.document, row.row, row.blind is not None, round(row.error, 4), round(row.spread, 4), round(row.certain, 4)
    )


@dataclass(frozen=True)
class Share:
    """Rows of a kind: their number, how many lie inside, and the median width."""

    rows: int
    inside: int
    width: float

    @property
    def share(self) -> float:
        """The share inside."""
        return self.inside / self.rows if self.rows else 0.0


def share_of(found: Sequence[Covered]) -> Share:
    """The cover of rows."""
    return Share(len(found), sum(each.covered for each in found), median([each.width for each in found] or [0.0]))


def share_then(found: Sequence[Covered]) -> Share:
    """The cover of blind rows by the intervals that they were predicted with."""
    inside, widths = 0, []
    for each in found:
        if each.blind and each.blind.kept.interval:
            low, high = (end / each.blind.kept.predicted for end in each.blind.kept.interval)
            inside += math.log(low) <= each.error <= math.log(high)
            widths.append(high - low)
    return Share(len(widths), inside, median(widths or [0.0]))


def score(evidence: Sequence[Evidence]) -> float:
    """The sum over blind rows of the logarithm of their density, learnt without their document."""
    total = 0.0
    for row in evidence:
        error = learnt(row.document, evidence) if row.blind else None
        total += likelihood(row, error) if error else 0.0
    return total


def as_data(evidence: Sequence[Evidence]) -> list[dict[str, object]]:
    """Evidence as it is kept in `validation/evidence.json`."""
    if not evidence:
        raise SimioError("there is no evidence: no row was measured")
    return [asdict(each) for each in evidence]
