"""The conductor: lowers, bounds, runs and measures the cases of a scenario, one result each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from simio import units
from simio.bound import bound
from simio.description.measured import MeasuredRow
from simio.description.model import Case, Scenario
from simio.description.parts import fitted_values
from simio.engines.execute import execute
from simio.engines.native import Announce
from simio.engines.outcome import RECORD_LIMIT, SPENT, Aborted, Interrupted, Options, Outcome, Status
from simio.engines.prepared import Prepared, prepare
from simio.errors import RunError
from simio.limits import Bound
from simio.lower import lower, placed
from simio.program.digest import program_hash
from simio.program.steps import Program
from simio.result.case import case_result
from simio.result.checks import check
from simio.result.compare import check_observations
from simio.result.condensed import Condenser
from simio.result.model import CaseResult, Check, ScenarioResult
from simio.result.nothing import nothing
from simio.result.precision import carry_out, completed, wanted
from simio.result.request_rate import in_unit_of
from simio.result.requests import RequestLog
from simio.version import VERSION
from simio.wording import counted
from simio.workloads import workload_kinds

if TYPE_CHECKING:
    from simio.components.network.capture import PacketTrace


class RunOptions(NamedTuple):
    """Options of a run of a scenario's cases; the default is the compiled engine without traces.

    `engine` is 'compiled' (the default) or 'simpy'. With `packets`, each result has the packets of its first run.
    With `recount`, each run is made again to check more laws. `announce` gets a message if the engine has to be
    compiled first. `requests` is given the replayed requests of the first run of each case. With `partial`, a run
    that its step budget ends has a result, too, with `CaseResult.cut_off`.
    `outcome` gets each case's program with the outcome of its first run.
    """

    engine: str | None = None
    packets: PacketTrace | None = None
    recount: bool = False
    announce: Callable[[str], Any] | None = None
    partial: bool = False
    requests: RequestLog | None = None
    outcome: Callable[[Program, Outcome], Any] | None = None


class CaseInterrupted(KeyboardInterrupt):
    """Ctrl-C in the run of a case; `result` is that of the run until then."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__()
        self.result = result


DEFAULT = RunOptions()
LEAST_HELD = 2**14
"""Words of state from which a program is looked for drives that hold something: less is worked out in no time."""


class Lowered:
    """A program, and what follows from it before it runs; each part is computed when it is first used."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._prepared: Prepared | None = None

    @cached_property
    def bound(self) -> Bound:
        """The upper bound on throughput."""
        return bound(self.program)

    @cached_property
    def hash(self) -> str:
        """The program's hash."""
        return program_hash(self.program)

    def begun(self, engine: str | None = None) -> Program:
        """The program with what drives hold before the run; for the reference engine as it is, since that has to
        come to it by itself. Raises KeyboardInterrupt for Ctrl-C."""
        return self.program if engine == "simpy" or self.program.guests else self._begun

    @cached_property
    def _begun(self) -> Program:
        # Most programs have no state to speak of, and no use for what this imports.
        if len(self.program.state) < LEAST_HELD:
            return self.program
        from simio.beforehand import begun

        return begun(self.program)

    def execute(
        self, options: Options, engine: str | None = None, announce: Callable[[str], Any] | None = None
    ) -> Outcome:
        """The outcome of a run; arguments and errors are those of `simio.engines.execute.execute`."""
        if engine != "simpy" and not self.program.guests:
            self.prepared(announce)
        return execute(self.begun(engine), options, engine, announce, self.prepared)

    def prepared(self, announce: Announce | None = None) -> Prepared:
        """The compiled engine's tables, made once; `announce` and errors are as those of `prepare`."""
        if self._prepared is None:
            self._prepared = self._prepare(announce)
        return self._prepared

    def _prepare(self, announce: Announce | None) -> Prepared:
        return prepare(self.program, announce)


