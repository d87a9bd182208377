"""Predictions of withheld rows, kept as they are before anyone has seen what was measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
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


def frozen(studies: Sequence[str], commit: str, progress: Callable[[str], Any]) -> str:
    """The record of all withheld rows of some studies, or of all, as YAML; `progress` hears of each scenario.

    Raises SimioError where no row is withheld.
    """
    library = Library()
    held = [row for row in rows(studies, library) if row.of.held]
    if not held:
        raise SimioError("--record: found no withheld row to predict")
    names = dict.fromkeys(row.scenario for row in held)
    lines = [
        f"title: Predictions of {len(held)} withheld rows",
        f"date: {date.today().isoformat()}",
        f"commit: '{commit}'",
        "level: 90 %",
        "rows:",
    ]
    for name in names:
        progress(name)
        lines += _predicted(library, name, [row for row in held if row.scenario == name])
    return HEAD + "\n".join(lines) + "\n"


def _predicted(library: Library, name: str, held: Sequence[Row]) -> Iterator[str]:
    scenario = library.scenario(name)
    cases = sorted({case for row in held for case in row.cases})
    result = with_intervals(scenario, run_scenario(scenario, cases=cases), tables=library.tables)
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
