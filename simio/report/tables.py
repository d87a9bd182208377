"""The tables of a result: its cases beside one another, and what was measured over them."""

from __future__ import annotations

from simio.description.measured import MeasuredRow
from simio.program.steps import PROFILED
from simio.report.data import other_quantities
from simio.report.grid import Cell, Grid, SignedErrors
from simio.result.compare import Comparison, comparisons, pooled_comparisons
from simio.result.model import CaseResult, ScenarioResult
from simio.result.quantities import cores, profile
from simio.result.uncertainty import Interval
from simio.wording import figure, in_unit, short_names

LATE = "late"
"""A workload's count of what was not there in time; it has a column beside the throughput."""
ROUNDING = 1e-5
"""Share of a throughput below which half of its interval is shown as zero."""


def cases(result: ScenarioResult) -> Grid:
    """A row for each case: settings, throughput, measured values and their errors, the limit."""
    varied = varied_keys(result)
    measured = any(row.quantity == "throughput" for case in result.cases for row in case.measured)
    late = [sum(each.value for each in case.tallies if each.what == LATE) for case in result.cases]
    headings = ["case", *short_names(varied), f"simulated\n{result.unit}", *[LATE] * any(late)]
    headings += [*(("measured", "error") if measured else ()), "limit", "busy"]
    rows: list[list[Cell]] = []
    for case, missed in zip(result.cases, late, strict=True):
        cells: list[Cell] = [str(case.index + 1), *(case.settings.get(key, "") for key in varied)]
        cells.append(with_interval(rate_text(case, result.unit), case.interval, result.unit))
        cells += [str(missed)] * any(late)
        if measured:
            compared = [row for row in comparisons(case) if row.row.quantity == "throughput"]
            cells.append(", ".join(measured_text(row.row, result.unit) for row in compared))
            cells.append(_judged(*compared))
        rows.append([*cells, case.limiter.label, f"{case.limiter.busy:.0%}"])
    return Grid(headings, rows, left=(len(headings) - 2,), strong=1 + len(varied))


def others(result: ScenarioResult) -> Grid | None:
    """A row for each measured quantity beside throughput; None if there is none."""
    if not other_quantities(result):
        return None
    rows = [
        [str(case.index + 1), row.row.label, *_compared(row)]
        for case in result.cases
        for row in comparisons(case)
        if row.row.quantity != "throughput"
    ]
    return Grid(["case", "quantity", "simulated", "measured", "error"], rows, left=(1,), strong=2)


def profiled(result: ScenarioResult) -> Grid | None:
    """CPU time by class of the hosts of each case whose network path is on cores, as percentages of one core.

    None if there is none, or if the classes are among what was measured.
    """
    spent = [
        (case, host, cores(case, host), profile(case, host))
        for case in result.cases
        for host in sorted({tally.owner for tally in case.tallies if tally.what.startswith(PROFILED)})
    ]
    if not spent or other_quantities(result):
        return None
    classes = sorted({name for *_, shares in spent for name in shares})
    rows = [
        [
            str(case.index + 1),
            host,
            f"{100 * busy:.0f}%",
            *(f"{100 * busy * shares.get(name, 0.0):.0f}" for name in classes),
        ]
        for case, host, busy, shares in spent
    ]
    return Grid(["case", "CPU time", "busy", *classes], rows, left=(1,))


def pooled(result: ScenarioResult) -> Grid | None:
    """A row for each quantity that was measured over several cases; None if there is none."""
    compared = pooled_comparisons(result)
    keys = list(dict.fromkeys(key for row in compared for key in row.settings))
    rows = [[*(row.settings.get(key, "") for key in keys), row.row.label, *_compared(row)] for row in compared]
    headings = [*short_names(keys), "over cases", "simulated", "measured", "error"]
    return Grid(headings, rows, left=(len(keys),), strong=len(keys) + 1) if rows else None


def _compared(row: Comparison) -> list[Cell]:
    simulated = "none" if row.simulated is None else f"{figure(row.simulated)} {row.row.unit}"
    return [with_interval(simulated, row.interval), measured_text(row.row), _judged(row)]


def _judged(*rows: Comparison) -> SignedErrors:
    errors = tuple(why_unjudged(row.row.held) if row.error is None else row.error for row in rows)
    return SignedErrors(errors, any(row.row.points for row in rows))


def why_unjudged(held: bool) -> str:
    """The words in place of the error of a row that has none."""
    return "predicted" if held else "not simulated"


def measured_text(row: MeasuredRow, unit: str = "") -> str:
    """A measured value with its unit, unless that is `unit`."""
    if row.held:
        return "withheld"
    return row.text if row.unit == unit or row.text.endswith(row.unit) else f"{row.text} {row.unit}"


def varied_keys(result: ScenarioResult) -> list[str]:
    """Keys of the settings in which the cases differ."""
    keys = dict.fromkeys(key for case in result.cases for key in case.settings)
    return [key for key in keys if len({case.settings.get(key) for case in result.cases}) > 1]


def rate_text(case: CaseResult, unit: str) -> str:
    """Throughput with half of its confidence interval, where it has one."""
    text = figure(in_unit(float(case.rate), unit))
    if case.half_width is not None:
        # Whole bytes leave a trace of rounding where nothing varies.
        width = 0 if case.half_width < ROUNDING * case.rate else case.half_width
        text += f" ± {figure(in_unit(width, unit), 2)}"
    return text


def with_interval(text: str, interval: Interval | None, unit: str = "", more: str = "") -> str:
    """A value with its interval, such as '9.5 (8.9 to 10.2)'; with `unit` the interval is in bytes a second."""
    if interval is None:
        return text
    low, high = (in_unit(end, unit) if unit else end for end in (interval.low, interval.high))
    return f"{text} ({figure(low, 3)} to {figure(high, 3)}{more})"
