"""The tables of a result as plain cells, which a terminal and a page show each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from rich.text import Text

from simio import units
from simio.description.measured import MeasuredRow
from simio.formats.fio import NAMES as DIRECTIONS
from simio.program.steps import PROFILED, Bond
from simio.report.console import Bar, FittedTable, columns, share_bar
from simio.report.data import other_quantities
from simio.result.alike import told_apart
from simio.result.compare import Comparison, comparisons, cores, pooled_comparisons, profile
from simio.result.jobs import NANOSECOND, percentile_of, rate
from simio.result.model import CaseResult, ResourceUse, ScenarioResult
from simio.result.uncertainty import Interval
from simio.wording import byte_unit, figure, grouped, in_unit, lock_marked, merged, short_names

THOUSANDTHS = "thousandths"
"""The unit of ratios, which observations have as whole numbers."""
LATE = "late"
"""A workload's count of what was not there in time; it has a column beside the throughput."""
ROUNDING = 1e-5
"""Share of a throughput below which half of its interval is shown as zero."""
SPARKS = 40
"""Characters of the line that a histogram is drawn as."""
GOOD, FAIR = 0.05, 0.15
"""Absolute errors up to which a row is green and yellow."""


class ShareCell(NamedTuple):
    """A share of one, shown as a bar and a percentage."""

    value: float


class SignedErrors(NamedTuple):
    """Signed errors of measured rows, or why a row has none; in percentage points if `points`."""

    errors: tuple[float | str, ...]
    points: bool = False


Cell = str | ShareCell | SignedErrors


class Grid(NamedTuple):
    """Headings and rows of cells. Columns in `left` hold text, the others numbers; column `strong` stands out."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: Collection[int] = (0,)
    strong: int | None = None


def rich_table(grid: Grid) -> FittedTable:
    """The table on a terminal."""
    styles = {"case": "dim"} | ({} if grid.strong is None else {grid.headings[grid.strong]: "bold"})
    table = columns(*grid.headings, left=grid.left, styles=styles)
    for row in grid.rows:
        table.add_row(*map(_rich, row))
    return table


def _rich(cell: Cell) -> Text | Bar:
    if isinstance(cell, ShareCell):
        return share_bar(cell.value)
    if isinstance(cell, SignedErrors):
        texts = (
            Text(each, style="dim") if isinstance(each, str) else error_text(each, cell.points)
            for each in cell.errors
        )
        return Text(", ").join(texts)
    return Text(cell)


def error_text(error: float, points: bool = False) -> Text:
    """A signed error: green up to `GOOD`, yellow up to `FAIR`, else red."""
    style = "green" if abs(error) <= GOOD else "yellow" if abs(error) <= FAIR else "red"
    return Text(signed(error, points), style=style)


def signed(error: float, points: bool = False) -> str:
    """A signed error in per cent or in percentage points; one that rounds to zero is +0.0%."""
    shown = round(error, 3) + 0.0
    return f"{shown * 100:+.1f} points" if points else f"{shown:+.1%}"


# --- several cases -----------------------------------------------------------------------------------------


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


# --- one case ----------------------------------------------------------------------------------------------


def resources(uses: Iterable[ResourceUse], bonds: Iterable[Bond] = ()) -> Grid:
    """A row for each resource, the busiest first and locks last; those alike but for a number on one row.

    They are about as busy as the first of them, and members of `bonds` equally busy.
    """
    ordered = sorted(uses, key=lambda use: (use.lock, -use.utilisation))
    rows: list[list[Cell]] = [
        [lock_marked(name, use.lock), ShareCell(use.utilisation), f"{use.mean_line:.2f}", str(use.longest_line)]
        for name, use in merged(ordered, lambda use: use.name, lambda use: use.lock, told_apart(ordered, bonds))
    ]
    return Grid(["resource", "utilisation", "waiting, mean", "most"], rows, left=(0, 1))


def streams(case: CaseResult, unit: str) -> Grid:
    """The rates of streams; those alike but for a number on one row, with their spread."""
    rows = []
    for name, same in grouped(case.streams, lambda stream: stream.name, lambda stream: stream.unit):
        own = same[0].unit
        rates = [in_unit(float(stream.rate), own or unit) for stream in same]
        rows.append([f"{name}, {own}" if own else name, *_spread(rates, figure)])
    return Grid(["stream", f"mean {unit}", "least", "most"], rows)


def tallies(case: CaseResult) -> Grid:
    """Totals of what was counted; those alike but for a number on one row, with their spread."""
    rows = []
    plain = [tally for tally in case.tallies if not tally.what.startswith(PROFILED)]
    for name, same in grouped(plain, lambda tally: tally.name):
        text = partial(_rounded, unit=same[0].unit)
        rows.append([name, *_spread([tally.value for tally in same], text)])
    return Grid(["totals", "mean", "least", "most"], rows)


def wear(case: CaseResult, unit: str) -> Grid:
    """Writes to drives with flash, and how long what they are rated for lasts at this rate."""
    rows, byte = [], byte_unit(unit)
    for name, same in grouped(case.wear, lambda each: each.name):
        rate = sum(each.rate for each in same) / len(same)
        known = [each.amplification for each in same if each.amplification is not None]
        years = [each.years for each in same if each.years is not None]
        rated = same[0].rated
        rows.append(
            [
                name,
                figure(in_unit(rate, byte)),
                f"{sum(known) / len(known):.2f}" if known else "",
                f"{rated / 10**12:,.0f}" if rated else "not known",
                (f"{min(years):,.0f} years" if min(years) >= 10 else f"{min(years):.2g} years") if years else "",
            ]
        )
    return Grid(["writes to", byte, "amplification", "rated TB", "lasts"], rows)


def profiles(case: CaseResult) -> Grid:
    """CPU time of hosts whose network path is on cores: share of each class of functions, and cores that are busy."""
    owners = {tally.owner for tally in case.tallies if tally.what.startswith(PROFILED)}
    shares = {host: profile(case, host) for host in sorted(owners)}
    classes = sorted({name for each in shares.values() for name in each})
    rows = [[name, *(f"{100 * each.get(name, 0.0):.1f}%" for each in shares.values())] for name in classes]
    if rows:
        rows.append(["busy, of one core", *(f"{100 * cores(case, host):.1f}%" for host in shares)])
    return Grid(["CPU time", *shares], rows)


def _spread(values: Sequence[float], text: Callable[[float], str]) -> list[str]:
    """The mean of values, and the least and the largest if there are several."""
    ends = [text(min(values)), text(max(values))] if len(values) > 1 else ["", ""]
    return [text(sum(values) / len(values)), *ends]


def jobs(case: CaseResult, unit: str) -> Grid:
    """Jobs of fio over their own time, as fio reports them: requests, bytes, fio's lat, and CPU time of a process."""
    rows = []
    unit = byte_unit(unit)
    for job in case.jobs:
        span = job.ended - job.begun
        cpu = f"{100 * (job.user + job.system) / span:.0f}%" if span > 0 else ""
        for direction, side in job.sides.items():
            tail = min(percentile_of(side.lat.bins, side.lat.count, 99), side.lat.most)
            times = [amount(round(value * NANOSECOND), "ps") for value in (side.lat.mean, tail, side.lat.most)]
            speed, requests = in_unit(rate(side.bytes, span), unit), round(rate(side.requests, span))
            rows.append([job.label, DIRECTIONS[direction], f"{requests:,}", figure(speed), *times, cpu])
    return Grid(["fio job", "", "IOPS", unit, "mean lat", "99%", "most", "CPU"], rows, left=(0, 1))


