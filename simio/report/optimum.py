"""What a search found, on a terminal: the best, how sure that is, and what more money buys."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from simio.report.sweep import figure
from simio.report.table import heading, shown
from simio.sweeps.optimize import COST, Search
from simio.sweeps.outcome import THROUGHPUT
from simio.sweeps.rows import Row


def show(console: Console, search: Search, unit: str, complete: bool) -> None:
    """Print what a search found."""
    best = search.goal.best(search.rows)
    if best is not None and best.outcome is not None:
        line = Text("best  ")
        told = [_told(best, name, unit) for name in _measures(search)]
        line.append(", ".join(told), style="bold")
        line.append(f"  limit {best.outcome.limit}")
        console.print(line)
        for key in (key for axis in search.axes for key in axis.keys):
            console.print(Text(f"      {key} = {best.settings[key]}"))
    console.print(Text(_sure(search, complete), style="dim"))
    if search.prices:
        front = search.goal.front(search.rows)
        if len(front) > 1:
            console.print()
            console.print(_front(search, front, unit))


def _measures(search: Search) -> list[str]:
    names = dict.fromkeys([search.goal.measure, THROUGHPUT])
    return [*(name for name in names if name != COST), *([COST] if search.prices else [])]


def _told(row: Row, measure: str, unit: str) -> str:
    value = figure(shown(measure, row.value(measure) or 0.0, unit))
    if measure == THROUGHPUT:
        return f"{value} {unit}"
    return f"{heading(measure, unit)} {value}"


def _sure(search: Search, complete: bool) -> str:
    tried = len(search.rows)
    unrun = tried - search.runs
    ran = f"{search.runs} run" + (f", {unrun} not run for their cost or a fault" if unrun else "")
    if not complete:
        return f"interrupted: {ran}; the best so far, not proven"
    if search.proven:
        return f"proven: all {tried} configurations were tried ({ran})"
    of = f"of {search.number:,} configurations" if search.number else "of a continuum"
    return f"found by search, not proven: {tried} {of} were tried ({ran}), seed {search.seed}"


def _front(search: Search, front: list[Row], unit: str) -> Table:
    table = Table(
        box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0), title="Pareto front",
        title_justify="left", title_style="bold",
    )  # fmt: skip
    names = [COST, *(name for name in _measures(search) if name != COST)]
    for name in names:
        table.add_column(heading(name, unit), justify="right")
    keys = [key for axis in search.axes for key in axis.keys]
    for key in keys:
        table.add_column(key, justify="right")
    table.add_column("limit", overflow="fold")
    for row in front:
        values = [figure(shown(name, row.value(name) or 0.0, unit)) for name in names]
        limit = row.outcome.limit if row.outcome else ""
        table.add_row(*values, *(Text(row.settings[key]) for key in keys), Text(limit))
    return table
