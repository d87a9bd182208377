"""What the plots of a validation show: curves over a size, and measured against simulated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import log

from simio import units
from simio.report.terminal import short_names
from simio.report.validation import labels
from simio.studies.simulate import Simulated
from simio.studies.summary import TableSummary

_BARE = re.compile(r"[\d.]+|true|false|none")
LOGARITHMIC = 20
"""An axis whose largest value is so many times its least is logarithmic."""
APART = 0.05
"""Places nearer to one another than this share of an axis are not both told."""
LEAST_POINTS = 3
"""A curve has at least so many different places on its axis."""


@dataclass(frozen=True)
class Point:
    """A row at a place of the axis: simulated, and measured from `low` to `high` (None where it is held)."""

    x: float
    told: str
    simulated: float
    low: float | None
    high: float | None
    row: Simulated


@dataclass(frozen=True)
class Curve:
    """Rows that differ in the place on the axis only, in its order."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Curves:
    """Curves of a table over one of its settings, in one unit."""

    axis: str
    unit: str
    logarithmic: bool
    curves: tuple[Curve, ...]

    def ticks(self) -> list[tuple[float, str]]:
        """Places on the axis that are told there, with what they are called: those not too near one another."""
        places = sorted({point.x: point.told for curve in self.curves for point in curve.points}.items())
        first, last = (_position(places[end][0], self.logarithmic) for end in (0, -1))
        found: list[tuple[float, str]] = []
        for x, told in places:
            here = _position(x, self.logarithmic)
            before = _position(found[-1][0], self.logarithmic) if found else first - last
            if here - before >= APART * (last - first):
                found.append((x, told))
        return found


def _position(x: float, logarithmic: bool) -> float:
    return log(x) if logarithmic else x


def number_of(text: str) -> tuple[str, float] | None:
    """Dimension and size of a setting as written, such as '64 KiB' or '4'; None if it is no quantity."""
    with suppress(ValueError):
        return "number", float(text)
    unit = text.strip().lstrip("+0123456789_.eE- ")
    dimension = units.dimension_of(unit)
    if dimension is not None:
        with suppress(units.UnitError):
            return dimension, float(units.parse(text, dimension))
    return None


def curves_of(table: TableSummary) -> Curves | None:
    """The curves of a table, over the numeric setting with the most values; None if there is no such."""
    rows = [row for row in table.rows if row.value is not None and row.row.settings]
    main = [row for row in rows if row.row.unit == table.table.unit]
    axis = _axis(main)
    if axis is None:
        return None
    places = {row.row.name: number_of(dict(row.row.settings)[axis]) for row in main}
    names = curve_names(main, axis)
    found: dict[str, list[Point]] = {}
    for row, name in zip(main, names, strict=True):
        place, own = places[row.row.name], row.row.of
        if place is None or row.value is None:
            continue
        low = None if own.value is None else float(own.value)
        high = low if own.upper is None else float(own.upper)
        told = dict(row.row.settings)[axis]
        found.setdefault(name, []).append(Point(place[1], told, row.value, low, high, row))
    xs = [point.x for points in found.values() for point in points]
    logarithmic = min(xs) > 0 and max(xs) > LOGARITHMIC * min(xs)
    curves = tuple(Curve(name, tuple(sorted(points, key=lambda point: point.x))) for name, points in found.items())
    return Curves(axis.rpartition(".")[2], table.table.unit, logarithmic, curves)


def _axis(rows: Sequence[Simulated]) -> str | None:
    """The setting that all rows have as a quantity of one kind, with the most values."""
    settings = [dict(row.row.settings) for row in rows]
    best: tuple[int, str] | None = None
    for key in dict.fromkeys(key for each in settings for key in each if not key.startswith("run.")):
        found = [number_of(each.get(key, "")) for each in settings]
        kinds = {each[0] if each else None for each in found}
        places = len(set(found))
        if None not in kinds and len(kinds) == 1 and places >= LEAST_POINTS:
            best = max(best, (places, key)) if best else (places, key)
    return best[1] if best else None


def curve_names(rows: Sequence[Simulated], axis: str) -> list[str]:
    """What tells rows of different curves apart: settings other than the axis, and the quantity."""
    settings = [dict(row.row.settings) for row in rows]
    keys = dict.fromkeys(key for each in settings for key in each if key != axis and not key.startswith("run."))
    varied = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    labels = {row.row.of.label for row in rows}
    names = []
    for row, each in zip(rows, settings, strict=True):
        told = [f"{name} {each[key]}" for name, key in zip(short_names(varied), varied, strict=True) if key in each]
        names.append(", ".join([*told, *([row.row.of.label] if len(labels) > 1 else [])]) or row.row.of.label)
    return names


def row_labels(rows: Sequence[Simulated]) -> list[str]:
    """A short name for each row of a table: the cells of `labels`, with the heading where a cell says little.

    A row whose case sets nothing that others do is the scenario as it is written.
    """
    columns = labels(rows).columns
    found = []
    for index in range(len(rows)):
        cells = [(heading, cells[index]) for heading, cells in columns if cells[index]]
        told = [f"{heading} {cell}" if _BARE.fullmatch(cell) else cell.rpartition("/")[2] for heading, cell in cells]
        found.append(", ".join(told) or "as written")
    return found


def scattered(tables: Sequence[TableSummary]) -> list[tuple[str, list[tuple[float, float, Simulated]]]]:
    """Measured and simulated rates in MB/s of the rows of each study; of a range, the end or place nearest."""
    found: dict[str, list[tuple[float, float, Simulated]]] = {}
    for row in (row for table in tables for row in table.rows):
        own = row.row.of
        if row.value is None or own.value is None or units.dimension_of(own.unit) != "rate":
            continue
        upper = own.value if own.upper is None else own.upper
        nearest = min(max(Fraction(row.value), own.value), upper)
        found.setdefault(row.row.study, []).append((_in_mb(nearest, own.unit), _in_mb(row.value, own.unit), row))
    return list(found.items())


def _in_mb(value: float | Fraction, unit: str) -> float:
    return float(Fraction(value) * units.parse(f"1 {unit}", "rate") / units.parse("1 MB/s", "rate"))
