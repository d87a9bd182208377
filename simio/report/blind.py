"""Blind predictions on a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from simio.report.console import columns
from simio.report.grid import error_text
from simio.report.tables import measured_text
from simio.report.validation import number
from simio.studies.blind import median_error, worst_error
from simio.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from simio.studies.blind import Blind, BlindTest

HEADINGS = ("row", "measured", "predicted", "error", "90% interval", "inside", "now", "error now")


def show(console: Console, found: Sequence[BlindTest]) -> None:
    """Each test with its rows, if any is released, and what they come to."""
    for test in found:
        record = test.record
        console.print(f"{record.title}: predicted by {record.commit}, {record.date}", style="bold", markup=False)
        if test.errors:
            table = columns(*HEADINGS, left=(0,))
            for row in test.rows:
                table.add_row(*cells(row))
            console.print(table)
        console.print(f"\n{summary(test)}\n", markup=False)


def cells(row: Blind) -> list[str | Text]:
    """The cells of a row under `HEADINGS`."""
    return [
        row.kept.row or f"{row.kept.table}: {row.kept.case}",
        measured_text(row.of.of),
        number(row.kept.predicted),
        _error(row, row.error),
        interval_text(row),
        {True: "yes", False: "no", None: ""}[row.covered],
        "" if row.now is None else number(row.now),
        _error(row, row.error_now),
    ]


def _error(row: Blind, error: float | None) -> str | Text:
    return "" if error is None else error_text(error, row.of.of.points)


def interval_text(row: Blind) -> str:
    """The interval of a prediction, or an empty text."""
    return " to ".join(map(number, row.kept.interval)) if row.kept.interval else ""


def summary(test: BlindTest) -> str:
    """One sentence of how good the predictions were, and one of how good they are now."""
    withheld = sum(row.of.measured is None for row in test.rows)
    held = f"; {counted(withheld, 'row')} withheld" if withheld else ""
    if not test.errors:
        return f"no row is released{held}"
    within = sum(abs(error) <= 0.1 for error in test.errors)
    text = (
        f"{counted(len(test.errors), 'row')}: median error {median_error(test.errors):.1%}, worst "
        f"{worst_error(test.errors):+.1%}, {within} within 10%; {test.covered} of {len(test.errors)} inside their "
        f"{test.record.level.replace(' ', '')} interval{held}"
    )
    if test.errors_now:
        now = median_error(test.errors_now), worst_error(test.errors_now)
        text += f". The same rows now: median {now[0]:.1%}, worst {now[1]:+.1%}"
    return text


def blind_json(found: Sequence[BlindTest]) -> str:
    """All tests with their rows as JSON; errors are shares, signed."""
    return json.dumps([_test(test) for test in found], indent=1) + "\n"


def _test(test: BlindTest) -> dict[str, Any]:
    record = test.record
    return {
        "title": record.title,
        "date": record.date,
        "commit": record.commit,
        "level": record.level,
        "judged": len(test.judged),
        "covered": test.covered,
        "median": median_error(test.errors) if test.errors else None,
        "median_now": median_error(test.errors_now) if test.errors_now else None,
        "rows": [
            {
                **row.kept.model_dump(exclude={"measured"}),
                "measured": None if row.of.measured is None else row.of.of.text,
                "error": row.error,
                "inside": row.covered,
                "now": row.now,
                "error_now": row.error_now,
            }
            for row in test.rows
        ],
    }
