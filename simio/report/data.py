"""Results as JSON and CSV. Neither names the engine: both give the same, field by field."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from simio.description.measured import MeasuredRow
from simio.formats.fio import NAMES as DIRECTIONS
from simio.report.jsontext import parts, plain
from simio.result.compare import Comparison, comparisons, pooled_comparisons, summary
from simio.result.distribution import SHARES, quantile
from simio.result.fairness import fairness
from simio.result.model import CaseResult, JobRun, Precision, ScenarioResult
from simio.result.uncertainty import Interval
from simio.wording import in_unit

_WRITTEN_OTHERWISE = (
    "index", "measured", "rate", "half_width", "bound", "throughput", "packets", "checks", "interval",
    "row_intervals", "precision", "cut_off", "progress", "demerits", "loads", "jobs", "requests", "request_size",
    "requests_half_width", "bonds", "wear",
)  # fmt: skip
MS = 1e9
SCHEMA = 1
"""Version of the layout of the JSON document."""


def as_dict(result: ScenarioResult) -> dict[str, Any]:
    """A result as plain data: times in ps, sizes in bytes, rates in bytes a second unless a unit is named."""
    data: dict[str, Any] = plain(_document(result))
    return data


def _document(result: ScenarioResult) -> dict[str, Any]:
    return {
        "simio": result.version,
        "schema": SCHEMA,
        "title": result.title,
        "complete": result.complete,
        "unit": result.unit,
        "cases": [_case(case, result.unit) for case in result.cases],
        "pooled": [
            {**_comparison(c), "over": c.row.over, "where": dict(c.settings)} for c in pooled_comparisons(result)
        ],
        "fitted": list(result.fitted),
        **_uncertainty(result),
        **({"rests_on": asdict(result.guess)} if result.guess else {}),
        "scenario": {"path": result.path, "set": list(result.sets), "text": result.text},
        "resolved": result.resolved,
    }


def _uncertainty(result: ScenarioResult) -> dict[str, Any]:
    """The samples and errors behind the intervals, if there are any."""
    if result.uncertainty is None:
        return {}
    data = asdict(result.uncertainty)
    del data["pooled"]
    found = summary(result)
    covered = {"covered": found.covered, "rows": found.intervals} if found else {}
    return {"uncertainty": {"probability": 0.9, **data, **covered}}


def _job(job: JobRun) -> dict[str, Any]:
    """A job of fio: its reads and writes by name, and shares of its requests by how many were outstanding."""
    return {
        **asdict(job),
        "sides": {DIRECTIONS[direction]: asdict(side) for direction, side in job.sides.items()},
        "depths": {str(depth): share for depth, share in job.depths.items()},
    }


def _case(case: CaseResult, unit: str) -> dict[str, Any]:
    data = {name: value for name, value in vars(case).items() if name not in _WRITTEN_OTHERWISE}
    span = case.throughput
    return {
        "settings": dict(data.pop("settings")),
        "throughput": in_unit(float(case.rate), unit),
        **_interval(case.interval, unit),
        **_precision(case.precision),
        **({"loads": [asdict(load) for load in case.loads]} if case.loads else {}),
        **({"bonds": {bond.resources[0].rpartition(" ")[0]: bond for bond in case.bonds}} if case.bonds else {}),
        **({"cut_off": case.cut_off} if case.cut_off else {}),
        **({"demerits": case.demerits} if case.demerits else {}),
        **({"jobs": [_job(job) for job in case.jobs]} if case.jobs else {}),
        **({"wear": [{**each._asdict(), "years": each.years} for each in case.wear]} if case.wear else {}),
        "half_width": None if case.half_width is None else in_unit(case.half_width, unit),
        "bytes_per_second": float(case.bytes_rate),
        **({"requests_per_second": float(case.requests)} if case.loads or case.request_size else {}),
        "measured_span": {"bytes": span.amount, "since_ps": span.since, "until_ps": span.until},
        "bound": None if case.bound is None else in_unit(float(case.bound), unit),
        "comparisons": [_comparison(c) for c in comparisons(case)],
        **data,
        "streams": {stream.name: float(stream.rate) for stream in case.streams},
        **({"fairness": shared} if (shared := fairness(case.streams)) else {}),
    }


def _precision(precision: Precision | None) -> dict[str, Any]:
    return {} if precision is None else {"precision": {**asdict(precision), "met": precision.met}}


def _interval(interval: Interval | None, unit: str) -> dict[str, Any]:
    if interval is None:
        return {}
    return {"interval": [in_unit(interval.low, unit), in_unit(interval.high, unit)]}


def _comparison(c: Comparison) -> dict[str, Any]:
    interval = {} if c.interval is None else {"interval": [c.interval.low, c.interval.high]}
    return {
        "table": f"{c.row.study}/{c.row.table}",
        "quantity": c.row.quantity,
        "of": c.row.of,
        "unit": c.row.unit,
        "measured": _measured(c.row),
        "held": c.row.held,
        "simulated": c.simulated,
        "error": c.error,
        **interval,
    }


def _measured(row: MeasuredRow) -> float | list[float] | None:
    """A value, or least and most of a range; None if held."""
    if row.value is None:
        return None
    return float(row.value) if row.upper is None else [float(row.value), float(row.upper)]


def as_json(result: ScenarioResult) -> Iterator[str]:
    """The result as JSON text, piece by piece, since that of thousands of resources does not fit everywhere."""
    yield from parts(_document(result))
    yield "\n"


def as_csv(result: ScenarioResult) -> str:
    """One line a case: its settings, throughput, measured values and errors, the quantities beside it at the end.

    Of cases with open loads, what was offered and served, and the distribution of each time, follow.
    """
    others = other_quantities(result)
    keys = list(dict.fromkeys(key for case in result.cases for key in case.settings))
    cut_off = any(case.cut_off for case in result.cases)
    under_load = [_under_load(case) for case in result.cases]
    heads = list(dict.fromkeys(head for cells in under_load for head in cells))
    out = io.StringIO()
    import csv

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["case", *keys, f"throughput ({result.unit})", f"half width ({result.unit})", "measured", "error",
         f"bound ({result.unit})", "limit", "busy", "hash",
         *(f"{head}{end}" for head, unit in others for end in (f" ({unit})", " measured", " error")),
         *["cut off"] * cut_off, *heads]
    )  # fmt: skip
    for case, cells in zip(result.cases, under_load, strict=True):
        compared = comparisons(case)
        rows = [row for row in compared if row.row.quantity == "throughput"]
        writer.writerow(
            [
                case.index + 1,
                *(case.settings.get(key, "") for key in keys),
                f"{in_unit(float(case.rate), result.unit):.6g}",
                "" if case.half_width is None else f"{in_unit(case.half_width, result.unit):.6g}",
                *_cells(rows),
                "" if case.bound is None else f"{in_unit(float(case.bound), result.unit):.6g}",
                case.limiter.name,
                f"{case.limiter.busy:.4f}",
                case.hash,
                *(cell for key in others for cell in _other_cells(compared, key)),
                *[case.cut_off] * cut_off,
                *(cells.get(head, "") for head in heads),
            ]
        )
    return out.getvalue()


def _under_load(case: CaseResult) -> dict[str, str]:
    """Cells by heading: loads, and each time's mean and cumulative distribution in ms."""
    cells: dict[str, str] = {}
    for load in case.loads:
        cells |= {
            f"{load.name} offered (/s)": f"{load.offered:.6g}",
            f"{load.name} served (/s)": f"{load.served:.6g}",
            f"{load.name} line grows (/s)": f"{load.grows:.6g}",
        }
    for seen in case.observations if case.loads else ():
        if seen.unit != "ps":
            continue
        cells[f"{seen.name} mean (ms)"] = f"{seen.mean / MS:.6g}"
        for share in SHARES:
            cells[f"{seen.name} {100 * share:g}% (ms)"] = f"{quantile(seen, share) / MS:.6g}"
    return cells


def other_quantities(result: ScenarioResult) -> list[tuple[str, str]]:
    """The quantities measured beside throughput, with their units, in the order of their first rows."""
    rows = (row for case in result.cases for row in case.measured if row.quantity != "throughput")
    return list(dict.fromkeys((row.label, row.unit) for row in rows))


def _cells(rows: list[Comparison]) -> list[str]:
    """Measured values and errors of a case."""
    return [
        "; ".join(row.row.text for row in rows),
        "; ".join("" if row.error is None else f"{row.error:.4f}" for row in rows),
    ]


def _other_cells(compared: list[Comparison], key: tuple[str, str]) -> list[str]:
    rows = [row for row in compared if (row.row.label, row.row.unit) == key]
    simulated = [row.simulated for row in rows[:1] if row.simulated is not None]
    return [f"{simulated[0]:.6g}" if simulated else "", *_cells(rows)]
