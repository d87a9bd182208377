"""Results as JSON and CSV. Neither names the engine: both give the same, field by field."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from typing import Any

from simio import units
from simio.result.compare import comparisons
from simio.result.model import CaseResult, ScenarioResult

SCHEMA = 1
"""Version of the layout of the JSON document."""


def as_dict(result: ScenarioResult) -> dict[str, Any]:
    """A result as plain data: times in ps, sizes in bytes, rates in bytes a second unless a unit is named."""
    return {
        "simio": result.version,
        "schema": SCHEMA,
        "title": result.title,
        "complete": result.complete,
        "unit": result.unit,
        "cases": [_case(case, result.unit) for case in result.cases],
        "fitted": list(result.fitted),
        "scenario": {"path": result.path, "set": list(result.sets), "text": result.text},
        "resolved": result.resolved,
    }


def _case(case: CaseResult, unit: str) -> dict[str, Any]:
    data = asdict(case)
    for name in ("index", "measured", "rate", "half_width", "bound", "throughput"):
        del data[name]
    span = case.throughput
    return {
        "settings": dict(data.pop("settings")),
        "throughput": in_unit(float(case.rate), unit),
        "half_width": None if case.half_width is None else in_unit(case.half_width, unit),
        "bytes_per_second": float(case.rate),
        "measured_span": {"bytes": span.amount, "since_ps": span.since, "until_ps": span.until},
        "bound": None if case.bound is None else in_unit(float(case.bound), unit),
        "comparisons": [
            {
                "table": f"{c.row.study}/{c.row.table}",
                "unit": c.row.unit,
                "measured": None if c.row.value is None else float(c.row.value),
                "held": c.row.held,
                "simulated": c.simulated,
                "error": c.error,
            }
            for c in comparisons(case)
        ],
        **data,
        "streams": {stream.name: float(stream.rate) for stream in case.streams},
    }


def in_unit(rate: float, unit: str) -> float:
    """A rate in bytes a second, in another unit."""
    return rate / float(units.parse(f"1 {unit}", "rate"))


def as_json(result: ScenarioResult) -> str:
    """The result as JSON text."""
    return json.dumps(as_dict(result), indent=1, allow_nan=False) + "\n"


def as_csv(result: ScenarioResult) -> str:
    """One line a case: its settings, throughput, measured values and errors."""
    keys = list(dict.fromkeys(key for case in result.cases for key in case.settings))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["case", *keys, f"throughput ({result.unit})", f"half width ({result.unit})", "measured", "error",
         f"bound ({result.unit})", "limit", "busy", "hash"]
    )  # fmt: skip
    for case in result.cases:
        rows = comparisons(case)
        writer.writerow(
            [
                case.index + 1,
                *(case.settings.get(key, "") for key in keys),
                f"{in_unit(float(case.rate), result.unit):.6g}",
                "" if case.half_width is None else f"{in_unit(case.half_width, result.unit):.6g}",
                "; ".join(row.row.text for row in rows),
                "; ".join("" if row.error is None else f"{row.error:.4f}" for row in rows),
                "" if case.bound is None else f"{in_unit(float(case.bound), result.unit):.6g}",
                case.limiter.name,
                f"{case.limiter.busy:.4f}",
                case.hash,
            ]
        )
    return out.getvalue()
