"""The result of a search on a terminal: the best, how certain that is, and what more money buys."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from simio.report.console import NOTHING_YET, columns
from simio.report.table import heading, shown
from simio.sweeps.constraints import told
from simio.sweeps.optimize import Search
from simio.sweeps.outcome import THROUGHPUT
from simio.sweeps.rows import SweepRow
from simio.sweeps.ties import COST, half_width, ties_text
from simio.wording import counted, figure


def show(console: Console, search: Search, unit: str, complete: bool) -> None:
    """Print the result of a search."""
    chosen = search.goal.chosen(search.rows)
    best = chosen[0] if chosen else None
    if best is not None and best.outcome is not None:
        line = Text("best  ")
        values = [_value_text(best, name, unit) for name in _measures(search)]
        line.append(", ".join(values), style="bold")
        line.append(f"  limit {best.outcome.limit}")
        console.print(line)
        keys = [key for axis in search.axes for key in axis.keys]
        for key in keys:
            console.print(Text(f"      {key} = {best.settings[key]}"))
        if search.goal.conditions:
            console.print(Text(f"      {told(search.goal.conditions, best.outcome.measures)}"))
        if alike := ties_text(chosen, keys, search.goal.measure):
            console.print(Text(f"      {alike}"))
    console.print(Text(_sure(search, complete), style="dim"))
    if search.prices:
        front = search.goal.front(search.rows)
        if len(front) > 1:
            console.print()
            console.print(_front(search, front, unit))


def _measures(search: Search) -> list[str]:
    names = dict.fromkeys([search.goal.measure, THROUGHPUT])
    return [*(name for name in names if name != COST), *([COST] if search.prices else [])]


def _value_text(row: SweepRow, measure: str, unit: str) -> str:
    value = figure(shown(measure, row.value(measure) or 0.0, unit))
    if measure == THROUGHPUT:
        return f"{value} {unit}"
    if half := half_width(row, measure):
        value += f" ± {figure(half, 2)}"
    return f"{heading(measure, unit)} {value}"


def _sure(search: Search, complete: bool) -> str:
    tried = len(search.rows)
    unrun = tried - search.runs
    ran = counted(search.runs, "run") + (f", {unrun} left out for their cost or an error" if unrun else "")
    if not complete and not search.goal.chosen(search.rows):
        return f"interrupted: {ran}; none of them qualifies" if tried else NOTHING_YET
    if not complete:
        return f"interrupted: {ran}; the best so far, not proven"
    if search.proven:
        return f"proven: all of {counted(tried, 'configuration')} tried ({ran})"
    of = counted(search.number, "configuration") if search.number else "a continuum"
    return f"found by search, not proven: {tried} of {of} tried ({ran}), seed {search.seed}"


def _front(search: Search, front: list[SweepRow], unit: str) -> Table:
    names = [COST, *(name for name in _measures(search) if name != COST)]
    keys = [key for axis in search.axes for key in axis.keys]
    headings = [*(heading(name, unit) for name in names), *keys, "limit"]
    table = columns(*headings, left=(len(headings) - 1,))
    table.title, table.title_justify, table.title_style = "Pareto front", "left", "bold"
    for row in front:
        values = [figure(shown(name, row.value(name) or 0.0, unit)) for name in names]
        limit = row.outcome.limit if row.outcome else ""
        table.add_row(*values, *(Text(row.settings[key]) for key in keys), Text(limit))
    return table
