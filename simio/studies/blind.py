"""Blind predictions beside what was measured since, and beside what is simulated now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from simio.errors import SimioError, quote
from simio.loading.records import Kept, Record, read_record
from simio.loading.tables import RECORDS
from simio.studies.rows import Library, Row

_LENGTH = re.compile(r", run\.\w+ = [^,:]+|(?<=: )run\.\w+ = [^,:]+, ")
"""A setting in a row's name of how long a run is, which is no part of what was measured."""


@dataclass(frozen=True)
class Blind:
    """A prediction, the row that it is of, and what is simulated of that `now`, if it was."""

    kept: Kept
    of: Row
    now: float | None = None

    @property
    def error(self) -> float | None:
        """Signed error of the prediction; None while the row is withheld."""
        return self.of.of.error(self.kept.predicted)

    @property
    def error_now(self) -> float | None:
        """Signed error of what is simulated now; None while the row is withheld."""
        return None if self.now is None else self.of.of.error(self.now)

    @property
    def counted(self) -> bool:
        """True for a row that was measured and predicted with an interval."""
        return self.kept.interval is not None and self.error is not None

    @property
    def covered(self) -> bool | None:
        """True where the interval has any of what was measured; None where there is nothing to compare."""
        return None if self.kept.interval is None else self.of.of.touches(*self.kept.interval)


@dataclass(frozen=True)
class BlindTest:
    """All predictions of a record."""

    record: Record
    rows: tuple[Blind, ...]

    @property
    def judged(self) -> list[Blind]:
        """The rows that count."""
        return [row for row in self.rows if row.counted]

    @property
    def errors(self) -> list[float]:
        """Signed errors of the predictions that count."""
        return [row.error for row in self.judged if row.error is not None]

    @property
    def errors_now(self) -> list[float]:
        """Signed errors of what is simulated now of the same rows."""
        return [row.error_now for row in self.judged if row.error_now is not None]

    @property
    def covered(self) -> int:
        """Rows that lie in their interval."""
        return sum(row.covered is True for row in self.judged)


def median_error(errors: Sequence[float]) -> float:
    """The median of absolute errors, one at least."""
    return median(map(abs, errors))


def worst_error(errors: Sequence[float]) -> float:
    """The error, with its sign, that is largest without it."""
    return max(errors, key=abs)


def records(library: Library) -> list[Record]:
    """All records of blind predictions, by the names of their files. Raises ScenarioError for a faulty one."""
    return [read_record(path) for path in sorted((library.tables / RECORDS).glob("*.yaml"))]


def blind_tests(found: Iterable[Record], rows: Sequence[Row], now: Mapping[str, float | None]) -> list[BlindTest]:
    """The predictions beside the rows that they are of; `now` is what is simulated, by 'table: name of the row'.

    A row may have moved to another table of its document since, and its run may have become longer or shorter.
    Raises SimioError for predictions of rows that there are not, or in another unit than theirs.
    """
    there = {(row.study, row.name): row for row in rows}
    bare = Counter((row.study, _LENGTH.sub("", row.name)) for row in rows)
    lengths = {key: row for row in rows if bare[key := (row.study, _LENGTH.sub("", row.name))] == 1}
    wrong: list[str] = []
    made = []
    for record in found:
        blind = []
        for kept in record.rows:
            name = f"{kept.table}: {kept.case}"
            study = kept.table.partition("/")[0]
            row = there.get((study, kept.case)) or lengths.get((study, _LENGTH.sub("", kept.case)))
            if row is None:
                wrong.append(f"{quote(record.title)} predicts a row that is not there: {name}")
            elif row.unit != kept.unit:
                wrong.append(f"{quote(record.title)} predicts {name} in {kept.unit}; the row is in {row.unit}")
            else:
                blind.append(Blind(kept, row, now.get(f"{row.table}: {row.name}")))
        made.append(BlindTest(record, tuple(blind)))
    if wrong:
        raise SimioError("\n".join(wrong))
    return made
