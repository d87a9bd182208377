"""The error that is left when all values are right: learnt from measured rows near a scenario."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simio.calibration.covariance import quantile
from simio.calibration.usage import used_parts
from simio.calibration.values import catalogue_value
from simio.description.measured import MeasuredRow
from simio.description.model import Scenario
from simio.errors import ScenarioError, SimioError
from simio.loading import load
from simio.loading.catalogue import Catalogue, UnknownPart
from simio.result.compare import pooled_value, simulated_value
from simio.result.model import ScenarioResult
from simio.running import RunOptions, run_cases
from simio.studies.rows import Library, rows
from simio.studies.simulate import simulate

ENOUGH = 3
"""Own runs that suffice; with fewer, those of the studies that the scenario's values were fitted to count too."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class ModelError:
    """The standard deviation of log(measured / simulated) between independent runs, and on how many it rests."""

    deviation: float
    runs: int

    @property
    def quantile(self) -> float:
        """The factor of a standard deviation that gives 90 %, by Student's t."""
        return quantile(self.runs)


class Evidence:
    """Measured runs beside what was simulated of them, to judge a scenario by.

    Own runs are those of the scenario's measured rows. Their squares are enlarged by runs / (runs - values) for the
    values that were fitted to them. To judge a row, its own run is left out: no interval knows what it is to hold.
    """

    def __init__(
        self,
        scenario: Scenario,
        result: ScenarioResult,
        parts: Catalogue,
        engine: str | None = None,
        tables: Path | None = None,
    ) -> None:
        self.parts, self.engine = parts, engine
        self.library = Library() if tables is None else Library(tables=tables)
        self.scenario = scenario
        self.done = {case.index: case for case in result.cases}
        if result.sets:
            # What was measured belongs to the scenario as it is written.
            self.scenario = load(scenario.path, parts=parts, tables=tables)
            self.done = {}

    @property
    def everything(self) -> ModelError | None:
        """From all evidence there is; None where there is none."""
        return self._error(list(self.own.values()))

    def without(self, *keys: Key) -> ModelError | None:
        """Without these runs."""
        return self._error([square for known, square in self.own.items() if known not in keys])

    @property
    def told(self) -> str:
        """The origin of the evidence, in words."""
        told = [f"{len(self.own)} measured runs of this scenario"] if self.own else []
        if self._beside and len(self.own) <= ENOUGH:
            told.append(f"{len(self.related)} measured runs of {', '.join(self._beside)}")
        return " and ".join(told)

    def _error(self, own: list[float]) -> ModelError | None:
        squares = own if len(own) >= ENOUGH else own + self.related
        if not squares:
            return None
        return ModelError(math.sqrt(sum(squares) / len(squares)), len(squares))

    @cached_property
    def own(self) -> dict[Key, float]:
        """Mean square of the logarithms of each own run."""
        done = dict(self.done)
        missing = [case.index for case in self.scenario.cases if case.measured and case.index not in done]
        missing += [index for each in self.scenario.pooled for index in each.cases if index not in done]
        if missing:
            done.update({case.index: case for case in run_cases(self.scenario, RunOptions(self.engine), missing)})
        found: dict[Key, list[float]] = {}
        for case in done.values():
            for row in case.measured:
                _note(found, run_key((case.index,), row), row, simulated_value(case, row))
        for each in self.scenario.pooled:
            values = [simulated_value(done[index], each.row) for index in each.cases]
            _note(found, run_key(each.cases, each.row), each.row, pooled_value(each.row, values))
        tables = {table.name for table in self.scenario.tables}
        return _squares(found, sum(bool(tables & set(studies)) for studies in self._studies))

    @cached_property
    def _studies(self) -> list[tuple[str, ...]]:
        """Of each fitted value in use, the studies that it was fitted to."""
        found: dict[str, tuple[str, ...]] = {}
        folder = Path(self.scenario.path).parent
        for case in self.scenario.cases:
            for part in used_parts(case.system):
                try:
                    entry = self.parts.find(part.model, part.category, folder)
                except (UnknownPart, ScenarioError):
                    continue
                for key, origin in part.origins.items():
                    if origin.basis == "fitted" and key in entry.values:
                        value = catalogue_value(entry, key, self.library.names)
                        if value is not None:
                            found[value.name] = value.studies
        return list(found.values())

    @cached_property
    def _beside(self) -> list[str]:
        """Studies other than the scenario's own that values in use were fitted to."""
        own = {table.name for table in self.scenario.tables}
        return sorted({study for studies in self._studies for study in studies} - own)

    @cached_property
    def related(self) -> list[float]:
        """Mean squares of the runs of these studies."""
        squares: list[float] = []
        for study in self._beside:
            found: dict[Key, list[float]] = {}
            try:
                known = [row for row in rows([study], self.library) if row.measured is not None]
                for each in simulate(known, self.library, self.parts, self.engine):
                    _note(
                        found,
                        (each.row.scenario, *run_key(each.row.cases, each.row.of)),
                        each.row.of,
                        each.value,
                    )
            except SimioError:
                continue
            squares += _squares(found, sum(study in studies for studies in self._studies)).values()
        return squares


def run_key(cases: Sequence[int], row: MeasuredRow) -> Key:
    """The run that a row is of, as `simio.calibration.model.run_of` has it."""
    return (tuple(cases), row.of if row.quantity == "cpu" else None)


def _note(found: dict[Key, list[float]], key: Key, row: MeasuredRow, value: float | None) -> None:
    error = None if value is None else row.error(value)
    if error is not None and error > -1:
        found.setdefault(key, []).append(math.log1p(error) ** 2)


def _squares(found: dict[Key, list[float]], fitted: int) -> dict[Key, float]:
    """Mean square of each run, enlarged for the values that were fitted to all of them."""
    runs = len(found)
    enlarged = runs / max(runs - fitted, 1) if runs else 1.0
    return {key: enlarged * sum(squares) / len(squares) for key, squares in found.items()}
