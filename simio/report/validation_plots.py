"""The points in plots of a validation: curves over a setting, and measured against simulated rates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from simio import units
from simio.report.validation import labels
from simio.studies.simulate import Simulated
from simio.studies.summary import TableSummary
from simio.sweeps.values import number_of
from simio.wording import short_names

_BARE = re.compile(r"[\d.]+|true|false|none")
LOGARITHMIC = 20
"""The axis is logarithmic if the largest value is more than this many times the least."""
APART = 0.05
"""Ticks nearer to one another than this share of the axis are left out."""
LEAST_POINTS = 3
"""Least number of different values on the axis of a curve."""


@dataclass(frozen=True)
class RowPoint:
    """A row at `x`, which is written `text`: simulated, and measured from `low` to `high` (None if withheld)."""

    x: float
    text: str
    simulated: float
    low: float | None
    high: float | None
    row: Simulated


@dataclass(frozen=True)
class Curve:
    """Rows that differ only in their value on the axis, in its order."""

    name: str
    points: tuple[RowPoint, ...]


@dataclass(frozen=True)
class Curves:
    """Curves of a table over one of its settings, in one unit."""

    axis: str
    unit: str
    logarithmic: bool
    curves: tuple[Curve, ...]

    def ticks(self) -> list[tuple[float, str]]:
        """Values on the axis with their texts, those too near to one another left out."""
        values = sorted({point.x: point.text for curve in self.curves for point in curve.points}.items())
        first, last = (_position(values[end][0], self.logarithmic) for end in (0, -1))
        found: list[tuple[float, str]] = []
        for x, text in values:
            here = _position(x, self.logarithmic)
            before = _position(found[-1][0], self.logarithmic) if found else first - last
            if here - before >= APART * (last - first):
                found.append((x, text))
        return found


def _position(x: float, logarithmic: bool) -> float:
    return log(x) if logarithmic else x


def curves_of(table: TableSummary) -> Curves | None:
    """The curves of a table over the numeric setting with the most values; None if it has none."""
    rows = [row for row in table.rows if row.value is not None and row.row.settings]
    main = [row for row in rows if row.row.unit == table.table.unit]
    axis = _axis(main)
    if axis is None:
        return None
    places = {row.row.name: number_of(dict(row.row.settings)[axis]) for row in main}
    names = curve_names(main, axis)
    found: dict[str, list[RowPoint]] = {}
    for row, name in zip(main, names, strict=True):
        place, own = places[row.row.name], row.row.of
        if place is None or row.value is None:
            continue
        low, high = (None if end is None else float(end) for end in (own.value, own.most))
        text = dict(row.row.settings)[axis]
        found.setdefault(name, []).append(RowPoint(float(place[0]), text, row.value, low, high, row))
    xs = [point.x for points in found.values() for point in points]
    logarithmic = min(xs) > 0 and max(xs) > LOGARITHMIC * min(xs)
    curves = tuple(Curve(name, tuple(sorted(points, key=lambda point: point.x))) for name, points in found.items())
    return Curves(axis.rpartition(".")[2], table.table.unit, logarithmic, curves)


def _axis(rows: Sequence[Simulated]) -> str | None:
    """The setting with the most values of those that are a quantity of one dimension in all rows."""
    settings = [dict(row.row.settings) for row in rows]
    best: tuple[int, str] | None = None
    for key in dict.fromkeys(key for each in settings for key in each if not key.startswith("run.")):
        found = [number_of(each.get(key, "")) for each in settings]
        places = len(set(found))
        if None not in found and len({each[1] for each in found if each}) == 1 and places >= LEAST_POINTS:
            best = max(best, (places, key)) if best else (places, key)
    return best[1] if best else None


def curve_names(rows: Sequence[Simulated], axis: str) -> list[str]:
    """Names of the curves of rows: settings other than the axis, and the quantity."""
    settings = [dict(row.row.settings) for row in rows]
    keys = dict.fromkeys(key for each in settings for key in each if key != axis and not key.startswith("run."))
    varied = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    labels = {row.row.of.label for row in rows}
    names = []
    for row, each in zip(rows, settings, strict=True):
        parts = [f"{name} {each[key]}" for name, key in zip(short_names(varied), varied, strict=True) if key in each]
        names.append(", ".join([*parts, *([row.row.of.label] if len(labels) > 1 else [])]) or row.row.of.label)
    return names


def row_labels(rows: Sequence[Simulated]) -> list[str]:
    """A short name for each row of a table: the cells of `labels`, a bare number or switch with its heading.

    A row without any is the scenario as it is written.
    """
    columns = labels(rows)
    found = []
    for index in range(len(rows)):
        cells = [(heading, cells[index]) for heading, cells in columns if cells[index]]
        parts = [f"{heading} {cell}" if _BARE.fullmatch(cell) else cell.rpartition("/")[2] for heading, cell in cells]
        found.append(", ".join(parts) or "as written")
    return found


def scattered(tables: Sequence[TableSummary]) -> list[tuple[str, list[tuple[float, float, Simulated]]]]:
    """Measured and simulated rates in MB/s of the rows of each study; of a range, the value nearest to it."""
    found: dict[str, list[tuple[float, float, Simulated]]] = {}
    for row in (row for table in tables for row in table.rows):
        own = row.row.of
        if row.value is None or units.dimension_of(own.unit) != "rate":
            continue
        if (nearest := own.nearest(row.value)) is None:
            continue
        found.setdefault(row.row.study, []).append((_in_mb(nearest, own.unit), _in_mb(row.value, own.unit), row))
    return list(found.items())


def _in_mb(value: float | Fraction, unit: str) -> float:
    return float(Fraction(value) * units.parse(f"1 {unit}", "rate") / units.parse("1 MB/s", "rate"))
