"""The answer on a terminal: throughput first, then what limits it, then how busy everything was."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simio import units
from simio.description.measured import MeasuredRow
from simio.report.alike import grouped, merged
from simio.report.data import in_unit, other_quantities
from simio.result.compare import Comparison, comparisons, pooled_comparisons, summary
from simio.result.model import CaseResult, Interval, Precision, ResourceUse, ScenarioResult

BAR = 24
"""Width of a full utilisation bar, in characters."""
LATE = "late"
"""What a workload counts that was not there in time, told beside the throughput of each case."""
DETAILED = 3
"""Up to so many cases are shown in full; more as a table, and one in full on request."""
ROUNDING = 1e-5
"""Share of a throughput below which half of its interval is shown as nothing."""
GOOD, FAIR = 0.05, 0.15
"""Absolute errors up to which a row is green and yellow."""


def show(console: Console, result: ScenarioResult, detail: int | None = None) -> None:
    """Print a result; `detail` is the index of a case to show in full."""
    console.print(Text(result.title, style="bold"))
    if not result.complete:
        console.print(Text(f"interrupted: {len(result.cases)} cases were finished", style="yellow"))
    if not result.cases:
        return
    if len(result.cases) > 1 or any(case.measured for case in result.cases):
        console.print(Padding(_table(result), (1, 0, 0, 0)))
        if other_quantities(result):
            console.print(Padding(_others(result), (1, 0, 0, 0)))
        if pooled := pooled_comparisons(result):
            console.print(Padding(_pooled(pooled), (1, 0, 0, 0)))
        _print_summary(console, result)
    _print_uncertainty(console, result)
    shown = [case for case in result.cases if detail is None or case.index == detail]
    if detail is not None or len(shown) <= DETAILED:
        for case in shown:
            console.print(Padding(_case(case, result.unit), (1, 0, 0, 0)))
    else:
        console.print(Text("\n--case N shows one case in full, with the use of every resource.", style="dim"))


def _table(result: ScenarioResult) -> Table:
    varied = varied_keys(result)
    measured = any(row.quantity == "throughput" for case in result.cases for row in case.measured)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("case", justify="right", style="dim")
    for name in short_names(varied):
        table.add_column(name, justify="right")
    table.add_column(f"simulated\n{result.unit}", justify="right", style="bold")
    late = [sum(each.value for each in case.tallies if each.what == LATE) for case in result.cases]
    if any(late):
        table.add_column(LATE, justify="right")
    if measured:
        table.add_column("measured", justify="right")
        table.add_column("error", justify="right")
    table.add_column("limit", overflow="fold")
    table.add_column("busy", justify="right")
    for case, missed in zip(result.cases, late, strict=True):
        cells: list[RenderableType] = [str(case.index + 1), *(case.settings.get(key, "") for key in varied)]
        cells.append(_with_interval(rate_text(case, result.unit), case.interval, result.unit))
        if any(late):
            cells.append(str(missed))
        if measured:
            rows = [row for row in comparisons(case) if row.row.quantity == "throughput"]
            cells += _measured(rows, result.unit)
        name = {"none": "in turns ({})", "wait": "{} waits"}.get(case.limiter.kind, "{}")
        table.add_row(*cells, name.format(case.limiter.name), f"{case.limiter.busy:.0%}")
    return table


def varied_keys(result: ScenarioResult) -> list[str]:
    """Keys of the settings in which the cases differ."""
    keys = dict.fromkeys(key for case in result.cases for key in case.settings)
    return [key for key in keys if len({case.settings.get(key) for case in result.cases}) > 1]


def short_names(keys: Iterable[str]) -> list[str]:
    """The last part of each key path, or the whole where two would be the same."""
    keys = list(keys)
    tails = [key.rpartition(".")[2] for key in keys]
    return [tail if tails.count(tail) == 1 else key for tail, key in zip(tails, keys, strict=True)]


def _measured(rows: list[Comparison], unit: str) -> list[RenderableType]:
    """What was measured for a case and the error of each; a unit is told where it is not that of the column."""
    texts = (row.row.text if row.row.unit == unit or row.row.held else _with_unit(row.row) for row in rows)
    return [", ".join(texts), Text(", ").join(_judged(row) for row in rows)]


def _with_unit(row: MeasuredRow) -> str:
    return row.text if row.held or row.text.endswith(row.unit) else f"{row.text} {row.unit}"


def _judged(row: Comparison) -> Text:
    """The error of a row, or why there is none."""
    if row.error is None:
        return Text("predicted" if row.row.held else "not simulated", style="dim")
    return error_text(row.error)


def _others(result: ScenarioResult) -> Table:
    """The measured quantities beside throughput, a line each."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("case", justify="right", style="dim")
    table.add_column("quantity")
    table.add_column("simulated", justify="right", style="bold")
    table.add_column("measured", justify="right")
    table.add_column("error", justify="right")
    for case in result.cases:
        for row in comparisons(case):
            if row.row.quantity != "throughput":
                simulated = "none" if row.simulated is None else f"{row.simulated:.4g} {row.row.unit}"
                cells = (row.row.label, _with_interval(simulated, row.interval), _with_unit(row.row))
                table.add_row(str(case.index + 1), *cells, _judged(row))
    return table