def run_scenario(
    scenario: Scenario,
    sets: Sequence[str] = (),
    options: RunOptions = DEFAULT,
    cases: Sequence[int] | None = None,
    progress: Callable[[CaseResult], Any] | None = None,
) -> ScenarioResult:
    """Run all cases, or those whose indices are given.

    An interrupt leaves the results so far, and that of the case that was running here (`complete` False).

    `progress` gets each result. Raises RunError as `run_case` does.
    """
    from simio.loading import resolved

    system = scenario.cases[0].system
    values: Mapping[str, object] = {}
    results: list[CaseResult] = []
    complete = True
    try:
        # Before the runs, since ten thousand disks take seconds, for which nobody waits after Ctrl-C.
        values = resolved(system)
        for result in run_cases(scenario, options, cases):
            results.append(in_unit_of(result, system.report.unit))
            if progress:
                progress(result)
    except CaseInterrupted as interrupted:
        results.append(in_unit_of(interrupted.result, system.report.unit))
        complete = False
    except KeyboardInterrupt:
        complete = False
    results.sort(key=lambda result: result.index)
    return ScenarioResult(
        title=scenario.title,
        path=scenario.path,
        text=scenario.text,
        sets=tuple(sets),
        version=VERSION,
        unit=system.report.unit,
        cases=tuple(results),
        resolved=values,
        fitted=fitted_values(scenario),
        complete=complete,
        pooled=scenario.pooled,
    )


def run_cases(
    scenario: Scenario, options: RunOptions = DEFAULT, cases: Sequence[int] | None = None
) -> Iterator[CaseResult]:
    """Run all cases, or those whose indices are given, and yield each result when it is there.

    Where they take long, all processors run them, unless what they pass is wanted here.
    """
    works = [
        partial(run_case, case, options, pooled_rows(scenario, case))
        for case in scenario.cases
        if cases is None or case.index in cases
    ]
    if len(works) == 1 or options.packets or options.requests or options.outcome:
        yield from (work() for work in works)
    else:
        from simio.worth import as_worth

        yield from (result for _, result in as_worth(works))


def pooled_rows(scenario: Scenario, case: Case) -> list[MeasuredRow]:
    """The measured rows of several cases that a case is one of."""
    return [pooled.row for pooled in scenario.pooled if case.index in pooled.cases]


def run_case(case: Case, options: RunOptions = DEFAULT, pooled: Sequence[MeasuredRow] = ()) -> CaseResult:
    """Lower, bound, run (several times if it is random) and measure one case.

    `pooled` are measured rows of several cases, this one among them. Raises
    RunError for a case that cannot be lowered or run to its end, and if no packet passes where `options.packets`
    wants them.
    """
    program = lower(case.system, options.packets, options.requests is not None)
    if options.packets:
        _check_packets(program, options.packets)
    return run_program(case, Lowered(program), options, pooled)


def run_program(
    case: Case, lowered: Lowered, options: RunOptions = DEFAULT, pooled: Sequence[MeasuredRow] = ()
) -> CaseResult:
    """Run and measure a case that is lowered already. Raises RunError as `run_case` does, and CaseInterrupted."""
    run = CaseRun(case, lowered, options, pooled)
    run.simulate()
    return run.result()


