"""A row of a sweep, and which rows compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from simio.errors import Place, Problem, ScenarioError, SimioError
from simio.sweeps.outcome import THROUGHPUT, SweepOutcome


@dataclass(frozen=True)
class SweepRow:
    """One configuration: its number from 1, its settings, and the outcome of its run, or its error.

    A run that was cut off has both.
    """

    number: int
    settings: Mapping[str, str]
    outcome: SweepOutcome | None
    error: str = ""

    @property
    def throughput(self) -> float | None:
        """Bytes a second; None for an error."""
        return self.value(THROUGHPUT)

    def value(self, measure: str) -> float | None:
        """A measure, or None where there is none."""
        return self.outcome.measures.get(measure) if self.outcome else None


def row_of(number: int, settings: Mapping[str, str], outcome: SweepOutcome | SimioError) -> SweepRow:
    """The row of a configuration's outcome."""
    if isinstance(outcome, SimioError):
        return SweepRow(number, settings, None, told(outcome))
    return SweepRow(number, settings, outcome, outcome.cut_off)


def told(error: SimioError) -> str:
    """An error in one line, without places in the settings, which count them and mean nothing to a reader."""
    if not isinstance(error, ScenarioError):
        return " ".join(str(error).split())
    problems = (replace(problem, place=in_file(problem)) for problem in error.problems)
    return "; ".join(dict.fromkeys(map(str, problems)))


def in_file(problem: Problem) -> Place | None:
    """The place in a file. Settings, which many configurations have, are distinguished by their keys alone."""
    return problem.place if problem.place and problem.place.file != "--set" else None
