"""The causal profile: what the whole gains when one component is made faster, by running it so.

A causal profile asks what would change, not what is busy (C. Curtsinger and E. D. Berger, "Coz: finding code that
counts with causal profiling", SOSP 2015). There a part of a running program can only be made to seem faster, by
slowing all the rest; in a simulation it is made faster. The change is one of the description, before anything is
lowered, so that what follows from a value follows here as well: the clock in a disk's or a bus's machine, the larger
of two rates that a transfer takes, the time that a packet is found to take while it runs.
"""

from __future__ import annotations

from dataclasses import replace

from simio import units
from simio.description.model import Case
from simio.engines.outcome import DEFAULT_BUDGET, Outcome
from simio.errors import RunError
from simio.explaining.answers import CUT, THROUGHPUT, Runner
from simio.explaining.model import Alternation, CausalProfile, Waterfall
from simio.explaining.stages import Traced, waterfall
from simio.explaining.threads import alternations
from simio.explaining.variants import Progress, Variants
from simio.lower import lower
from simio.result.extrapolated import extrapolated
from simio.result.model import CaseResult
from simio.result.request_rate import counts_requests, in_unit_of
from simio.running import Lowered, RunOptions, run_program
from simio.wording import byte_unit, figure, in_unit


def profile(
    case: Case,
    title: str = "",
    engine: str | None = None,
    progress: Progress | None = None,
    traced: Traced | None = None,
    found: Waterfall | None = None,
    lowered: Lowered | None = None,
) -> CausalProfile:
    """The causal profile of a case.

    `progress` gets the number of variants that are done, and of all; `traced` is the case run step by step, `found`
    its waterfall and `lowered` has its program, if there are these already. An interrupt (Ctrl-C) gives the results
    until then, with `complete` False, unless not even the case itself has been run. A case of very many steps is
    explained as far as a run goes by default, and `cut_off` says so. Raises RunError where the case cannot be run.
    """
    lowered = lowered or Lowered(lower(case.system))
    outcomes: list[Outcome] = []
    whole, case = case, within(case)
    options = RunOptions(engine, partial=True, outcome=lambda _, outcome: outcomes.append(outcome))
    result = run_program(case, lowered, options)
    runner = Runner(case, lowered, result, engine, outcomes[0])
    try:
        traced = traced or Traced(case, engine, lowered)
        threads = alternations(traced)
        found = found or waterfall(case, engine, traced)
    except RunError:
        # Processes written in Python cannot be followed, nor can what delivers nothing.
        threads = _alternations(traced)
    work = Variants(runner, result, found, progress)
    complete = True
    try:
        work.run()
    except KeyboardInterrupt:
        complete = False
    finally:
        runner.stop()
    metric = work.metric()
    settings = tuple(work.settings(metric))
    rows = tuple(work.table(metric))
    values = runner.base.values(metric)
    return CausalProfile(
        title=title,
        settings=dict(case.settings),
        unit=byte_unit(case.system.report.unit),
        metric=metric,
        answer=_in_words(result, case.system.report.unit),
        base=result.rate,
        value=sum(values) / max(len(values), 1),
        limiter=result.limiter,
        rows=rows,
        what_ifs=settings,
        next=work.next if metric == THROUGHPUT else None,
        alternations=threads,
        runs=runner.runs,
        notes=(
            *extrapolated(case.system),
            *lowered.program.told,
            *runner.notes,
            *([CUT] if runner.cut else []),
            *work.refused(),
        ),
        untried=len(work.left_out),
        complete=complete,
        cut_off=result.cut_off if case is whole else result.cut_off and _far(result),
        held=work.held(result.limiter, rows) if metric == THROUGHPUT else "",
    )


def within(case: Case) -> Case:
    """The case with at most the steps that a run has by default, however many its own may take."""
    run = case.system.run
    if run.step_budget <= DEFAULT_BUDGET:
        return case
    return replace(case, system=replace(case.system, run=run.model_copy(update={"step_budget": DEFAULT_BUDGET})))


def _far(result: CaseResult) -> str:
    """The part of a case that was run, of one with more steps."""
    shown = units.format_quantity(result.end, "time")
    return f"explained are the first {shown} simulated: more than {result.steps:,} steps are not run for it"


def _in_words(result: CaseResult, unit: str) -> str:
    """The throughput as `simio run` gives it, without an interval."""
    own = unit if result.requests or not counts_requests(unit) else byte_unit(unit)
    return f"{figure(in_unit(float(in_unit_of(result, own).rate), own))} {own}"


def _alternations(traced: Traced | None) -> tuple[Alternation, ...]:
    return alternations(traced) if traced else ()