def _pooled(rows: list[Comparison]) -> Table:
    """What was measured over several cases, a line each."""
    keys = list(dict.fromkeys(key for row in rows for key in row.settings))
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in short_names(keys):
        table.add_column(name, justify="right")
    table.add_column("over cases")
    for heading in ("simulated", "measured", "error"):
        table.add_column(heading, justify="right", style="bold" if heading == "simulated" else "")
    for row in rows:
        simulated = "none" if row.simulated is None else f"{row.simulated:.4g} {row.row.unit}"
        simulated = _with_interval(simulated, row.interval)
        where = (row.settings.get(key, "") for key in keys)
        table.add_row(*where, row.row.label, simulated, _with_unit(row.row), _judged(row))
    return table


def error_text(error: float) -> Text:
    """A signed error: green up to `GOOD`, yellow up to `FAIR`, else red."""
    style = "green" if abs(error) <= GOOD else "yellow" if abs(error) <= FAIR else "red"
    return Text(f"{round(error, 3) + 0.0:+.1%}", style=style)


def _print_summary(console: Console, result: ScenarioResult) -> None:
    for number, line in enumerate(summary_text(result)):
        console.print(line if number else f"\n{line}", style="yellow" if number else None, highlight=False)


def summary_text(result: ScenarioResult) -> list[str]:
    """The errors over all measured rows in a line, and a warning if the scenario was changed."""
    found = summary(result)
    if found is None:
        return []
    keys = varied_keys(result)
    settings = found.worst.settings
    told = [found.worst.row.label] if other_quantities(result) or found.worst.row.over else []
    told += [f"{name} {settings[key]}" for name, key in zip(short_names(keys), keys, strict=True) if key in settings]
    where = f" ({', '.join(told)})" if told else ""
    held = f"; {found.held} held rows predicted" if found.held else ""
    missing = f"; {found.missing} rows without a simulated value" if found.missing else ""
    line = (
        f"{found.rows} measured rows: median error {found.median:.1%}, worst {found.worst.error:+.1%}"
        f"{where}{held}{missing}; fitted values in the parts used: {found.fitted}"
    )
    changed = "measured values belong to the scenario as it is written, without --set"
    return [line, changed] if result.sets else [line]


def _print_uncertainty(console: Console, result: ScenarioResult) -> None:
    """What the intervals rest on."""
    told = result.uncertainty
    if told is None:
        return
    found = summary(result)
    console.print()
    if found is not None and found.intervals and not result.sets:
        console.print(f"measured within the 90% interval: {found.covered} of {found.intervals} rows")
    lines = [f"intervals of 90%: {told.samples} draws of {told.values} uncertain catalogue values"]
    if told.by_rule:
        lines[0] += f", {told.by_rule} of them assumed without an interval and taken from 1/1.25 to 1.25 times"
    if told.model_error is None:
        lines.append("nothing measured is near: what the model itself may err is not in them")
    else:
        lines.append(f"and {told.model_error:.1%} of model error, learnt from {told.evidence}")
    if told.halved:
        lines.append(f"{told.halved} draws that no datasheet allows were taken nearer to the values as they are")
    if told.failed:
        lines.append(f"{told.failed} runs ended in a fault and do not count")
    console.print(Text("; ".join(lines), style="dim"))


def rate_text(case: CaseResult, unit: str) -> str:
    """Throughput with half of its confidence interval, where it has one."""
    text = f"{in_unit(float(case.rate), unit):.4g}"
    if case.half_width is not None:
        # Whole bytes leave a trace of rounding where nothing varies.
        width = 0 if case.half_width < ROUNDING * case.rate else case.half_width
        text += f" ± {in_unit(width, unit):.2g}"
    return text


def _with_interval(text: str, interval: Interval | None, unit: str = "", more: str = "") -> str:
    """A value with its interval: 9.5 (8.9 to 10.2); a rate in bytes a second, told in `unit`."""
    if interval is None:
        return text
    low, high = (in_unit(end, unit) if unit else end for end in (interval.low, interval.high))
    return f"{text} ({low:.3g} to {high:.3g}{more})"