class CaseRun:
    """A case in three stages: its preparation, its first run, and all that follows from that.

    A sweep of small cases takes each stage of all of them before the next. What a stage needs then stays in the
    processor's caches, out of which a run of the engine drives it. Raises RunError as `run_case` does.
    """

    def __init__(
        self, case: Case, lowered: Lowered, options: RunOptions = DEFAULT, pooled: Sequence[MeasuredRow] = ()
    ) -> None:
        program = lowered.program
        check_observations((*case.measured, *pooled), [mark.name for mark in program.marks if mark.unit == "ps"])
        self._case, self._lowered, self._options = case, lowered, options
        self._runs = wanted(case.system.run, program, lowered.bound)
        self._wanted = next(self._runs)
        self._checks: list[Check] = []
        self._cut_off: list[str] = []
        self._interrupted = False
        self._begun = 0
        self._first: Outcome | None = None

    @property
    def words(self) -> int:
        """Words of the program's steps and state, of which a run has copies."""
        return self._lowered.program.steps.size + self._lowered.program.state.size

    def simulate(self) -> None:
        """The first run. Raises CaseInterrupted only in `result`."""
        self._first = self._run(*self._wanted)

    def result(self, told: bool = True) -> CaseResult:
        """The result of this run, and of others where the case takes several; `told` is as in `case_result`.

        Raises CaseInterrupted, too.
        """
        case, program, options = self._case, self._lowered.program, self._options
        assert self._first is not None
        runs = completed(self._runs, self._once, self._checked(self._first))
        if self._interrupted and runs.outcome.status != Status.INTERRUPTED:
            self._cut_off = [f"interrupted after {counted(len(runs.seeds), 'run')}"]
        cut_off = "; ".join(self._cut_off)
        result = case_result(case, program, self._lowered.hash, runs, tuple(self._checks), cut_off, told)
        if told and not runs.rate and not self._cut_off:
            result = replace(result, notes=(nothing(program, case.system.run, runs.outcome, self._once),))
        if options.outcome:
            options.outcome(program, runs.outcome)
        if options.packets:
            from simio.result.packets import Packets

            result = replace(result, packets=Packets(program, runs.outcome))
        if self._interrupted:
            raise CaseInterrupted(result)
        return result

    def _once(self, seed: int, until: int) -> Outcome:
        return self._checked(self._run(seed, until))

    def _run(self, seed: int, until: int) -> Outcome:
        """A run from a seed up to an instant in ps."""
        program, options = self._lowered.program, self._options
        log = options.requests if options.requests and not self._begun else None
        self._begun += 1
        sink = log.begin(program) if log else None
        condenser = Condenser(program, sink) if program.feeds or sink else None
        delivered = self._lowered.bound.delivered
        budget = self._case.system.run.step_budget
        self._limits = Options(until, budget, seed, work=lambda: delivered, condense=condenser)
        try:
            outcome = self._lowered.execute(self._limits, options.engine, options.announce)
        except Interrupted as error:
            outcome = error.outcome
            self._interrupted = True
            self._cut_off.append(_cut_off(self._case, outcome))
        except Aborted as error:
            outcome = error.outcome
            if options.partial and outcome.status in SPENT:
                self._cut_off.append(_cut_off(self._case, outcome))
            elif options.packets:
                from simio.result.packets import AbortedTrace, Packets

                raise AbortedTrace(str(error), error.outcome, Packets(program, error.outcome)) from error
            elif outcome.status == Status.THREADS:
                raise self._of_workload(error) from error
            else:
                raise
        return condenser.finish(outcome) if condenser else outcome

    def _of_workload(self, error: Aborted) -> Aborted:
        """An error at the place of the workload whose thread was the last to run, with what would help there."""
        program, system = self._lowered.program, self._case.system
        _, at = error.outcome.fault
        start = max((start for start in program.starts if start.entry <= at), key=lambda start: start.entry)
        name = program.workloads[start.workload]
        helps = system.workloads[name].params.slower if name in system.workloads else ""
        message = "; ".join(filter(None, (str(error), helps)))
        return Aborted(placed(message, system, f"workload.{name}"), error.outcome)

    def _checked(self, outcome: Outcome) -> Outcome:
        """The outcome of the last run, whose laws were checked. Raises RunError for one that does not hold."""
        program, options = self._lowered.program, self._options
        if not program.random:
            self._checks.clear()  # a run that is lengthened takes the place of the one before
        self._checks.extend(check(program, outcome, self._lowered.bound))
        if options.recount and not outcome.condensed and outcome.status != Status.INTERRUPTED:
            from simio.result.stepwise import check_again

            begun = self._lowered.begun(options.engine)
            self._checks.extend(check_again(begun, self._limits, outcome, options.engine))
        return outcome


def interrupted_result(case: Case, lowered: Lowered, outcome: Outcome) -> CaseResult:
    """The result of a case whose first run, not made by `run_program`, was interrupted with this outcome."""
    runs = carry_out(case.system.run, lowered.program, lowered.bound, lambda *_: outcome)
    return case_result(case, lowered.program, lowered.hash, runs, (), _cut_off(case, outcome))


def _cut_off(case: Case, outcome: Outcome) -> str:
    """The reason and the instant of an early end."""
    run = case.system.run
    at = units.format_quantity(outcome.end, "time")
    of = f" of {units.format_quantity(run.until, 'time')}" if run.until is not None else ""
    if outcome.status == Status.INTERRUPTED:
        return f"interrupted at {at}{of} simulated"
    if outcome.status == Status.RECORDS:
        return (
            f"cut off at {at}{of} simulated: {RECORD_LIMIT:,} observations are recorded, the most that a run may have"
        )
    spent = f"the step budget of {run.step_budget:,} is spent; raise run.step_budget for more"
    return f"cut off at {at}{of} simulated: {spent}"


def _check_packets(program: Program, packets: PacketTrace) -> None:
    """Refuse to trace packets where none can pass."""
    from simio.components.network.capture import ROLE

    if any(mark.role == ROLE for mark in program.marks):
        return
    if packets.at:
        raise RunError(f"no packets are sent or received by {' or '.join(packets.at)}")
    kinds = [kind for kind, params in workload_kinds().items() if params.network]
    raise RunError(f"no IP packets to trace; workloads that send them are {', '.join(kinds)}")
