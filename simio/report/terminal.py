"""The answer on a terminal: throughput first, then what limits it, then how busy everything was."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from simio import units
from simio.report import casetables, tables
from simio.report.data import other_quantities
from simio.report.grid import Grid, rich_table
from simio.report.tables import ROUNDING, rate_text, varied_keys, with_interval
from simio.result.compare import summary
from simio.result.fairness import fairness
from simio.result.model import CaseResult, Precision, ScenarioResult
from simio.result.uncertainty import Dependence
from simio.wording import counted, figure, in_unit, settings_text, short_names

LOOSE = 2
"""Times the throughput from which a bound is called loose."""
DETAILED = 3
"""Up to this many cases are shown in full; more as a table, and one in full on request."""


def show(console: Console, result: ScenarioResult, detail: int | None = None) -> None:
    """Print a result; `detail` is the index of a case to show in full."""
    console.print(Text(result.title, style="bold"))
    for text in cut_off_texts(result):
        console.print(Text(text, style="yellow"))
    if not result.cases:
        return
    if len(result.cases) > 1 or any(case.measured for case in result.cases):
        for grid in (tables.cases(result), tables.others(result), tables.pooled(result), tables.profiled(result)):
            if grid:
                console.print(_below(grid))
        if detail is None and len(result.cases) > DETAILED:
            for line in notes_text(result):
                console.print(Text(line, style="yellow"))
        for number, line in enumerate(summary_text(result)):
            console.print(line if number else f"\n{line}", style="yellow" if number else None, highlight=False)
    _print_uncertainty(console, result)
    if result.guess:
        console.print(Text(f"\n{result.guess.sentence}", style="yellow"))
    shown = [case for case in result.cases if detail is None or case.index == detail]
    if detail is not None or len(shown) <= DETAILED:
        for case in shown:
            console.print(Group("", _case(case, result.unit)))
    else:
        console.print(Text("\n--case N shows one case in full, with the use of every resource.", style="dim"))


def notes_text(result: ScenarioResult) -> list[str]:
    """Open questions about the throughputs of cases, each note once with the cases that it is of."""
    found: dict[str, list[str]] = {}
    for case in result.cases:
        for note in case.notes:
            found.setdefault(note, []).append(str(case.index + 1))
    return [f"case{'s' * (len(cases) > 1)} {', '.join(cases)}: {note}" for note, cases in found.items()]


def _below(grid: Grid) -> Group:
    """A table below an empty line."""
    return Group("", rich_table(grid))


def cut_off_texts(result: ScenarioResult) -> list[str]:
    """The words for a result that is not complete, and for each case that was cut off."""
    several = len(result.cases) > 1
    cut_off = [case for case in result.cases if case.cut_off]
    texts = [f"case {case.index + 1} {case.cut_off}" if several else case.cut_off for case in cut_off]
    if not result.complete and (several or not texts):
        finished = len(result.cases) - len(cut_off)
        texts.insert(0, f"interrupted: {counted(finished, 'case')} finished")
    return texts


def summary_text(result: ScenarioResult) -> list[str]:
    """The errors over all measured rows in a line, and a warning if the scenario was changed."""
    found = summary(result)
    if found is None:
        return []
    keys = varied_keys(result)
    settings = found.worst.settings
    worst = [found.worst.row.label] if other_quantities(result) or found.worst.row.over else []
    worst += [f"{name} {settings[key]}" for name, key in zip(short_names(keys), keys, strict=True) if key in settings]
    where = f" ({', '.join(worst)})" if worst else ""
    held = f"; {withheld_text(found.held)}" if found.held else ""
    missing = f"; {counted(found.missing, 'row')} without a simulated value" if found.missing else ""
    line = (
        f"{counted(found.rows, 'measured row')}: median error {found.median:.1%}, worst {found.worst.error:+.1%}"
        f"{where}{held}{missing}; fitted values in the parts used: {found.fitted}"
    )
    changed = "measured values belong to the scenario as it is written, without --set"
    return [line, changed] if result.sets else [line]


def withheld_text(held: int) -> str:
    """The number of withheld measurements that were predicted."""
    return f"{counted(held, 'withheld measurement')} predicted"


def _print_uncertainty(console: Console, result: ScenarioResult) -> None:
    """Print the samples and errors behind the intervals."""
    covered, basis, most = uncertainty_texts(result)
    if basis:
        console.print()
    for text, style in ((covered, ""), (basis, "dim"), (most, "yellow")):
        if text:
            console.print(Text(text, style=style))


def uncertainty_texts(result: ScenarioResult) -> tuple[str, str, str]:
    """The rows within the intervals, what these rest on, and the value without a source that matters most.

    Empty texts for a result without intervals, or without rows.
    """
    found = result.uncertainty
    if found is None:
        return "", "", ""
    compared = summary(result)
    covered = ""
    if compared is not None and compared.intervals and not result.sets:
        covered = f"measured within the 90% interval: {compared.covered} of {counted(compared.intervals, 'row')}"
    runs = counted(found.runs, "short run")
    lines = [f"intervals of 90%: {runs} with {counted(found.values, 'uncertain catalogue value')}"]
    if found.by_rule:
        lines[0] += f", {found.by_rule} of them without an interval of their own, which have the width of their class"
    if found.model_error is None:
        lines.append("nothing was predicted blind: the intervals leave out the error of the model itself")
    else:
        lines.append(f"plus {found.model_error:.1%} of model error, learnt from {found.evidence}")
    if found.halved:
        lines.append(
            f"{counted(found.halved, 'change')} beyond a datasheet's limits moved towards the nominal values"
        )
    if found.failed:
        lines.append(f"{counted(found.failed, 'group')} of cases failed and left out")
    return covered, "; ".join(lines), unsourced_text(found.unsourced)


def unsourced_text(found: Sequence[Dependence]) -> str:
    """The value without a source on which the answer depends most, in words."""
    if not found:
        return "depends by more than 5% on no value without a source"
    most = found[0]
    low, high = (f"{change:+.0%}" for change in most.changes)
    more = f"; {counted(len(found) - 1, 'other')} by more than 5%" if len(found) > 1 else ""
    return (
        f"depends most on a value without a source: {most.name} = {most.written} ({most.basis}), with "
        f"{most.ends[0]} {low}, with {most.ends[1]} {high} (case {most.case + 1}){more}"
    )


def _case(case: CaseResult, unit: str) -> Group:
    settings = settings_text(case.settings)
    rate = with_interval(f"{rate_text(case, unit)} {unit}", case.interval, unit, ", 90%")
    lines: list[RenderableType] = [Text(f"case {case.index + 1}: {settings}", style="bold")] if settings else []
    sentence = case.limiter.sentence if case.rate else "; ".join(case.notes)
    lines.append(Text.assemble((rate, "bold green"), "   ", sentence))
    if case.rate:
        lines += [Text(note, style="yellow") for note in case.notes]
    lines += [Text(load.sentence) for load in case.loads if not load.grows]
    notes = spread_texts(case)
    if case.bound is not None:
        loose = "; loose, as it leaves out what the run decides" if case.bound > LOOSE * case.rate else ""
        notes.append(f"bound {figure(in_unit(float(case.bound), unit))} {unit}, set by {case.bound_by}{loose}")
    lines += [Text(text, style="dim") for text in (*notes, span_text(case))]
    if case.jobs:
        lines.append(_below(casetables.jobs(case, unit)))
    lines.append(_below(casetables.resources(case.resources, case.bonds)))
    if len(case.streams) > 1:
        lines.append(_below(casetables.streams(case, unit)))
        if shared := fairness(case.streams):
            lines.append(Text(shared.sentence))
    if case.observations:
        lines.append(_below(casetables.observations(case)))
    spreads = casetables.spreads(case)
    if spreads:
        lines.append(_below(spreads))
    if case.demerits:
        lines.append(_below(casetables.demerits(case)))
    if (spent := casetables.profiles(case)).rows:
        lines.append(_below(spent))
    if case.tallies:
        lines.append(_below(casetables.tallies(case)))
    if case.wear:
        lines.append(_below(casetables.wear(case, unit)))
    return Group(*lines)


def span_text(case: CaseResult) -> str:
    """The span that the throughput is averaged over, and why the run ended."""
    since, until, end = (
        units.format_quantity(t, "time") for t in (case.throughput.since, case.throughput.until, case.end)
    )
    how = {"done": "all work done", "until": "time limit reached"}.get(case.status, "cut off")
    if stopped(case):
        how = "stopped, precise enough"
    return f"averaged over {since} to {until} of {end} simulated ({how})"


def stopped(case: CaseResult) -> bool:
    """True if a run that is not random was ended because it was precise enough."""
    return case.status == "until" and len(case.seeds) == 1 and case.precision is not None and case.precision.met


def spread_texts(case: CaseResult) -> list[str]:
    """The meaning of the half width of a throughput, and the precision reached if one was requested."""
    texts = []
    if case.half_width is not None:
        of = f"mean of {len(case.seeds)} runs" if len(case.seeds) > 1 else "mean of one run's batches"
        texts.append(f"{of} and half of its 95% confidence interval")
    if len(case.seeds) > 1:
        texts.append(f"parts and totals: those of the first run (seed {case.seeds[0]}); the others: all runs")
    if case.precision is not None:
        texts.append(_precision_text(case, case.precision))
    return texts


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{share:.0%}"


def _precision_text(case: CaseResult, precision: Precision) -> str:
    wanted = f"{precision.wanted * 100:.4g}% was requested"
    runs = len(case.seeds)
    after = f"{runs} runs" if runs > 1 else f"{units.format_quantity(case.end, 'time')} simulated"
    if precision.reached is None:
        return f"precision unknown after {after}; {wanted}"
    reached = f"±{_percent(0 if precision.reached < ROUNDING else precision.reached)}"
    if not precision.met:
        return f"no more precise after {after}: {reached}; {wanted}"
    return f"{'stopped ' if runs > 1 or stopped(case) else ''}after {after}: {reached}; {wanted}"
