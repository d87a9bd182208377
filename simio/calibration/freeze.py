"""Predictions of withheld rows, kept before anyone has seen the measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from simio.calibration.predict import with_intervals
from simio.errors import SimioError
from simio.result.compare import comparison_of
from simio.running import run_scenario
from simio.studies.rows import Library, Row, rows

DIGITS = 4
HEAD = """\
# Predictions of measured rows that nobody who built simio has seen. This record never changes.
# Its fields are those of first.yaml; what was measured stands in the tables once a row is released.
"""


Progress = Callable[[str, int], Any]
"""Hears of a scenario, and how many of its cases are predicted."""


def held_rows(studies: Sequence[str], library: Library) -> dict[str, list[Row]]:
    """The withheld rows of some studies, or of all, by scenario. Raises SimioError where there are none."""
    found: dict[str, list[Row]] = {}
    for row in rows(studies, library):
        if row.of.held:
            found.setdefault(row.scenario, []).append(row)
    if not found:
        raise SimioError("--record: found no withheld row to predict")
    return found


def cases_of(held: Sequence[Row]) -> list[int]:
    """The cases of a scenario that its rows need."""
    return sorted({case for row in held for case in row.cases})


def frozen(held: Mapping[str, Sequence[Row]], library: Library, commit: str, progress: Progress) -> str:
    """The record of withheld rows as YAML; `progress` hears of a scenario as it begins, and of its cases."""
    lines = [
        f"title: Predictions of {sum(map(len, held.values()))} withheld rows",
        f"date: {date.today().isoformat()}",
        f"commit: '{commit}'",
        "level: 90 %",
        "rows:",
    ]
    for name, own in held.items():
        progress(name, 0)
        lines += _predicted(library, name, own, partial(progress, name))
    return HEAD + "\n".join(lines) + "\n"


def _predicted(library: Library, name: str, held: Sequence[Row], progress: Callable[[int], Any]) -> Iterator[str]:
    scenario = library.scenario(name)
    result = run_scenario(scenario, cases=cases_of(held))
    result = with_intervals(scenario, result, progress=progress, tables=library.tables)
    for row in held:
        own = comparison_of(result, row.of, row.case)
        if own is None or own.simulated is None:
            continue
        yield f"  - table: {row.table}"
        yield f"    case: {json.dumps(row.name)}"
        yield f"    unit: {json.dumps(row.unit)}"
        yield f"    predicted: {own.simulated:.{DIGITS}g}"
        if own.interval:
            yield f"    interval: [{own.interval.low:.{DIGITS}g}, {own.interval.high:.{DIGITS}g}]"
