"""Simulating rows: each case that they need once, and of it the values of the rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from simio.description.measured import MeasuredRow
from simio.errors import RunError, SimioError
from simio.result.compare import pooled_value
from simio.result.model import CaseResult
from simio.result.quantities import simulated_value
from simio.running import RunOptions, pooled_rows, run_case
from simio.studies.rows import Library, Row

if TYPE_CHECKING:
    from simio.description.model import Scenario
    from simio.loading.catalogue import Catalogue
    from simio.sweeps import Task

BOTH = "both"
"""The name of an engine that stands for both: cases run on each, and differences are reported."""

Key = tuple[str, int]
"""A scenario and the index of a case."""


@dataclass(frozen=True)
class Simulated:
    """A row with what was simulated, in its unit.

    `value` is None where the run has nothing of the kind, or ended with an error, which `fault` states; `difference`
    is where the engines differ. `steps` (of programs) and `seconds` are those of all cases that the row needs.
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
class CaseValues:
    """Results of a case: the values of its rows, or a fault; differences of engines; program steps, and seconds.

    `program` is the hash of what ran; empty after a fault.
    """

    values: Mapping[MeasuredRow, float | None] = field(default_factory=dict)
    fault: str = ""
    difference: str = ""
    steps: int = 0
    seconds: float = 0.0
    program: str = ""


def simulate(
    rows: Sequence[Row],
    library: Library | None = None,
    parts: Catalogue | None = None,
    engine: str | None = None,
) -> list[Simulated]:
    """The rows in their order with what is simulated, each case run once, in this process.

    `parts` stands in for the catalogue: scenarios are then built from its datasheets. `engine` is as in `RunOptions`,
    or 'both'.
    """
    done: dict[Key, CaseValues] = {}
    run(list(needed(rows)), done.__setitem__, library, parts, engine, processes=1)
    return collected(rows, done)


def needed(rows: Sequence[Row], steps: Callable[[Row], int] = lambda row: 0) -> dict[Key, float]:
    """The cases that rows need, with their `steps` as far as these are known of rows.

    Those that take the most come first, so that no process ends long after the others.
    """
    cost: dict[Key, float] = {}
    for row in rows:
        share = steps(row) / len(row.cases)
        for index in row.cases:
            cost[row.scenario, index] = max(share, cost.get((row.scenario, index), 0.0))
    return dict(sorted(cost.items(), key=lambda item: -item[1]))


def run(
    keys: Sequence[Key],
    tell: Callable[[Key, CaseValues], Any],
    library: Library | None = None,
    parts: Catalogue | None = None,
    engine: str | None = None,
    processes: int | None = None,
    announce: Callable[[str], Any] | None = None,
) -> None:
    """Run cases in this order and `tell` each when it is done; a case that fails is reported like any other."""
    from simio.sweeps import Task, run_many

    library = library or Library()
    paths = {name: library.path(name) for name, _ in keys}
    tasks = [Task(paths[name], (), index, parts=parts, engine=engine, tables=library.tables) for name, index in keys]
    for number, done in run_many(tasks, processes, do=values_of, announce=announce):
        tell(keys[number], CaseValues(fault=str(done)) if isinstance(done, SimioError) else done)


def values_of(scenario: Scenario, task: Task) -> CaseValues:
    """Run the case of a task; every measured row that it has, or has a part in, gets its value."""
    begun = time.perf_counter()
    case = scenario.cases[0]
    also = pooled_rows(scenario, case)
    both = task.engine == BOTH
    try:
        result = run_case(case, RunOptions(None if both else task.engine), also)
        difference = ""
        if both:
            other = run_case(case, RunOptions("simpy"), also)
            difference = unlike(task, result, other)
    except RunError as error:
        return CaseValues(fault=str(error), seconds=time.perf_counter() - begun)
    values = {row: simulated_value(result, row) for row in (*case.measured, *also)}
    return CaseValues(values, "", difference, result.steps, time.perf_counter() - begun, result.hash)


def unlike(task: Task, compiled: CaseResult, simpy: CaseResult) -> str:
    """The differences between two results of a case, in words; empty if there are none."""
    names = [each.name for each in fields(CaseResult)]
    apart = [name for name in names if getattr(compiled, name) != getattr(simpy, name)]
    if not apart:
        return ""
    return f"{task.scenario}, case {task.case + 1}: the engines differ in {', '.join(apart)}"


def collected(rows: Sequence[Row], done: Mapping[Key, CaseValues]) -> list[Simulated]:
    """The rows of which all cases are done, in order."""
    found = []
    for row in rows:
        if not all((row.scenario, index) in done for index in row.cases):
            continue
        cases = [done[row.scenario, index] for index in row.cases]
        values = [case.values.get(row.of) for case in cases]
        found.append(
            Simulated(
                row,
                pooled_value(row.of, values) if row.of.over else values[0],
                next((case.fault for case in cases if case.fault), ""),
                next((case.difference for case in cases if case.difference), ""),
                sum(case.steps for case in cases),
                sum(case.seconds for case in cases),
            )
        )
    return found
