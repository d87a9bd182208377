"""A validation on a terminal: a line for each table, or for each row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from simio.report.console import columns
from simio.report.grid import error_text
from simio.report.tables import measured_text, why_unjudged
from simio.report.terminal import withheld_text
from simio.studies.baseline import Deviation
from simio.studies.simulate import Simulated
from simio.studies.summary import UNSOURCED, Errors, TableSummary, Verdict, errors, percent
from simio.studies.validation import Validation, missed
from simio.wording import counted, short_names

MOST_CHANGES = 40
"""Changes since the baseline that are printed; the rest is counted."""
INTERRUPTED = "interrupted: these are the rows finished by then"


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
    """The rows of a table; those that are missed in red, with the reason given."""
    named = labels(table.rows)
    headings = [*(heading for heading, _ in named), "simulated", "measured", "error"]
    shown = columns(*headings, left=range(len(named)), styles={"simulated": "bold"})
    remarks = [row.fault or row.difference or remark_of(row) for row in table.rows]
    if any(remarks):
        shown.add_column("note", overflow="fold", style="dim")
    for index, row in enumerate(table.rows):
        cells = [cells[index] for _, cells in named]
        value = simulated_text(row)
        style = "red" if missed(row) or row.value is None else ""
        remark = remarks[index : index + 1] if any(remarks) else []
        shown.add_row(*cells, value, measured_text(row.row.of), judged(row), *remark, style=style)
    return shown


def judged(row: Simulated) -> Text:
    """The error of a row, or why there is none."""
    if row.error is not None:
        return error_text(row.error, row.row.of.points)
    return Text(why_unjudged(row.row.of.held), style="dim")


def remark_of(row: Simulated) -> str:
    """The reason of an anomaly or a known miss, else the note of the row."""
    own = row.row.of
    return f"anomaly: {own.anomaly}" if own.anomaly else f"missed: {own.missed}" if own.missed else own.note


def simulated_text(row: Simulated) -> str:
    """The simulated value, to four digits, with its unit."""
    return "none" if row.value is None else f"{number(row.value)} {row.row.unit}"


def number(value: float) -> str:
    """A value to four digits, or without decimals if it is large."""
    return f"{value:.0f}" if value >= 10_000 else f"{value:.4g}"


Labels = list[tuple[str, tuple[str, ...]]]
"""Headings of columns, each with a cell for every row."""


def labels(rows: Sequence[Simulated]) -> Labels:
    """The settings in which rows differ under short names, and the quantity measured if that differs."""
    settings = [dict(row.row.settings) for row in rows]
    keys = dict.fromkeys(key for each in settings for key in each)
    varied = [key for key in keys if len({each.get(key, "") for each in settings}) > 1 and not key.startswith("run.")]
    found = [
        (name, tuple(each.get(key, "") for each in settings))
        for name, key in zip(short_names(varied), varied, strict=True)
    ]
    quantities = tuple(row.row.of.label for row in rows)
    if len(set(quantities)) > 1 or not found:
        found.append(("quantity", quantities))
    return found


HEADINGS = ("table", "rows", "withheld", "median", "90%", "worst", "limits", "fitted", "unsourced", "")
"""Columns of the overview; the first and the last hold text."""


def _tables(found: Validation) -> Table:
    """A line for each table below one of its study, and the totals."""
    shown = columns(*HEADINGS, left=(0, len(HEADINGS) - 1))
    for table, cells in overview(found):
        if table:
            shown.add_row(f"  {table.name.partition('/')[2]}", *cells)
        else:
            shown.add_row(*cells, style="bold")
    if len({name.partition("/")[0] for name in (table.name for table in found.tables)}) > 1:
        shown.add_section()
        shown.add_row(*_sums("all", found.tables), style="bold")
    return shown


def overview(found: Validation) -> Iterator[tuple[TableSummary | None, list[str | Text]]]:
    """Each study with its cells, and each of its tables with the cells behind its name."""
    verdicts = {name: verdict for verdict in found.verdicts for name in verdict.tables}
    studies: dict[str, list[TableSummary]] = {}
    for table in found.tables:
        studies.setdefault(table.name.partition("/")[0], []).append(table)
    for study, tables in studies.items():
        yield None, _sums(study, tables)
        for table in tables:
            fitted = f"{len(table.fitted_here)} of {len(table.fitted)}"
            yield table, [
                *statistics(table.errors, table.held, table.table.points), limits_text(table), fitted,
                str(len(table.unsourced)), verdict_text(table, verdicts.get(table.name)),
            ]  # fmt: skip


def _sums(name: str, tables: Sequence[TableSummary]) -> list[str | Text]:
    rows = [row for table in tables for row in table.rows]
    fitted = {value for table in tables for value in table.fitted}
    unsourced = {value for table in tables for value in table.unsourced}
    held = sum(table.held for table in tables)
    return [name, *statistics(errors(rows), held), "", str(len(fitted)), str(len(unsourced)), ""]


def statistics(found: Errors | None, held: int, points: bool = False) -> list[str | Text]:
    """Cells: measured rows, withheld rows, median, 90th percentile, worst; `points` if all rows are compared so."""
    if found is None or found.worst.error is None:
        return ["0", str(held), "", "", ""]
    worst = error_text(found.worst.error, found.worst.row.of.points)
    sizes = (f"{each * 100:.1f} points" if points else f"{each:.1%}" for each in (found.median, found.ninety))
    return [str(found.rows), str(held), *sizes, worst]


def limits_text(table: TableSummary) -> str:
    """The largest median and the largest single error allowed to a table; empty if it sets none."""
    bars, points = table.table.tolerance, table.table.points
    return f"{percent(bars.median, points)}, {percent(bars.worst, points)}" if bars else ""


def verdict_text(table: TableSummary, verdict: Verdict | None) -> Text:
    """The verdict on a table, within its tolerance in green or outside in red; empty if it has none."""
    if table.missing:
        return Text(f"{len(table.missing)} not simulated", style="red")
    if not table.complete:
        return Text(f"{len(table.rows)} of {counted(table.expected, 'row')}", style="yellow")
    if verdict is None or verdict.errors is None:
        return Text("")
    if not verdict.judged:
        return Text(f"not judged without all of {verdict.name}", style="yellow")
    group = f' as part of group "{verdict.tolerance.group}"' if verdict.tolerance.group else ""
    if verdict.reasons:
        return Text(f"outside tolerance{group}: {', '.join(verdict.reasons)}", style="red")
    spared = [counted(len(table.anomalies), "anomaly", "anomalies")] * bool(table.anomalies)
    spared += [counted(len(table.known), "known miss", "known misses")] * bool(table.known)
    exempt = f" ({' and '.join(spared)} exempt)" if spared else ""
    return Text(f"within tolerance{group}{exempt}", style="yellow" if table.known else "green")


def _print_changes(console: Console, found: Validation) -> None:
    """Rows that differ from the baseline."""
    if not found.changes and not found.gone:
        return
    shown = columns("row", "before", "now", "error before", "error now")
    for change in found.changes[:MOST_CHANGES]:
        shown.add_row(*_change(change))
    number = len(found.changes)
    new = sum(change.kept is None for change in found.changes)
    told = f"{counted(number - new, 'row')} changed" + f", {new} new" * bool(new)
    console.print(Text(f"\n{told} since the baseline {found.baseline}", style="bold"))
    if number:
        console.print(shown)
    if number > MOST_CHANGES:
        console.print(f"and {number - MOST_CHANGES} more (--json has all)")
    for name in found.gone:
        console.print(Text(f"in the baseline and not in the table: {name}", style="yellow"))


def _change(change: Deviation) -> list[str | Text]:
    row = change.simulated
    kept = change.kept.value if change.kept else None
    before = "new" if change.kept is None else "none" if kept is None else f"{kept:.5g}"
    now = "none" if row.value is None else f"{row.value:.5g} {row.row.unit}"
    error = change.error_before
    name = f"{row.row.table}: {row.row.name.partition(': ')[2]}"
    return [name, before, now, "" if error is None else error_text(error, row.row.of.points), judged(row)]


def _print_whole(console: Console, found: Validation) -> None:
    """The totals of all rows, and every failure."""
    console.print(f"\n{totals(found)} ({_bases(found)})")
    for line in exempt_texts(found):
        console.print(line)
    for failure in found.failures:
        console.print(Text(failure, style="red"))
    if not found.complete:
        console.print(Text(INTERRUPTED, style="yellow"))


def totals(found: Validation) -> str:
    """Rows, misses, predictions, fitted values and values without a source, in a line."""
    judged_rows = [row for row in found.rows if row.error is not None]
    held = sum(row.row.of.held for row in found.rows)
    return (
        f"{counted(len(judged_rows), 'measured row')}, {sum(map(missed, judged_rows))} of them off by more than 10%; "
        f"{withheld_text(held)}; {counted(len(found.fitted), 'fitted value')} in the parts used, and "
        f"{len(found.unsourced)} without a source"
    )


def exempt_texts(found: Validation) -> list[str]:
    """A line each for anomalies and for known misses, with their number and the way they count, if there are any."""
    rows = [row.row.of for row in found.rows]
    numbers = {
        "believed to be measurement errors": sum(bool(own.anomaly) for own in rows),
        "that the model is known to miss": sum(bool(own.missed) for own in rows),
    }
    return [
        f"{counted(number, 'row')} {which}: counted in every statistic, but not against the limit for the worst error"
        for which, number in numbers.items()
        if number
    ]


def _bases(found: Validation) -> str:
    """The number of values without a source of each basis."""
    bases = {name: table.values[name].basis for table in found.tables for name in table.unsourced}
    counts = Counter(bases.values())
    return ", ".join(f"{counts[basis]} {basis}" for basis in UNSOURCED)
