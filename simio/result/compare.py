"""Simulated beside measured: signed relative errors, and their summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

from simio.description.measured import OBSERVED, MeasuredRow
from simio.errors import RunError, quote
from simio.result.model import CaseResult, ScenarioResult
from simio.result.quantities import observed, simulated_value
from simio.result.uncertainty import Interval


class Comparison(NamedTuple):
    """One measured row, and the settings of the case, or those that the cases share, that predict it.

    `simulated` is in the row's unit, and None where the run has nothing to compare (an observation that was never
    made); `error` is `MeasuredRow.error`, None if held. `interval` is that of `simulated`, where it was asked for.
    """

    settings: Mapping[str, str]
    row: MeasuredRow
    simulated: float | None
    error: float | None
    interval: Interval | None = None

    @property
    def covered(self) -> bool | None:
        """True if what was measured lies in the interval (a range: touches it); None where one of both is missing."""
        return None if self.interval is None else self.row.touches(self.interval.low, self.interval.high)


def comparisons(case: CaseResult) -> list[Comparison]:
    """Every measured row of a case with what was simulated, in the row's unit."""
    found = []
    intervals = case.row_intervals or (None,) * len(case.measured)
    for row, interval in zip(case.measured, intervals, strict=True):
        simulated = simulated_value(case, row)
        error = None if simulated is None else row.error(simulated)
        found.append(Comparison(case.settings, row, simulated, error, interval))
    return found


def comparison_of(result: ScenarioResult, row: MeasuredRow, index: int) -> Comparison | None:
    """The comparison of one measured row, of the case of an index or over several; None where there is none."""
    found = pooled_comparisons(result)
    if not row.over:
        found = comparisons(next(case for case in result.cases if case.index == index))
    return next((each for each in found if each.row == row), None)


_SUMS: Mapping[str, Callable[[list[float]], float]] = {"mean": fmean, "median": median, "most": max}


def pooled_comparisons(result: ScenarioResult) -> list[Comparison]:
    """Every measured row over several cases with what was simulated, except those with a case that was not run."""
    cases = {case.index: case for case in result.cases}
    found = []
    known = result.uncertainty.pooled if result.uncertainty else (None,) * len(result.pooled)
    for pooled, interval in zip(result.pooled, known, strict=True):
        if not cases.keys() >= set(pooled.cases):
            continue
        simulated = pooled_value(pooled.row, [simulated_value(cases[index], pooled.row) for index in pooled.cases])
        error = None if simulated is None else pooled.row.error(simulated)
        found.append(Comparison(pooled.settings, pooled.row, simulated, error, interval))
    return found


def pooled_value(row: MeasuredRow, values: Sequence[float | None]) -> float | None:
    """A row's summary of the values of several cases; None if one of them has none."""
    known = [value for value in values if value is not None]
    return _SUMS[row.over](known) if len(known) == len(values) else None


def check_observations(rows: Iterable[MeasuredRow], names: Iterable[str]) -> None:
    """Raise RunError for a latency that is of none of the observations of time in `names`, or may be of several."""
    known = list(names)
    for row in rows:
        if row.quantity not in OBSERVED or len(matching := observed(row, known)) == 1:
            continue
        table, there = f"{row.study}/{row.table}".strip("/"), ", ".join(map(quote, known)) or "none"
        if matching:
            raise RunError(f"{table}: a {row.label} may be of {', '.join(map(quote, matching))}; name one in 'of'")
        raise RunError(f"{table}: no observation for {row.label}; there are {there}")


class Summary(NamedTuple):
    """Errors over all measured rows of a scenario, beside the fitted values that its parts use.

    `rows` have a measured and a simulated value; `missing` have a measured one only. `covered` of the `intervals`
    hold what was measured.
    """

    rows: int
    held: int
    missing: int
    median: float
    worst: Comparison
    fitted: int
    covered: int = 0
    intervals: int = 0


def summary(result: ScenarioResult) -> Summary | None:
    """None where nothing was measured."""
    all_rows = [comparison for case in result.cases for comparison in comparisons(case)]
    all_rows += pooled_comparisons(result)
    judged = [(abs(row.error), row) for row in all_rows if row.error is not None]
    if not judged:
        return None
    worst = max(judged, key=lambda item: item[0])[1]
    held = sum(row.row.held for row in all_rows)
    return Summary(
        rows=len(judged),
        held=held,
        missing=len(all_rows) - len(judged) - held,
        median=median(size for size, _ in judged),
        worst=worst,
        fitted=len(result.fitted),
        covered=sum(row.covered is True for row in all_rows),
        intervals=sum(row.covered is not None for row in all_rows),
    )
