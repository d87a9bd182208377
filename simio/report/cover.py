"""Cover of the intervals on a terminal and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simio.calibration.cover import Covered, CoverShare, share_of, share_then
from simio.calibration.modelerror import learnt
from simio.report.console import columns

if TYPE_CHECKING:
    from rich.console import Console

WHAT = (
    "each row is judged by a model error learnt without its document; width: of the interval, as a share of the "
    "prediction; then: the intervals that blind rows were predicted with"
)


def show(console: Console, found: Sequence[Covered]) -> None:
    """A line for each document, and all together."""
    head = ("document", "in view", "inside", "width", "blind", "inside", "width", "then inside", "width")
    table = columns(*head)
    for name, rows in _documents(found).items():
        table.add_row(name, *_cells(rows), style="bold" if name == "all" else "")
    console.print(table)
    console.print(f"\n{WHAT}\n", style="dim")
    for row in found:
        if row.blind and not row.covered:
            console.print(f"outside: {row.row}: {_over(row)}", markup=False, highlight=False)
    error = learnt()
    if error:
        console.print(
            f"\nmodel error from all of them: {error.low:.1%} below and {error.high:.1%} above the answer, "
            f"{error.wire:.1%} at a bound that is certain; {error.told}"
        )


def cover_json(found: Sequence[Covered]) -> str:
    """All of it, with each row: `error`, `low` and `high` as shares of what is predicted."""
    data = {
        "documents": {name: _shares(rows) for name, rows in _documents(found).items()},
        "rows": [
            {
                "row": row.row, "blind": row.blind is not None, "measured": _measured(row), "low": row.low,
                "high": row.high, "covered": row.covered, "spread": row.spread, "certain": row.certain,
            }
            for row in found
        ],
    }  # fmt: skip
    return json.dumps(data, indent=1) + "\n"


def _documents(found: Sequence[Covered]) -> dict[str, list[Covered]]:
    names = dict.fromkeys(row.document for row in found)
    by_name = {name: [row for row in found if row.document == name] for name in names}
    return by_name if len(names) == 1 else {**by_name, "all": list(found)}


def _split(rows: Sequence[Covered]) -> tuple[CoverShare, CoverShare, CoverShare]:
    blind = [row for row in rows if row.blind]
    return share_of([row for row in rows if not row.blind]), share_of(blind), share_then(blind)


def _cells(rows: Sequence[Covered]) -> list[str]:
    in_view, blind, then = _split(rows)
    cells = []
    for share in (in_view, blind):
        cells += [str(share.rows), _inside(share), _width(share)]
    return [*cells, _inside(then), _width(then)]


def _inside(share: CoverShare) -> str:
    return f"{share.inside}, {share.share:.0%}" if share.rows else ""


def _width(share: CoverShare) -> str:
    return f"{share.width:.0%}" if share.rows else ""


def _measured(row: Covered) -> float:
    return math.exp(row.error)


def _over(row: Covered) -> str:
    return f"measured {_measured(row):.2f} of the prediction, interval {row.low:.2f} to {row.high:.2f}"


def _shares(rows: Sequence[Covered]) -> dict[str, Any]:
    names = ("in view", "blind", "blind, as predicted then")
    return {
        name: {"rows": share.rows, "inside": share.inside, "median width": share.width}
        for name, share in zip(names, _split(rows), strict=True)
    }
