"""Pieces of HTML: everything that comes from a scenario goes through `shown`."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from typing import Any

from simio import units


def shown(text: object) -> str:
    """Text as HTML that shows it, in elements and attributes."""
    return html.escape(str(text))


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
    return f'<div class="wide"><table class="{kind}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def section(name: str, inside: str, key: str = "") -> str:
    """A section with its heading, or nothing where there is nothing inside."""
    mark = f' id="{key}"' if key else ""
    return f"<section{mark}><h2>{shown(name)}</h2>{inside}</section>" if inside else ""


def quantity(value: int, unit: str) -> str:
    """A time in a fitting unit, or a number with its unit."""
    if unit == "ps" and value >= 0:
        return shown(units.format_quantity(value, "time"))
    return shown(f"{value:,} {unit}".rstrip())
