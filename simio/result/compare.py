"""Simulated beside measured: signed relative errors, and their summary."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from simio import units
from simio.description.model import MeasuredRow
from simio.result.model import CaseResult, ScenarioResult


@dataclass(frozen=True)
class Comparison:
    """One measured row and the case that predicts it; `error` is simulated / measured - 1, None if held."""

    case: CaseResult
    row: MeasuredRow
    simulated: float
    error: float | None


def comparisons(case: CaseResult) -> list[Comparison]:
    """Every measured row of a case, the simulated throughput in the row's unit."""
    found = []
    for row in case.measured:
        simulated = units.convert(case.rate, "rate", row.unit)
        error = None if row.value is None else float(simulated / row.value - 1)
        found.append(Comparison(case, row, float(simulated), error))
    return found


@dataclass(frozen=True)
class Summary:
    """Errors over all measured rows of a scenario, beside the fitted values that its parts use."""

    rows: int
    held: int
    median: float
    worst: Comparison
    fitted: int


def summary(result: ScenarioResult) -> Summary | None:
    """None where nothing was measured."""
    all_rows = [comparison for case in result.cases for comparison in comparisons(case)]
    judged = [(abs(row.error), row) for row in all_rows if row.error is not None]
    if not judged:
        return None
    worst = max(judged, key=lambda item: item[0])[1]
    return Summary(
        rows=len(judged),
        held=len(all_rows) - len(judged),
        median=median(size for size, _ in judged),
        worst=worst,
        fitted=len(result.fitted),
    )
