"""Measured rows simulated with other values of the catalogue, and their residuals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.calibration.usage import used_parts
from simio.calibration.values import CatalogueValue
from simio.description.measured import APART
from simio.loading import load
from simio.loading.catalogue import Catalogue
from simio.loading.overlay import Overlay
from simio.studies.rows import Library, Row
from simio.studies.simulate import CaseValues, Key, collected, needed, run
from simio.sweeps.copies import copyable

Vector = NDArray[np.float64]

Laid = frozenset[tuple[tuple[str, str], str]]
"""Values by datasheet and key, and their texts."""
LOST = math.log(10)
"""The residual of a row whose run ends in a fault, or whose parts cannot have such values."""


def run_of(row: Row) -> tuple[object, ...]:
    """Key that a row shares with others of the same run that follow from one another.

    Throughput, rates of streams and times of a block are one observation in several forms; a share of a processor
    is one of its own.
    """
    return row.scenario, row.cases, row.of.of if row.quantity in APART else None


def _alone(one: Laid, other: Laid) -> tuple[str, str] | None:
    """The only value in which two differ."""
    apart = {at for at, _ in one ^ other}
    return next(iter(apart)) if len(apart) == 1 else None


def _residual(row: Row, error: float | None) -> float:
    """The residual of an error; `LOST` where there is none."""
    if error is None or error <= -1:
        return LOST
    return error if row.of.points else math.log1p(error)


class Model:
    """Rows as a function of the logarithms of some values; a case that was simulated before is not simulated again.

    Nor is it simulated for a value that leaves its program as it was when it alone changed.

    `residuals` are log(simulated / measured), against a range 0 inside, or the difference of shares that are compared
    in points. `weights` share one among the rows of a run.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        values: Sequence[CatalogueValue],
        library: Library,
        parts: Catalogue,
        progress: Callable[[], Any] | None = None,
    ) -> None:
        self.rows = list(rows)
        self.values = list(values)
        self.library, self.parts = library, parts
        self.progress = progress
        runs = Counter(run_of(row) for row in rows)
        self.runs = len(runs)
        self.weights: Vector = np.array([1.0 / runs[run_of(row)] for row in rows])
        self._done: dict[Key, dict[Laid, CaseValues]] = {}
        names = dict.fromkeys(row.scenario for row in rows)
        scenarios = {name: load(library.path(name), parts=parts, tables=library.tables) for name in names}
        self._used = {
            (name, index): self._of_parts(used_parts(scenarios[name].cases[index].system))
            for name, index in needed(rows)
        }
        self._parts = {case: frozenset(used) for case, used in self._used.items()}

    def _of_parts(self, parts: Iterable[Any]) -> set[tuple[str, str]]:
        """The values that belong to some parts, by datasheet and key."""
        models = {part.model for part in parts}
        return {value.at for value in self.values if value.part in models}

    def users(self, value: CatalogueValue) -> list[Row]:
        """The rows of which a case has the value; those that have its part if there are none."""
        for used in (self._used, self._parts):
            found = [row for row in self.rows if any(value.at in used[row.scenario, index] for index in row.cases)]
            if found:
                break
        return found

    def point(self, texts: Sequence[str] | None = None) -> Vector:
        """The logarithms of the values as they are, or as these texts say."""
        if texts is None:
            return np.array([math.log(value.number) for value in self.values])
        return np.array([math.log(v.read(text)) for v, text in zip(self.values, texts, strict=True)])

    def texts(self, point: Iterable[float], digits: int = 4) -> tuple[str, ...]:
        """The values at a point as they would be written."""
        return tuple(v.text(math.exp(x), digits) for v, x in zip(self.values, point, strict=True))

    def residuals(self, point: Iterable[float], only: Sequence[int] | None = None) -> Vector:
        """log(simulated / measured) with the values at a point, of each row or of those with these indices."""
        rows = self.rows if only is None else [self.rows[index] for index in only]
        simulated = self.simulated(self.texts(point), rows)
        errors = [None if v is None else row.of.error(v) for row, v in zip(rows, simulated, strict=True)]
        return np.array([_residual(row, error) for row, error in zip(rows, errors, strict=True)])

    def simulated(self, texts: Sequence[str], rows: Sequence[Row]) -> list[float | None]:
        """Each row with the values as these texts, in the row's unit; None if a run fails."""
        laid = {v.at: text for v, text in zip(self.values, texts, strict=True)}
        cases = needed(rows)
        missing = [case for case in cases if self._key(case, laid) not in self._done.get(case, {})]
        if missing:
            self._simulate(laid, missing)
        return [
            each.value for each in collected(rows, {case: self._done[case][self._key(case, laid)] for case in cases})
        ]

    def _key(self, case: Key, laid: Mapping[tuple[str, str], str]) -> Laid:
        """The values that a case uses, on which its simulation depends."""
        return frozenset(item for item in laid.items() if item[0] in self._used[case])

    def _simulate(self, laid: Mapping[tuple[str, str], str], missing: Sequence[Key]) -> None:
        """Run cases; one that cannot be run, or be built with these values, is a fault and has none."""

        def take(case: Key, done: CaseValues) -> None:
            known, key = self._done.setdefault(case, {}), self._key(case, laid)
            idle = next(
                (at for other, was in known.items() if (at := _alone(key, other)) and was.program == done.program),
                None,
            )
            known[key] = done
            if idle and done.program:
                self._used[case].remove(idle)
                self._done[case] = {frozenset(item for item in k if item[0] != idle): d for k, d in known.items()}
            if self.progress:
                self.progress()

        # A search has many short lists of runs: copies of this process pay for them, new processes do not.
        run(missing, take, self.library, Overlay(self.parts, laid), processes=None if copyable() else 1)
