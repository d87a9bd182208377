"""Running the cases of a scenario, one result each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from simio.bound import Bound, bound
from simio.components.network.capture import ROLE, PacketTrace
from simio.description.measured import MeasuredRow
from simio.description.model import Case, Host, Origin, Part, Scenario, System
from simio.description.workloads import workload_kinds
from simio.engines.execute import execute
from simio.engines.outcome import Options, Outcome
from simio.errors import RunError
from simio.lower import lower
from simio.program.digest import program_hash
from simio.program.steps import Program
from simio.result import measure
from simio.result.checks import Check, check
from simio.result.compare import check_observations
from simio.result.limiter import limiter
from simio.result.model import CaseResult, ScenarioResult
from simio.result.packets import Packets
from simio.result.precision import Runs, carry_out
from simio.result.stepwise import check_again
from simio.version import VERSION


def run_scenario(
    scenario: Scenario,
    sets: Sequence[str] = (),
    engine: str | None = None,
    cases: Sequence[int] | None = None,
    progress: Callable[[CaseResult], Any] | None = None,
    announce: Callable[[str], Any] | None = None,
    packets: PacketTrace | None = None,
    jump: bool = True,
    recount: bool = False,
) -> ScenarioResult:
    """All cases, or those whose indices are given; an interrupt leaves the results so far (`complete` False).

    With `packets`, each result has the packets of its first run. Without `jump`, periods of a run that repeats itself
    are run one by one, to the same result. With `recount`, each run is made again to check more laws.
    """
    from simio.loading import resolved

    results: list[CaseResult] = []
    complete = True
    try:
        for result in run_cases(scenario, engine, cases, announce, packets, jump, recount):
            results.append(result)
            if progress:
                progress(result)
    except KeyboardInterrupt:
        complete = False
    system = scenario.cases[0].system
    return ScenarioResult(
        title=scenario.title,
        path=scenario.path,
        text=scenario.text,
        sets=tuple(sets),
        version=VERSION,
        unit=system.report.unit,
        cases=tuple(results),
        resolved=resolved(system),
        fitted=fitted_values(scenario),
        complete=complete,
        pooled=scenario.pooled,
    )


def run_cases(
    scenario: Scenario,
    engine: str | None = None,
    cases: Sequence[int] | None = None,
    announce: Callable[[str], Any] | None = None,
    packets: PacketTrace | None = None,
    jump: bool = True,
    recount: bool = False,
) -> Iterator[CaseResult]:
    """Results one by one as they are finished."""
    for case in scenario.cases:
        if cases is None or case.index in cases:
            also = [pooled.row for pooled in scenario.pooled if case.index in pooled.cases]
            yield run_case(case, engine, announce, also, packets, jump, recount)


def run_case(
    case: Case,
    engine: str | None = None,
    announce: Callable[[str], Any] | None = None,
    pooled: Sequence[MeasuredRow] = (),
    packets: PacketTrace | None = None,
    jump: bool = True,
    recount: bool = False,
) -> CaseResult:
    """Lower, bound, run (several times if it is random) and measure one case, which rows over several may need.

    With `packets`, those of the first run are kept, or those until a fault; raises RunError where no packet comes by.
    """
    program = lower(case.system, packets)
    if packets:
        _check_packets(program, packets)
    return run_program(case, program, engine, announce, pooled, packets, jump, recount)


def run_program(
    case: Case,
    program: Program,
    engine: str | None = None,
    announce: Callable[[str], Any] | None = None,
    pooled: Sequence[MeasuredRow] = (),
    packets: PacketTrace | None = None,
    jump: bool = True,
    recount: bool = False,
) -> CaseResult:
    """The rest of `run_case`, for whoever has the case's program already."""
    check_observations((*case.measured, *pooled), [mark.name for mark in program.marks if mark.unit == "ps"])
    run = case.system.run
    certain = bound(program)
    checks: list[Check] = []

    def once(seed: int, until: int) -> Outcome:
        options = Options(until, run.step_budget, seed, jump=jump)
        try:
            outcome = execute(program, options, engine, announce)
        except RunError as error:
            if packets and error.outcome:
                error.packets = Packets(program, error.outcome)
            raise
        if not program.random:
            checks.clear()  # a run that is lengthened takes the place of the one before
        checks.extend(check(program, outcome, certain))
        if recount:
            checks.extend(check_again(program, options, outcome, engine))
        return outcome

    runs = carry_out(run, program, once)
    result = _result(case, program, runs, certain, tuple(checks))
    return replace(result, packets=Packets(program, runs.outcome)) if packets else result


def _check_packets(program: Program, packets: PacketTrace) -> None:
    """Refuse to trace where nothing can be seen."""
    if any(mark.role == ROLE for mark in program.marks):
        return
    if packets.at:
        raise RunError(f"no packets are sent or received by {' or '.join(packets.at)}")
    kinds = [kind for kind, params in workload_kinds().items() if getattr(params, "network", False)]
    raise RunError(f"no IP packets to trace; workloads that send them are {', '.join(kinds)}")


def _result(case: Case, program: Program, runs: Runs, certain: Bound, checks: tuple[Check, ...]) -> CaseResult:
    outcome, span = runs.outcome, runs.spans[0]
    resources = measure.resource_use(program, outcome, span)
    threads = measure.thread_use(program, outcome)
    tallies = measure.tallies(program, outcome)
    tightest = certain.tightest
    return CaseResult(
        index=case.index,
        settings=dict(case.settings),
        status=outcome.status.name.lower(),
        end=outcome.end,
        throughput=span,
        rate=runs.rate,
        half_width=runs.half_width,
        bound=certain.rate(),
        bound_by=tightest.name if tightest else "",
        streams=measure.stream_rates(program, outcome, span),
        limiter=limiter(resources, threads, tallies, outcome.end),
        resources=resources,
        containers=measure.container_use(program, outcome),
        threads=threads,
        observations=measure.observations(program, outcome, span),
        tallies=tallies,
        timeline=measure.timeline(program, outcome),
        measured=case.measured,
        hash=program_hash(program),
        seeds=runs.seeds,
        events=runs.events,
        steps=runs.steps,
        checks=checks,
        precision=runs.precision,
    )


def used_values(scenario: Scenario) -> dict[str, Origin]:
    """Origin of each value of the catalogue that the scenario's parts have, by 'model: value'.

    Protocol stacks count where a workload goes over the network.
    """
    found: dict[str, Origin] = {}
    for case in scenario.cases:
        networked = any(workload.params.network for workload in case.system.workloads.values())
        for part in parts(case.system):
            if part.category != "stack" or networked:
                found |= {f"{part.model}: {name}": origin for name, origin in part.origins.items()}
    return found


def fitted_values(scenario: Scenario) -> tuple[str, ...]:
    """Values with basis 'fitted' that the scenario's parts use, as 'model: value', each once."""
    return tuple(name for name, origin in used_values(scenario).items() if origin.basis == "fitted")


def parts(system: System) -> Iterator[Part]:
    """Every part of a system."""
    for host in system.hosts.values():
        yield from _host_parts(host)
    for disk in system.disks.values():
        yield from (part for part in (disk.part, disk.file_system) if part)
    for volume in system.volumes.values():
        yield from (part for part in (volume.file_system, volume.controller) if part)
    yield from (switch.part for switch in system.switches.values())
    yield from (link.part for link in system.links)


def _host_parts(host: Host) -> Iterator[Part]:
    yield from (host.part, host.cpu, host.memory, host.kernel, *host.buses.values())
    if host.stack is not None:
        yield host.stack
    for adapter in host.adapters.values():
        yield adapter.part
