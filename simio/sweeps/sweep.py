"""A sweep: the configurations of a scenario, checked, run and noted one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from simio.errors import Problem, ScenarioError, SimioError
from simio.loading import ScenarioFile
from simio.loading.catalogue import Catalogue, catalogue
from simio.reading import files_read
from simio.sweeps.cache import outcome_of
from simio.sweeps.outcome import SweepOutcome
from simio.sweeps.rows import SweepRow, in_file, row_of, told
from simio.sweeps.run import run_many
from simio.sweeps.space import Settings, Space
from simio.sweeps.stamp import stamp
from simio.sweeps.work import Task
from simio.wording import settings_text

LOOKED_AT = 100
"""Configurations that are built before any is run."""
MOST_REPORTED = 5
"""Refused configurations that are reported one by one; the others are counted."""


@dataclass(frozen=True)
class Workers:
    """The workers: `processes` of this machine or a Dask `cluster`, as in `run_many`; `cached` takes kept results."""

    processes: int | None = None
    cluster: str | None = None
    cached: bool = True
    announce: Callable[[str], Any] | None = None

    def run(self, tasks: Sequence[Task]) -> Generator[tuple[int, SweepOutcome | SimioError]]:
        """The outcome of each task in order of completion."""
        do = partial(outcome_of, cached=self.cached)
        return run_many(tasks, self.processes, self.cluster, do=do, announce=self.announce)


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep: the configurations of a space, each for every case that the scenario has of its own.

    `fixed` settings hold for all. `only` is the index of the scenario's case to take; without it, all are.
    """

    source: ScenarioFile
    space: Space
    fixed: tuple[str, ...] = ()
    only: int | None = None

    @cached_property
    def configurations(self) -> list[Settings]:
        """The settings of each configuration of the space. Raises SimioError for too many."""
        return self.space.configurations()

    @cached_property
    def cases(self) -> list[tuple[int, Settings]]:
        """Index and settings of each of the scenario's own cases that run in each configuration.

        Raises SimioError for a case that the scenario lacks.
        """
        own = list(enumerate(self.source.settings(sets_of(self.configurations[0], self.fixed))))
        if self.only is None:
            return own
        if not 0 <= self.only < len(own):
            raise SimioError(f"--case: found {self.only + 1}; expected a number from 1 to {len(own)}")
        return [own[self.only]]

    @property
    def keys(self) -> list[str]:
        """Keys in which the rows differ, in order: those of the space, then those that the scenario varies."""
        return list(dict.fromkeys([*self.configurations[0], *(key for _, own in self.cases for key in own)]))

    def __len__(self) -> int:
        return len(self.configurations) * len(self.cases)

    def settings(self, number: int) -> Settings:
        """The settings of the row of this number."""
        which, case = divmod(number - 1, len(self.cases))
        return {**self.configurations[which], **self.cases[case][1]}

    def task(self, number: int) -> Task:
        """The task for the row of this number."""
        which, case = divmod(number - 1, len(self.cases))
        return self.task_of(self.configurations[which], self.cases[case][0])

    def task_of(self, settings: Settings, case: int) -> Task:
        """The task for some settings and a case of the scenario's own."""
        return Task(self.source.path, sets_of(settings, self.fixed), case, self.source.text)

    def header(self) -> dict[str, Any]:
        """Identity of this sweep: with the same header, the same numbers have the same rows."""
        rows = repr([(self.settings(1), self.configurations, self.cases)])
        return {
            "sweep of": self.source.path,
            "simio": stamp(),
            "scenario": hashlib.sha256(self.source.text.encode()).hexdigest(),
            "fixed": list(self.fixed),
            "keys": self.keys,
            "rows": len(self),
            "configurations": hashlib.sha256(rows.encode()).hexdigest(),
            "files": hashlib.sha256(repr(sorted(self._files().items())).encode()).hexdigest(),
        }

    def _files(self) -> dict[str, str]:
        """The datasheets and tables that the configurations need, each with a hash of its content."""
        # One configuration for each file that the configurations name, and one for all other files.
        chosen = {0}
        named: set[str] = set()
        for number, settings in enumerate(self.configurations):
            values = {value for value in settings.values() if value.startswith(("./", "../", "/"))}
            if values - named:
                chosen.add(number)
                named |= values
        source = self.source
        folder, parts = source.folder, Catalogue((source.parts or catalogue()).root)
        with files_read() as found:
            for number in sorted(chosen):
                fresh = ScenarioFile(source.path, source.text, parts, source.studies, folder)
                for case, _ in self.cases:
                    # The row reports the error.
                    with suppress(SimioError):
                        fresh.scenario(sets_of(self.configurations[number], self.fixed), only=case)
        return found


def sets_of(settings: Mapping[str, str], fixed: Sequence[str] = ()) -> tuple[str, ...]:
    """Settings as `--set` has them."""
    return (*fixed, *(f"{key}={value}" for key, value in settings.items()))


def check(plan: Plan) -> tuple[str, list[str]]:
    """Build configurations from all over the plan; returns the unit of throughput, and what is wrong with some.

    Raises ScenarioError if it is wrong with all, as a key that is not there would be.
    """
    if not plan.keys:
        expected = "expected some, such as --set run.seed=1..10, or a scenario with 'vary'"
        raise SimioError(f"{plan.source.path}: found no key to vary; {expected}")
    total = len(plan)
    looked_at = sorted({1 + index * (total - 1) // max(LOOKED_AT - 1, 1) for index in range(LOOKED_AT)})
    found: dict[str, str] = {}
    problems: list[Problem] = []
    unit = ""
    for number in looked_at:
        task = plan.task(number)
        try:
            built = plan.source.scenario(task.sets, only=task.case)
            unit = unit or built.cases[0].system.report.unit
        except ScenarioError as error:
            problems += [replace(problem, place=in_file(problem)) for problem in error.problems]
            found.setdefault(told(error), settings_text(plan.settings(number)))
    if not unit:
        raise ScenarioError(problems)
    texts = [f"{where}: {what}" for what, where in found.items()]
    more = len(texts) - MOST_REPORTED
    if more > 1:
        texts[MOST_REPORTED:] = [f"{more} more of the {len(looked_at)} configurations looked at cannot be run either"]
    return unit, texts


def sweep(plan: Plan, numbers: Sequence[int], workers: Workers) -> Iterator[SweepRow]:
    """Run the rows of these numbers and yield each as it is finished.

    To leave the iterator ends the workers. Raises SimioError where there is no cluster.
    """
    with closing(workers.run([plan.task(number) for number in numbers])) as running:
        for index, outcome in running:
            number = numbers[index]
            yield row_of(number, plan.settings(number), outcome)
