"""The result of a case, put together from its runs."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from simio.description.model import Case
from simio.engines.outcome import Outcome
from simio.program.records import changed
from simio.program.steps import Program
from simio.result import usage
from simio.result.buffered import in_buffers
from simio.result.demerit import demerits
from simio.result.extrapolated import extrapolated
from simio.result.jobs import job_runs, jobs_in_turn
from simio.result.limiter import Evidence, limiter
from simio.result.loads import beyond, ending, pooled_loads
from simio.result.model import CaseResult, Check, JobRun, LoadUse, ResourceUse, StreamRate
from simio.result.outages import outages
from simio.result.phases import ended_early, unlike, unsteady
from simio.result.pooling import pooled_observations, pooled_streams
from simio.result.precision import Runs
from simio.result.progress import progress_of
from simio.result.rebuilding import rebuilding
from simio.result.recorded import DeliveredBytes, Observation, Rows
from simio.result.resent import given_up, resent, unmarked
from simio.result.slow_lines import slow_lines
from simio.result.spent import from_credits
from simio.result.standstill import standstill
from simio.result.statistics import confidence
from simio.result.timeline import timeline
from simio.result.undelivered import Sent, undelivered
from simio.result.wear import worn

_NO_STATE = np.empty(0, dtype=np.int64)


def case_result(
    case: Case,
    program: Program,
    program_hash: str,
    runs: Runs,
    checks: tuple[Check, ...],
    cut_off: str,
    told: bool = True,
) -> CaseResult:
    """The result of a case whose program had these runs, which kept these laws; `cut_off` says what ended them.

    Without `told` it is for a row of a table, and let go at once: it has the same measures, and no notes, jobs and
    demerits.
    """
    outcome, span = runs.outcome, runs.spans[0]
    loads = beyond(pooled_loads([each.loads for each in runs.seen]), program, outcome, runs.rate, runs.cap)
    threads = usage.thread_use(program, outcome)
    tallies = usage.tallies(program, outcome, span)
    jobs = job_runs(case.system, program, outcome) if told else ()
    paced = [name for name, workload in case.system.workloads.items() if workload.params.paced]
    streams = pooled_streams([each.streams for each in runs.seen], paced)
    observations = pooled_observations([each.observations for each in runs.seen])
    kept, seen = program, outcome
    evidence = Evidence.of(program, outcome, span, runs.cap, threads, tallies, runs.seen[0].loads)
    limit, resources = limiter(evidence), evidence.resources
    by_counts = [
        *resent(limit, runs.cap, runs.rate, tallies),
        *given_up(tallies),
        *rebuilding(program, outcome, streams, tallies, case.system.report.unit),
    ]
    if told:
        # A result keeps no state of machines, such as an SSD's mapping, for what is computed when somebody looks.
        kept, seen = changed(program, {"state": _NO_STATE}), changed(outcome, {"state": _NO_STATE})
    return CaseResult(
        index=case.index,
        settings=dict(case.settings),
        status=outcome.status.name.lower(),
        end=outcome.end,
        throughput=span,
        rate=runs.rate,
        half_width=runs.half_width,
        bound=runs.cap.rate if runs.cap else None,
        bound_by=runs.cap.name if runs.cap else "",
        streams=streams,
        limiter=limit,
        resources=resources,
        containers=Rows(partial(usage.container_use, kept, seen)),
        threads=threads,
        observations=observations,
        tallies=tallies,
        timeline=timeline(kept, seen),
        loads=loads,
        bonds=program.bonds,
        wear=worn(case.system, program, outcome, span) if told else (),
        measured=case.measured,
        hash=program_hash,
        seeds=runs.seeds,
        events=runs.events,
        steps=runs.steps,
        checks=checks,
        precision=runs.precision,
        progress=DeliveredBytes.later(partial(progress_of, kept, seen, span, runs.cap.rate if runs.cap else None)),
        notes=_notes(case, program, runs, loads, streams, observations, resources, jobs, by_counts) if told else (),
        demerits=demerits(case.system.workloads.values(), program, outcome) if told else (),
        requests=sum((each.requests for each in runs.seen), Fraction(0)) / len(runs.seen),
        requests_half_width=confidence([float(each.requests) for each in runs.seen])[1]
        if len(runs.seen) > 1
        else None,
        jobs=jobs,
        cut_off=cut_off,
    )


def _notes(
    case: Case,
    program: Program,
    runs: Runs,
    loads: tuple[LoadUse, ...],
    streams: tuple[StreamRate, ...],
    observations: tuple[Observation, ...],
    resources: tuple[ResourceUse, ...],
    jobs: tuple[JobRun, ...],
    by_counts: list[str],
) -> tuple[str, ...]:
    """Notes on what the throughput and the first line do not show, each once."""
    outcome, span = runs.outcome, runs.spans[0]
    workloads, sent = tuple(case.system.workloads.values()), Sent.of(program, outcome)
    lengths = [each.until - each.since for each in runs.spans]
    notes = [
        *runs.notes,
        *unlike(runs.spans),
        *standstill(program, outcome),
        *outages(case.system.faults, program, outcome, span),
        *undelivered(workloads, streams, runs.rate, observations, resources, sent),
        *by_counts,
        *unmarked(case.system),
        *in_buffers(case.system, program, outcome, span),
        *from_credits(case.system, program, outcome, span),
        *(load.sentence for load in loads if load.grows),
        *ending(program, outcome, span),
        *(slow_lines(loads, resources, outcome.end, lengths) if len(loads) == len(workloads) else ()),
        *_condensed(outcome),
        *(tuple(jobs_in_turn(jobs)) or ended_early(program, outcome, span)),
        *(() if case.system.faults else unsteady(program, outcome, span)),
        *extrapolated(case.system),
        *program.told,
    ]
    return tuple(dict.fromkeys(notes))


def _condensed(outcome: Outcome) -> list[str]:
    """Notes on times that were too many to keep."""
    if not outcome.condensed:
        return []
    count = sum(each.count for each in outcome.condensed.values())
    return [f"{count:,} times are of the whole run; their percentiles are right to 0.05%"]
