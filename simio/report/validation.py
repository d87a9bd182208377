"""A validation on a terminal: a line a table, or a line a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simio.report.terminal import error_text, short_names
from simio.studies.baseline import Change
from simio.studies.simulate import Simulated
from simio.studies.summary import UNSOURCED, Errors, TableSummary, Verdict, errors, percent
from simio.studies.validation import Validation, missed

MOST_CHANGES = 40
"""Changes since the baseline that are printed; the rest is counted."""


def show(console: Console, found: Validation, detailed: Sequence[str] = ()) -> None:
    """Print a validation; of the tables in `detailed` also every row."""
    for table in found.tables:
        if table.name in detailed and table.rows:
            console.print(Text(f"{table.name}: {table.table.title}", style="bold"))
            console.print(Padding(_rows(table), (0, 0, 1, 0)))
    console.print(_tables(found))
    _print_changes(console, found)
    _print_whole(console, found)


def _rows(table: TableSummary) -> Table:
    """The rows of a table; those that are missed in red, with the reason that is told."""
    names = labels(table.rows)
    shown = _plain(*(heading for heading, _ in names.columns), left=len(names.columns))
    for heading in ("simulated", "measured", "error"):
        shown.add_column(heading, justify="right", style="bold" if heading == "simulated" else "")
    remarks = [row.fault or row.difference or remark_of(row) for row in table.rows]
    if any(remarks):
        shown.add_column("note", overflow="fold", style="dim")
    for index, row in enumerate(table.rows):
        cells = [cells[index] for _, cells in names.columns]
        value = simulated_text(row)
        style = "red" if missed(row) or row.value is None else ""
        told = remarks[index : index + 1] if any(remarks) else []
        shown.add_row(*cells, value, measured_text(row), judged(row), *told, style=style)
    return shown


def judged(row: Simulated) -> Text:
    """The error of a row, or why there is none."""
    if row.error is not None:
        return error_text(row.error)
    return Text("predicted" if row.row.of.held else "not simulated", style="dim")


def remark_of(row: Simulated) -> str:
    """Why a row is what it is: the reason of an anomaly, else its note."""
    return f"anomaly: {row.row.of.anomaly}" if row.row.of.anomaly else row.row.note


def simulated_text(row: Simulated) -> str:
    """What was simulated, to four digits, with its unit."""
    if row.value is None:
        return "none"
    return f"{row.value:.0f} {row.row.unit}" if row.value >= 10_000 else f"{row.value:.4g} {row.row.unit}"


def measured_text(row: Simulated) -> str:
    """What was measured, as the source prints it, with its unit where that is a number."""
    own = row.row.of
    return f"{own.text} {own.unit}" if own.text[-1:].isdigit() else own.text


@dataclass(frozen=True)
class Labels:
    """What tells rows of a table apart: headings, and a cell a row under each."""

    columns: tuple[tuple[str, tuple[str, ...]], ...]


def labels(rows: Sequence[Simulated]) -> Labels:
    """The settings in which rows differ under short names, and what was measured where that differs."""
    settings = [dict(row.row.settings) for row in rows]
    keys = dict.fromkeys(key for each in settings for key in each)
    varied = [key for key in keys if len({each.get(key, "") for each in settings}) > 1 and not key.startswith("run.")]
    columns = [
        (name, tuple(each.get(key, "") for each in settings))
        for name, key in zip(short_names(varied), varied, strict=True)
    ]
    told = tuple(row.row.of.label for row in rows)
    if len(set(told)) > 1 or not columns:
        columns.append(("quantity", told))
    return Labels(tuple(columns))


def _tables(found: Validation) -> Table:
    """A line a table under one of its study, and what all come to."""
    shown = _plain("table", left=1)
    for heading in ("rows", "held", "median", "90%", "worst", "bars", "fitted", "unsourced"):
        shown.add_column(heading, justify="right")
    shown.add_column("")
    verdicts = {name: verdict for verdict in found.verdicts for name in verdict.tables}
    studies: dict[str, list[TableSummary]] = {}
    for table in found.tables:
        studies.setdefault(table.name.partition("/")[0], []).append(table)
    for study, tables in studies.items():
        shown.add_row(*_sums(study, tables), style="bold")
        for table in tables:
            shown.add_row(
                f"  {table.name.partition('/')[2]}",
                *statistics(table.errors, table.held),
                bars_text(table),
                f"{len(table.fitted_here)} of {len(table.fitted)}",
                str(len(table.unsourced)),
                verdict_text(table, verdicts.get(table.name)),
            )
    if len(studies) > 1:
        shown.add_section()
        shown.add_row(*_sums("all", found.tables), style="bold")
    return shown


def _sums(name: str, tables: Sequence[TableSummary]) -> list[str | Text]:
    rows = [row for table in tables for row in table.rows]
    fitted = {value for table in tables for value in table.fitted}
    unsourced = {value for table in tables for value in table.unsourced}
    held = sum(table.held for table in tables)
    return [name, *statistics(errors(rows), held), "", str(len(fitted)), str(len(unsourced)), ""]


def statistics(found: Errors | None, held: int) -> list[str | Text]:
    """Cells: measured rows, held rows, median, 90th percentile, worst."""
    if found is None or found.worst.error is None:
        return ["0", str(held), "", "", ""]
    worst = error_text(found.worst.error)
    return [str(found.rows), str(held), f"{found.median:.1%}", f"{found.ninety:.1%}", worst]


def bars_text(table: TableSummary) -> str:
    """The largest median and the largest single error that a table may have; empty where it does not say."""
    bars = table.table.tolerance
    return f"{percent(bars.median)}, {percent(bars.worst)}" if bars else ""


def verdict_text(table: TableSummary, verdict: Verdict | None) -> Text:
    """Whether a table is inside its tolerance, green or red; empty where it has none."""
    if table.missing:
        return Text(f"{len(table.missing)} not simulated", style="red")
    if not table.complete:
        return Text(f"{len(table.rows)} of {table.expected} rows", style="yellow")
    if verdict is None or verdict.errors is None:
        return Text("")
    if not verdict.judged:
        return Text(f"not judged without all of {verdict.name}", style="yellow")
    group = f" ({verdict.name})" if verdict.tolerance.group else ""
    if verdict.reasons:
        return Text(f"outside{group}: {', '.join(verdict.reasons)}", style="red")
    left_out = f", worst but {len(table.anomalies)} anomalies" if table.anomalies else ""
    return Text(f"inside{group}{left_out}", style="green")


def _print_changes(console: Console, found: Validation) -> None:
    """Rows that are not as the baseline has them."""
    if not found.changes and not found.gone:
        return
    shown = _plain("row", left=1)
    for heading in ("before", "now", "error before", "error now"):
        shown.add_column(heading, justify="right")
    for change in found.changes[:MOST_CHANGES]:
        shown.add_row(*_change(change))
    number = len(found.changes)
    console.print(Text(f"\n{number} rows changed since the baseline {found.baseline}", style="bold"))
    if number:
        console.print(shown)
    if number > MOST_CHANGES:
        console.print(f"and {number - MOST_CHANGES} more (--json has all)")
    for name in found.gone:
        console.print(Text(f"in the baseline and not in the table: {name}", style="yellow"))


def _change(change: Change) -> list[str | Text]:
    row = change.simulated
    kept = change.kept.value if change.kept else None
    before = "new" if change.kept is None else "none" if kept is None else f"{kept:.5g}"
    now = "none" if row.value is None else f"{row.value:.5g} {row.row.unit}"
    error = change.error_before
    name = f"{row.row.table}: {row.row.name.partition(': ')[2]}"
    return [name, before, now, "" if error is None else error_text(error), judged(row)]


def _print_whole(console: Console, found: Validation) -> None:
    """What all rows come to, and why this is no success if it is none."""
    judged_rows = [row for row in found.rows if row.error is not None]
    held = sum(row.row.of.held for row in found.rows)
    far = sum(missed(row) for row in judged_rows)
    anomalies = sum(bool(row.row.of.anomaly) for row in found.rows)
    console.print(
        f"\n{len(judged_rows)} measured rows, {far} of them off by more than 10%; {held} held rows predicted; "
        f"{len(found.fitted)} fitted values in the parts used, and {len(found.unsourced)} without a source "
        f"({_bases(found)})",
    )
    if anomalies:
        console.print(
            f"{anomalies} rows believed to be anomalies of the measurement count in all statistics, and not against "
            f"the bar for the worst"
        )
    for failure in found.failures:
        console.print(Text(failure, style="red"))
    if not found.complete:
        console.print(Text("interrupted: only what was finished is shown", style="yellow"))


def _bases(found: Validation) -> str:
    """How many values without a source there are of each basis."""
    bases = {name: table.values[name].basis for table in found.tables for name in table.unsourced}
    counts = Counter(bases.values())
    return ", ".join(f"{counts[basis]} {basis}" for basis in UNSOURCED)


def _plain(*headings: str, left: int) -> Table:
    shown = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for index, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if index < left else "right", overflow="fold")
    return shown