def _case(case: CaseResult, unit: str) -> Group:
    settings = ", ".join(f"{key} = {value}" for key, value in case.settings.items())
    told = _with_interval(f"{rate_text(case, unit)} {unit}", case.interval, unit, ", 90%")
    answer = Text.assemble((told, "bold green"), "   ", case.limiter.sentence)
    lines: list[RenderableType] = [Text(f"case {case.index + 1}: {settings}", style="bold")] if settings else []
    lines.append(answer)
    lines += [Text(text, style="dim") for text in spread_texts(case)]
    if case.bound is not None:
        lines.append(
            Text(f"bound {in_unit(float(case.bound), unit):.4g} {unit}, set by {case.bound_by}", style="dim")
        )
    lines.append(Text(span_text(case), style="dim"))
    lines.append(Padding(_resources(case.resources), (1, 0, 0, 0)))
    if len(case.streams) > 1:
        lines.append(Padding(_streams(case, unit), (1, 0, 0, 0)))
    if case.observations:
        lines.append(Padding(_observations(case), (1, 0, 0, 0)))
    if case.tallies:
        lines.append(Padding(_tallies(case), (1, 0, 0, 0)))
    return Group(*lines)


def span_text(case: CaseResult) -> str:
    """What was measured of how much simulated time, and why the run ended."""
    since, until, end = (
        units.format_quantity(t, "time") for t in (case.throughput.since, case.throughput.until, case.end)
    )
    how = "time limit reached" if case.status == "until" else "all work done"
    if stopped(case):
        how = "stopped, precise enough"
    return f"measured from {since} to {until} of {end} simulated ({how})"


def stopped(case: CaseResult) -> bool:
    """Whether a run that is not random was ended where it was precise enough."""
    return case.status == "until" and len(case.seeds) == 1 and case.precision is not None and case.precision.met


def spread_texts(case: CaseResult) -> list[str]:
    """What the half width of a throughput is, and how a precision that was asked for came out."""
    texts = []
    if case.half_width is not None:
        of = f"mean of {len(case.seeds)} runs" if len(case.seeds) > 1 else "mean of one run's batches"
        texts.append(f"{of} and half of its 95% confidence interval")
    if case.precision is not None:
        texts.append(_precision_text(case, case.precision))
    return texts


def _precision_text(case: CaseResult, precision: Precision) -> str:
    wanted = f"{precision.wanted * 100:.4g}% was asked for"
    runs = len(case.seeds)
    after = f"{runs} runs" if runs > 1 else f"{units.format_quantity(case.end, 'time')} simulated"
    if precision.reached is None:
        return f"after {after} it is not known how precise that is; {wanted}"
    reached = f"±{0 if precision.reached < ROUNDING else precision.reached * 100:.2g}%"
    if not precision.met:
        return f"no more precise after {after}: {reached}; {wanted}"
    return f"{'stopped ' if runs > 1 or stopped(case) else ''}after {after}: {reached}; {wanted}"


def _resources(uses: tuple[ResourceUse, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("resource")
    table.add_column("utilisation", min_width=BAR + 8)
    table.add_column("waiting, mean", justify="right")
    table.add_column("most", justify="right")
    ordered = sorted(uses, key=lambda use: (use.lock, -use.utilisation))
    for name, use in merged(ordered, lambda use: use.name, lambda use: use.lock):
        shown = f"{name} (lock)" if use.lock else name
        table.add_row(shown, bar_text(use.utilisation), f"{use.mean_line:.2f}", str(use.longest_line))
    return table


def _streams(case: CaseResult, unit: str) -> Table:
    """The rates of streams; like ones on one line, with their spread."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("stream", f"mean {unit}", "least", "most"):
        table.add_column(heading, justify="left" if heading == "stream" else "right")
    for name, streams in grouped(case.streams, lambda stream: stream.name):
        rates = [in_unit(float(stream.rate), unit) for stream in streams]
        spread = (min(rates), max(rates)) if len(rates) > 1 else ()
        table.add_row(name, *(f"{rate:.4g}" for rate in (sum(rates) / len(rates), *spread)))
    return table


def _tallies(case: CaseResult) -> Table:
    """What machines counted, like ones on one line: their mean and spread."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("counted in all", "mean", "least", "most"):
        table.add_column(heading, justify="left" if heading == "counted in all" else "right")
    for name, same in grouped(case.tallies, lambda tally: tally.name):
        values = [tally.value for tally in same]
        spread = (min(values), max(values)) if len(values) > 1 else ()
        table.add_row(name, *(_in(round(value), same[0].unit) for value in (sum(values) / len(values), *spread)))
    return table


def bar_text(share: float) -> Text:
    """A bar and the percentage: red from 90 per cent on, yellow from 60."""
    filled = round(share * BAR)
    style = "red" if share >= 0.9 else "yellow" if share >= 0.6 else "green"
    return Text.assemble(("█" * filled, style), ("·" * (BAR - filled), "dim"), f" {share:6.1%}")


def _observations(case: CaseResult) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("observation", "count", "mean", "least", "median", "90%", "99%", "most"):
        table.add_column(heading, justify="left" if heading == "observation" else "right")
    for row in case.observations:
        values = (round(row.mean), row.least, row.p50, row.p90, row.p99, row.most)
        table.add_row(row.name, str(row.count), *(_in(value, row.unit) for value in values))
    return table


def _in(value: int, unit: str) -> str:
    return units.format_quantity(value, "time") if unit == "ps" and value >= 0 else f"{value:,} {unit}".rstrip()
