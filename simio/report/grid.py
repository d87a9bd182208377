"""Tables as plain cells, which a terminal and a page show each in its own way."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rich.text import Text

from simio.report.console import Bar, FittedTable, columns, share_bar

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
