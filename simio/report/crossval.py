"""Cross-validation on a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simio.calibration.fitting import median_error
from simio.report.console import columns

if TYPE_CHECKING:
    from rich.console import Console

    from simio.calibration.groups import Group

WHAT = (
    "left out: the error of a row with values that were refitted without it, by linear steps from those of the "
    "catalogue; fitted: with values that were refitted to all rows"
)


def total(groups: Sequence[Group]) -> tuple[int, float, float]:
    """Rows of all groups, and their median absolute errors: fitted, and left out."""
    found = [group.found for group in groups if group.found is not None]
    if not found:
        return 0, 0.0, 0.0
    fitted = np.concatenate([each.fitted for each in found])
    left_out = np.concatenate([each.left_out for each in found])
    return len(fitted), median_error(fitted), median_error(left_out)


def show(console: Console, groups: Sequence[Group]) -> None:
    """A line for each group, and all together."""
    table = columns("fitted together", "rows", "values", "folds", "median fitted", "left out", "ratio")
    for group in groups:
        if group.found is not None:
            fitted, left_out = group.found.medians
            counts = (len(group.found.rows), len(group.values), group.found.folds)
            table.add_row(", ".join(group.studies), *map(str, counts), *_cells(fitted, left_out))
    rows, fitted, left_out = total(groups)
    if rows:
        table.add_row("all", str(rows), "", "", *_cells(fitted, left_out), style="bold")
        console.print(table)
        console.print(f"\n{WHAT}\n", style="dim")
    for group in groups:
        if group.why:
            console.print(f"not cross-validated: {group.why}", markup=False, style="yellow")


def _cells(fitted: float, left_out: float) -> tuple[str, str, str]:
    return f"{fitted:.1%}", f"{left_out:.1%}", f"{left_out / fitted:.2f}" if fitted else ""


def crossval_json(groups: Sequence[Group]) -> str:
    """All of it, with the errors of each row."""
    rows, fitted, left_out = total(groups)
    data = {
        "groups": [_group(group) for group in groups],
        "rows": rows,
        "median_fitted": fitted,
        "median_left_out": left_out,
    }
    return json.dumps(data, indent=1) + "\n"


def _group(group: Group) -> dict[str, Any]:
    data: dict[str, Any] = {"studies": list(group.studies), "values": list(group.values)}
    if group.found is None:
        return {**data, "why": group.why}
    each = zip(group.found.rows, np.expm1(group.found.fitted), np.expm1(group.found.left_out), strict=True)
    data["rows"] = [
        {"table": row.table, "row": row.name, "fitted": float(fitted), "left_out": float(left_out)}
        for row, fitted, left_out in each
    ]
    return data
