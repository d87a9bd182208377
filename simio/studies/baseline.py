"""The baseline: the simulated value of every row when the baseline was last updated."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from os import PathLike

from simio.errors import SimioError, quote
from simio.files import read_regular, write_whole
from simio.studies.rows import Row
from simio.studies.simulate import Simulated

DIGITS = 9
"""Significant digits that are kept, and compared."""
MOST_BYTES = 2**26


@dataclass(frozen=True)
class BaselineRow:
    """The baseline of a row: the simulated value in its unit, and the program steps of the cases it needs."""

    value: float | None
    steps: int


@dataclass(frozen=True)
class Deviation:
    """A row whose simulated value is not that of the baseline; `kept` is None for a row that is new there."""

    simulated: Simulated
    kept: BaselineRow | None

    @property
    def error_before(self) -> float | None:
        """The error that the value of the baseline has."""
        if self.kept is None or self.kept.value is None:
            return None
        return self.simulated.row.of.error(self.kept.value)


class Baseline:
    """Kept rows by table and by name of the row."""

    def __init__(self, tables: Mapping[str, Mapping[str, BaselineRow]] | None = None) -> None:
        self.tables = {name: dict(rows) for name, rows in (tables or {}).items()}

    def find(self, row: Row) -> BaselineRow | None:
        """The baseline of a row, if it is there."""
        return self.tables.get(row.table, {}).get(row.name)

    def steps(self, row: Row) -> int:
        """Program steps of the cases that a row needs; 0 where they are not known."""
        kept = self.find(row)
        return kept.steps if kept else 0

    def changes(self, simulated: Sequence[Simulated]) -> list[Deviation]:
        """Rows with another value than the one kept, and rows of which none is."""
        found = []
        for each in simulated:
            kept = self.find(each.row)
            if kept is None or kept.value != _rounded(each.value):
                found.append(Deviation(each, kept))
        return found

    def gone(self, rows: Sequence[Row]) -> list[str]:
        """Rows that are kept of the tables of `rows` and are not among these, as 'table: row'."""
        there = {(row.table, row.name) for row in rows}
        tables = dict.fromkeys(row.table for row in rows)
        kept = ((table, name) for table in tables for name in self.tables.get(table, {}))
        return [f"{table}: {name}" for table, name in kept if (table, name) not in there]

    def updated(self, simulated: Sequence[Simulated]) -> Baseline:
        """The baseline with the tables of these rows replaced by them."""
        tables = dict(self.tables)
        for table in dict.fromkeys(each.row.table for each in simulated):
            tables[table] = {
                each.row.name: BaselineRow(_rounded(each.value), each.steps)
                for each in simulated
                if each.row.table == table
            }
        return Baseline(tables)

    def write(self, path: str | PathLike[str]) -> None:
        """Write it as JSON, a line a row, so that a difference of two versions reads well."""
        blocks = []
        for table, kept in sorted(self.tables.items()):
            lines = [
                f"  {json.dumps(name)}: {json.dumps({'value': row.value, 'steps': row.steps})}"
                for name, row in kept.items()
            ]
            blocks.append(f" {json.dumps(table)}: {{\n" + ",\n".join(lines) + "\n }")
        write_whole(path, "{\n" + ",\n".join(blocks) + "\n}\n")


def read_baseline(path: str | PathLike[str]) -> Baseline:
    """The baseline in a file. Raises SimioError if there is none or it is none."""
    told = quote(str(path))
    try:
        data = json.loads(read_regular(path, MOST_BYTES).decode())
    except FileNotFoundError:
        raise SimioError(f"no baseline {told}; --update-baseline writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise SimioError(f"cannot read the baseline {told}: {why}") from None
    except ValueError as error:
        raise SimioError(f"the baseline {told} is no JSON: {error}; --update-baseline writes a new one") from None
    except RecursionError:
        raise SimioError(f"the baseline {told} is nested too deep") from None
    tables = {}
    for table, rows in _mapping(data, told, "the whole").items():
        rows = _mapping(rows, told, quote(table))
        tables[table] = {name: _kept(row, told, f"{table}: {name}") for name, row in rows.items()}
    return Baseline(tables)


def _mapping(data: object, told: str, where: str) -> dict[str, object]:
    if not isinstance(data, dict):
        raise SimioError(f"the baseline {told} has in {where} no mapping; --update-baseline writes a new one")
    return data


def _kept(data: object, told: str, name: str) -> BaselineRow:
    row = data if isinstance(data, dict) else {}
    value, steps = row.get("value", ""), row.get("steps")
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if not (number or value is None) or not isinstance(steps, int) or isinstance(steps, bool) or steps < 0:
        raise SimioError(
            f"the baseline {told} has for {quote(name)} no value with steps; --update-baseline writes a new one"
        )
    return BaselineRow(None if value is None else float(value), steps)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
