"""Simulating rows: each case that they need once, and of it the values of the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from simio.description.measured import MeasuredRow
from simio.description.model import Case
from simio.errors import RunError
from simio.loading.catalogue import Catalogue
from simio.result.compare import pooled_value, simulated_value
from simio.result.run import run_case
from simio.studies.rows import Library, Row


@dataclass(frozen=True)
class Simulated:
    """A row with what was simulated, in its unit.

    `value` is None where the run has nothing of the kind, or ended in a fault, which `fault` tells. `steps` and
    `seconds` are those of all cases that the row needs.
    """

    row: Row
    value: float | None
    fault: str = ""
    difference: str = ""
    steps: int = 0
    seconds: float = 0.0

    @property
    def error(self) -> float | None:
        """Signed error relative to what was measured; None without a measured or without a simulated value."""
        return None if self.value is None else self.row.of.error(self.value)


@dataclass(frozen=True)
class Work:
    """One case to run and the rows that want values of it."""

    scenario: str
    case: Case
    rows: tuple[MeasuredRow, ...]
    engine: str | None = None


@dataclass(frozen=True)
class Done:
    """What a case gave: the values of its rows in their order, or a fault; program steps, and seconds it took."""

    values: tuple[float | None, ...]
    fault: str = ""
    steps: int = 0
    seconds: float = 0.0


def simulate(
    rows: Sequence[Row],
    library: Library | None = None,
    parts: Catalogue | None = None,
    engine: str | None = None,
    run: Callable[[Sequence[Work]], Sequence[Done]] | None = None,
) -> list[Simulated]:
    """The rows in their order with what is simulated, each case run once.

    `parts` stands in for the catalogue: a scenario is then built from its datasheets. `run` carries out the work,
    by default one case after the other in this process.
    """
    work = works(rows, library, parts, engine)
    done = run(list(work.values())) if run else [carry_out(each) for each in work.values()]
    return collected(rows, work, dict(zip(work, done, strict=True)))


def works(
    rows: Sequence[Row],
    library: Library | None = None,
    parts: Catalogue | None = None,
    engine: str | None = None,
) -> dict[tuple[str, int], Work]:
    """The cases that rows need, by scenario and index, each once."""
    library = library or Library()
    needed: dict[tuple[str, int], dict[MeasuredRow, None]] = {}
    for row in rows:
        for index in row.cases:
            needed.setdefault((row.scenario, index), {})[row.of] = None
    scenarios = {name: library.scenario(name, parts) for name in dict.fromkeys(name for name, _ in needed)}
    return {
        (name, index): Work(name, scenarios[name].cases[index], tuple(wanted), engine)
        for (name, index), wanted in needed.items()
    }


def carry_out(work: Work) -> Done:
    """Run one case; a run that fails is a fault and not an exception, so that other rows have their values."""
    begun = time.perf_counter()
    try:
        result = run_case(work.case, work.engine, None, [row for row in work.rows if row.over])
    except RunError as error:
        return Done((None,) * len(work.rows), str(error), seconds=time.perf_counter() - begun)
    values = tuple(simulated_value(result, row) for row in work.rows)
    return Done(values, "", result.steps, time.perf_counter() - begun)


def collected(
    rows: Sequence[Row], work: Mapping[tuple[str, int], Work], done: Mapping[tuple[str, int], Done]
) -> list[Simulated]:
    """The rows of which all cases are done, in order."""
    found = []
    for row in rows:
        keys = [(row.scenario, index) for index in row.cases]
        if not all(key in done for key in keys):
            continue
        values = [done[key].values[work[key].rows.index(row.of)] for key in keys]
        value = pooled_value(row.of, values) if row.of.over else values[0]
        fault = next((done[key].fault for key in keys if done[key].fault), "")
        steps, seconds = sum(done[key].steps for key in keys), sum(done[key].seconds for key in keys)
        found.append(Simulated(row, value, fault, steps, seconds))
    return found
