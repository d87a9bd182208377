"""Summary of the errors of a table's rows, and the verdict on its tolerance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from statistics import median

from simio.description.measured import MeasuredTable, Tolerance
from simio.description.model import Origin
from simio.description.parts import used_values
from simio.studies.rows import Library, Row, named_in
from simio.studies.simulate import Simulated

UNSOURCED = ("assumed", "default")
"""Bases of values that no source gives."""


@dataclass(frozen=True)
class Errors:
    """Statistics over rows: absolute errors as shares (0.08 is 8% of what was measured, or 8 percentage points).

    `ninety` is the smallest error that at least nine rows in ten do not exceed; `worst` the row with the largest.
    `bounded` is the largest error of those that are neither believed to be anomalies of the measurement nor known
    to be missed.
    """

    rows: int
    median: float
    ninety: float
    worst: Simulated
    bounded: float


def errors(rows: Sequence[Simulated]) -> Errors | None:
    """Statistics over those of the rows that have an error; None if none has."""
    judged = [(abs(row.error), row) for row in rows if row.error is not None]
    if not judged:
        return None
    sizes = sorted(size for size, _ in judged)
    bounded = [size for size, row in judged if not row.row.of.exempt]
    return Errors(
        rows=len(sizes),
        median=median(sizes),
        ninety=sizes[ceil(0.9 * len(sizes)) - 1],
        worst=max(judged, key=lambda item: item[0])[1],
        bounded=max(bounded, default=0.0),
    )


@dataclass(frozen=True)
class TableSummary:
    """A table with its rows as simulated, and the origins of all values that its scenarios use.

    `expected` rows belong to it; fewer in `rows` is the state of an interrupted run.
    """

    table: MeasuredTable
    rows: tuple[Simulated, ...]
    expected: int
    values: Mapping[str, Origin]

    @property
    def name(self) -> str:
        """study/table"""
        return self.table.name

    @property
    def complete(self) -> bool:
        """True if all rows were simulated."""
        return len(self.rows) == self.expected

    @cached_property
    def errors(self) -> Errors | None:
        """Statistics over the rows with a measured value; None where all are held."""
        return errors(self.rows)

    @property
    def held(self) -> int:
        """Rows that are predicted only."""
        return sum(row.row.of.held for row in self.rows)

    @property
    def missing(self) -> list[Simulated]:
        """Rows for which the simulation gave nothing."""
        return [row for row in self.rows if row.value is None]

    @property
    def anomalies(self) -> list[Simulated]:
        """Rows that are left out of the bar for the worst, and of nothing else."""
        return [row for row in self.rows if row.row.of.anomaly]

    @property
    def known(self) -> list[Simulated]:
        """Rows that the model is known to miss; they, too, are left out of the bar for the worst alone."""
        return [row for row in self.rows if row.row.of.missed]

    @property
    def fitted(self) -> list[str]:
        """Fitted values in the parts used, as 'model: value'."""
        return [name for name, origin in self.values.items() if origin.basis == "fitted"]

    @property
    def fitted_here(self) -> list[str]:
        """The values of `fitted` that were fitted to this table, alone or together with others."""
        return [name for name in self.fitted if self.name in named_in(self.values[name].source)]

    @property
    def unsourced(self) -> list[str]:
        """Values in the parts used that no source gives: assumed, or left at their default."""
        return [name for name, origin in self.values.items() if origin.basis in UNSOURCED]


@dataclass(frozen=True)
class Verdict:
    """The verdict on tables that are judged together; `reasons` is empty if all is inside the tolerance.

    `judged` is False where rows of a group were not simulated.
    """

    name: str
    tables: tuple[str, ...]
    tolerance: Tolerance
    errors: Errors | None
    reasons: tuple[str, ...]
    judged: bool = True

    @property
    def inside(self) -> bool:
        """True if nothing is wrong, as far as it was judged."""
        return not self.reasons


def summaries(rows: Sequence[Row], simulated: Sequence[Simulated], library: Library) -> list[TableSummary]:
    """The tables of the rows in order, each with its rows as far as they are simulated."""
    found = []
    for name in dict.fromkeys(row.table for row in rows):
        table = library.table(name)
        values: dict[str, Origin] = {}
        for scenario in table.scenarios:
            values |= used_values(library.scenario(scenario))
        own = tuple(each for each in simulated if each.row.table == name)
        found.append(TableSummary(table, own, sum(row.table == name for row in rows), values))
    return found


def verdicts(tables: Sequence[TableSummary], library: Library) -> list[Verdict]:
    """One for each table that has a tolerance, and one for each group of tables."""
    groups: dict[str, list[TableSummary]] = {}
    for table in tables:
        if table.table.tolerance:
            groups.setdefault(table.table.tolerance.group or table.name, []).append(table)
    return [_verdict(name, members, library) for name, members in groups.items()]


def _verdict(name: str, members: Sequence[TableSummary], library: Library) -> Verdict:
    bars = members[0].table.tolerance
    assert bars is not None
    points = members[0].table.points
    names = tuple(member.name for member in members)
    whole = all(member.complete for member in members)
    if bars.group:
        whole = whole and set(names) == set(_group(bars.group, library))
    found = errors([row for member in members for row in member.rows])
    reasons = []
    if whole and found is not None:
        if found.median > float(bars.median):
            reasons.append(f"median {exact(found.median, points)} above {percent(bars.median, points)}")
        if found.bounded > float(bars.worst):
            reasons.append(f"worst {exact(found.bounded, points)} above {percent(bars.worst, points)}")
        met = [row for member in members for row in member.known if abs(row.error or 0) <= float(bars.worst)]
        reasons += [f"no longer missed: {row.row.name.partition(': ')[2]}" for row in met]
    return Verdict(name, names, bars, found, tuple(reasons), whole)


def _group(name: str, library: Library) -> list[str]:
    tables = (library.table(each) for each in library.names)
    return [each.name for each in tables if each.tolerance and each.tolerance.group == name]


def exact(share: float, points: bool) -> str:
    """A share with the digits that distinguish it from the bar that it exceeds."""
    return f"{share * 100:.4g}{_UNITS[points]}"


def percent(share: Fraction, points: bool = False) -> str:
    """A share of a tolerance as it is written: 8%, 12.5%; with `points`, 5 points."""
    return f"{float(share) * 100:g}{_UNITS[points]}"


_UNITS = ("%", " points")
