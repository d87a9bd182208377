"""simio from Python: `simio.load(path).run()`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    import pandas

    from simio.components.network.capture import PacketTrace
    from simio.description.model import Case, Scenario
    from simio.program.steps import Program
    from simio.report.notebook import ShownBound, ShownContrast, ShownExplanation, ShownResult
    from simio.result.requests import RequestLog, Table
    from simio.sweeps.values import Axis

Values = str | int | float | bool | Sequence[str | int | float | bool]
"""Values of a key: a list of them, one, or a text as the command line has it, such as '64KiB..2MiB:x2'."""


class Study:
    """A loaded scenario, to be bounded, run, explained and swept; `scenario` is its description.

    study = simio.load("linux-fc-raw", ["workload.reader.access=raw"])
    study.bound().rate()                                    # bytes a second, without a run
    study.run(cases=[0]).cases[0].limiter.sentence          # what limits
    study.sweep({"disks.d.count": "1..4"})                  # a pandas.DataFrame
    """

    def __init__(self, scenario: Scenario, sets: Sequence[str] = ()) -> None:
        self.scenario = scenario
        self.sets = tuple(sets)

    def __repr__(self) -> str:
        number = len(self.cases)
        return f"<{self.scenario.path}: {self.scenario.title}, {number} {'case' if number == 1 else 'cases'}>"

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases, in the order of the scenario's `vary`."""
        return self.scenario.cases

    def program(self, case: int = 0) -> Program:
        """The program of the case with this index."""
        from simio.lower import lower

        return lower(self.cases[case].system)

    def bound(self, case: int = 0) -> ShownBound:
        """Upper bound on throughput of the case with this index, without running it."""
        from simio.bound import bound
        from simio.report.notebook import ShownBound

        of = self.cases[case]
        name = ", ".join(f"{key} = {value}" for key, value in of.settings.items()) or self.scenario.title
        return ShownBound.of(bound(self.program(case)), name, of.system.report.unit, of.system.run.until)

    def run(
        self,
        engine: str | None = None,
        cases: Sequence[int] | None = None,
        packets: PacketTrace | None = None,
        requests: str | os.PathLike[str] | Callable[[Table], object] | None = None,
    ) -> ShownResult:
        """Run all cases, or those with these indices, on 'compiled' (the default) or 'simpy'.

        With `packets`, each case's result has the packets that this asks for (`simio.result.packets`). `requests` is
        a file, .csv or .parquet, for the requests of a replay, one by one, or a function that gets them as tables,
        some at a time (`simio.result.requests`).
        A case that Ctrl-C or its step budget ends says so in `cut_off`. Raises SimioError for a deadlock or an
        unknown engine.
        """
        from simio.report.notebook import ShownResult
        from simio.running import RunOptions, run_scenario

        with _request_log(requests) as log:
            options = RunOptions(engine, packets, partial=True, requests=log)
            return ShownResult.of(run_scenario(self.scenario, self.sets, options, cases))

    def explain(self, case: int = 0, engine: str | None = None) -> ShownExplanation:
        """The explanation of a case by its index: the limit of its result, and the gain of each change.

        Raises SimioError where it cannot be run.
        """
        from simio.errors import RunError
        from simio.explaining import profile, waterfall
        from simio.explaining.stages import Traced
        from simio.lower import lower
        from simio.report.notebook import ShownExplanation
        from simio.running import Lowered

        traced, found = None, None
        lowered = Lowered(lower(self.cases[case].system))
        try:
            traced = Traced(self.cases[case], engine, lowered)
            found = waterfall(self.cases[case], traced=traced)
        except RunError:
            # Some cases run that cannot be followed; where this one does not run, the profile raises.
            pass
        told = profile(self.cases[case], self.scenario.title, engine, None, traced, found, lowered)
        return ShownExplanation(told, found)

    def compare(self, other: Study, case: int = 0, other_case: int | None = None) -> ShownContrast:
        """Comparison of a case with another study's, of the same index or of `other_case`, and its reasons.

        Raises SimioError where one of them cannot be run.
        """
        from simio.explaining.contrast import contrast
        from simio.report.notebook import ShownContrast

        titles = dict.fromkeys((self.scenario.title, other.scenario.title))
        second = other.cases[case if other_case is None else other_case]
        return ShownContrast.of(contrast(self.cases[case], second, "\n".join(titles)))

    def sweep(
        self,
        values: Mapping[str, Values],
        *,
        sample: int | None = None,
        lhs: bool = True,
        seed: int = 0,
        case: int | None = None,
        measures: Sequence[str] = (),
        processes: int | None = None,
        cluster: str | None = None,
        cached: bool = True,
        progress: Callable[[int, int], Any] | None = None,
    ) -> pandas.DataFrame:
        """Run a configuration for each combination of these values of keys, and each case of the scenario's own.

        The table is that of `simio sweep`: a row a configuration, with its error if it could not be run. The options
        are those of the command, too; `case` is an index, and `progress` gets the numbers that are done and in all.
        Raises SimioError for values that cannot be, and where pandas is missing.
        """
        from simio.loading import ScenarioFile
        from simio.report.table import frame
        from simio.sweeps.space import Space
        from simio.sweeps.sweep import Plan, Workers, check, sweep

        axes = tuple(_axis(key, given, sample is not None) for key, given in values.items())
        source = ScenarioFile(self.scenario.path, self.scenario.text)
        plan = Plan(source, Space(axes, sample, lhs, seed), self.sets, case)
        unit, _ = check(plan)
        rows = []
        numbers = range(1, len(plan) + 1)
        for row in sweep(plan, numbers, Workers(processes, cluster, cached)):
            rows.append(row)
            if progress:
                progress(len(rows), len(numbers))
        return frame(sorted(rows, key=lambda row: row.number), plan.keys, unit, measures)


def load(path: str | os.PathLike[str], sets: Sequence[str] = ()) -> Study:
    """Read a scenario file, or a ready scenario by its name.

    `sets` are overrides such as 'workload.blast.size=64 KiB'. Raises ScenarioError with every problem of the file.
    """
    from simio.loading import load as read
    from simio.loading.ready import located

    return Study(read(located(str(path)), sets), sets)


def _request_log(to: Any) -> AbstractContextManager[RequestLog | None]:
    if to is None:
        return nullcontext()
    if callable(to):
        from simio.result.requests import RequestLog

        return nullcontext(RequestLog(to))
    from simio.report.requests import request_file

    return request_file(to)


def _axis(key: str, values: Values, intervals: bool) -> Axis:
    from simio.sweeps.values import Axis, axis_of

    if isinstance(values, str):
        return axis_of(key, values, key, intervals)
    listed = values if isinstance(values, Sequence) else [values]
    return Axis((key,), tuple((_text(value),) for value in listed))


def _text(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
