"""Pieces of HTML: everything that comes from a scenario goes through `shown`."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from simio.errors import visible
from simio.report.grid import FAIR, GOOD, Cell, Grid, ShareCell, SignedErrors, signed

BUSY, HALF = 0.9, 0.6
"""Shares from which a bar is red and yellow."""


def shown(text: object) -> str:
    """Text as HTML that shows it, in elements and attributes."""
    return html.escape(visible(str(text)))


def asset(name: str, package: str = __package__) -> str:
    """The text of a file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def script_data(value: Any) -> str:
    """JSON that can stand in a script element."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[int] = (0,), kind: str = "") -> str:
    """A table of cells that are HTML already; columns in `left` are texts, the others numbers."""
    sides = ["l" if column in left else "r" for column in range(len(head))]
    top = "".join(f'<th class="{side}">{cell}</th>' for side, cell in zip(sides, head, strict=True))
    body = "".join(
        "<tr>" + "".join(f'<td class="{side}">{cell}</td>' for side, cell in zip(sides, row, strict=True)) + "</tr>"
        for row in rows
    )
    inside = f'<table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="wide" tabindex="0">{inside}</div>'


def section(name: str, inside: str, key: str = "") -> str:
    """A section with its heading, or nothing where there is nothing inside."""
    mark = f' id="{key}"' if key else ""
    return f"<section{mark}><h2>{shown(name)}</h2>{inside}</section>" if inside else ""


def grid_table(grid: Grid, kind: str = "", first: Sequence[str] = ()) -> str:
    """A table of plain cells as HTML; `first` are cells that replace those of the first column."""
    head: list[str] = []
    left = []
    for number, heading in enumerate(grid.headings):
        if number in grid.left:
            left.append(len(head))
        # A bar and its percentage have a column each.
        barred = any(isinstance(row[number], ShareCell) for row in grid.rows)
        head += [shown(heading.replace("\n", ", ")), *[""] * barred]
    rows = [
        [text for number, cell in enumerate(row) for text in _cell(cell, number == grid.strong)] for row in grid.rows
    ]
    for row, cell in zip(rows, first, strict=False):
        row[0] = cell
    return table(head, rows, left, kind)


def _cell(cell: Cell, strong: bool) -> list[str]:
    """The HTML of a cell, in two parts for a bar."""
    if isinstance(cell, ShareCell):
        kind = "poor" if cell.value >= BUSY else "fair" if cell.value >= HALF else "good"
        return [bar(cell.value, kind), f"{cell.value:.1%}"]
    if isinstance(cell, SignedErrors):
        return [", ".join(each if isinstance(each, str) else error(each, cell.points) for each in cell.errors)]
    return [f"<b>{shown(cell)}</b>" if strong else shown(cell)]


def error(value: float, points: bool = False) -> str:
    """A signed error in the colour of its size."""
    kind = "good" if abs(value) <= GOOD else "fair" if abs(value) <= FAIR else "poor"
    return f'<span class="{kind}">{signed(value, points)}</span>'


def bar(share: float, kind: str) -> str:
    """A bar as long as a share of one."""
    return f'<div class="bar"><i class="{kind}" style="width:{100 * min(max(share, 0), 1):.1f}%"></i></div>'