def observations(case: CaseResult) -> Grid:
    """The distribution of each observation; under an open load, up to the slowest in a thousand."""
    names = {"mean": "mean", "median": "p50", "90%": "p90", "99%": "p99"} | ({"99.9%": "p999"} if case.loads else {})
    rows = []
    for row in case.observations:
        estimates = [row.estimate(name) for name in names.values()]
        mean, *percentiles = ((round(value), width) for value, width in estimates)
        values = (mean, (row.least, None), *percentiles, (row.most, None))
        rows.append([row.name, str(row.count), *(_estimate(value, width, row.unit) for value, width in values)])
    first, *others = names
    return Grid(["observation", "count", first, "least", *others, "most"], rows)


def spreads(case: CaseResult) -> Grid | None:
    """The histogram of each time under a load, on a logarithmic scale; None without loads."""
    rows = []
    for row in case.observations if case.loads else ():
        if row.unit == "ps" and len(row.distribution.counts) > 1:
            edges = row.distribution.edges
            ends = [amount(edge, "ps") for edge in (edges[0], edges[-1])]
            rows.append([row.name, ends[0], sparkline(row.distribution.counts), ends[1]])
    return Grid(["distribution (logarithmic)", "from", "", "to"], rows, left=(0, 2)) if rows else None


def sparkline(counts: Sequence[int]) -> str:
    """Counts as a line of at most SPARKS characters; none is a space, the largest a full block."""
    each = -(-len(counts) // SPARKS)
    sums = [sum(counts[at : at + each]) for at in range(0, len(counts), each)]
    top = max(sums)
    return "".join(" ▁▂▃▄▅▆▇█"[-(-8 * value // top)] for value in sums)


def demerits(case: CaseResult) -> Grid:
    """Simulated times beside measured ones of the same requests."""
    rows = []
    for row in case.demerits:
        means = [amount(round(value), "ps") for value in (row.simulated, row.measured)]
        rows.append([row.name, *means, f"{100 * row.error:+.1f}%", f"{100 * row.value:.1f}%"])
    return Grid(["beside measured", "mean", "measured", "error", "demerit"], rows)


def _estimate(value: int, width: float | None, unit: str) -> str:
    """An amount with half of its confidence interval, where that is known."""
    shown = amount(value, unit)
    if width is None:
        return shown
    half, (number, _, own) = amount(round(width), unit), shown.partition(" ")
    return f"{number} ± {half}" if half.endswith(f" {own}") else f"{shown} ± {half}"


def _rounded(value: float, unit: str) -> str:
    return amount(round(value), unit)


def amount(value: int, unit: str) -> str:
    """A time in ps in a fitting unit, thousandths as a number, or a number with its unit."""
    if unit == THOUSANDTHS:
        return f"{value / 1000:.4g}"
    return units.format_quantity(value, "time") if unit == "ps" and value >= 0 else f"{value:,} {unit}".rstrip()
