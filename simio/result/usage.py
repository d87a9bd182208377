"""Use of the parts of a run: of resources, of servers inside machines, of containers, threads and pauses; counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simio.engines.outcome import Ints, Outcome
from simio.program.roles import PERIOD_PAUSE, RATE_PAUSE, RECEIVER, TRACE_PAUSE
from simio.program.steps import PROFILED, UNBOUNDED, Program, Tally
from simio.result.model import ContainerUse, Pace, ResourceUse, TallyValue, ThreadUse, Throughput


def resource_use(program: Program, outcome: Outcome, span: Throughput) -> tuple[ResourceUse, ...]:
    """Use of every resource in the measured span, interpolated between rows of the timeline at its ends.

    Those of the program come first, in its order; servers of machines follow. What a machine lets wait for a resource
    counts to the resource's line, and to the most beside those that the resource itself has let wait.
    """
    areas = areas_between(outcome, span).reshape(-1, 2).tolist()
    length = max(span.until - span.since, 1)
    rows = zip(program.resources, areas, outcome.resources[:, 2:5].tolist(), strict=True)
    kept = _lines(program, outcome, span)
    seized = tuple(
        ResourceUse(
            name=resource.name,
            units=resource.units,
            lock=resource.lock,
            utilisation=min(busy / length / resource.units, 1.0),
            mean_line=(line + waited) / length,
            longest_line=longest + most,
            seizes=seizes,
            waits=waits,
        )
        for resource, (busy, line), (seizes, waits, longest) in rows
        for waited, most in [kept.get(resource.name, (0, 0))]
    )
    return seized + tuple(_server_use(program, outcome, span))


def _lines(program: Program, outcome: Outcome, span: Throughput) -> dict[str, tuple[int, int]]:
    """Waits for resources in machines, by resource: ps in the span, all together, and the most at once."""
    found = {}
    for row, gauge in enumerate(program.gauges):
        if gauge.line:
            waited, counted_at, number, most = outcome.state[gauge.at : gauge.at + 4].tolist()
            last = waited + number * (outcome.end - counted_at)
            column = outcome.samples[:, row - len(program.gauges)]
            found[gauge.owner] = _grown(outcome, column, last, span), most
    return found


def _server_use(program: Program, outcome: Outcome, span: Throughput) -> Iterator[ResourceUse]:
    """Use of the servers inside machines, which nothing seizes."""
    length = max(span.until - span.since, 1)
    for row, gauge in enumerate(program.gauges):
        if gauge.servers:
            column = outcome.samples[:, row - len(program.gauges)]
            busy = _grown(outcome, column, int(outcome.state[gauge.at]), span)
            share = min(busy / length / gauge.servers, 1.0)
            yield ResourceUse(gauge.name, gauge.servers, False, share, 0.0, 0, 0, 0)


def areas_between(outcome: Outcome, span: Throughput) -> NDArray[np.float64]:
    """Integrals of each resource's use and of its line over a span, in turn, from the timeline's columns of areas."""
    times = np.concatenate(([0], outcome.times, [outcome.end])).astype(float)
    since, until = (_areas_at(outcome, times, float(instant)) for instant in (span.since, span.until))
    return until - since


def _areas_at(outcome: Outcome, times: NDArray[np.float64], instant: float) -> NDArray[np.float64]:
    """Areas at an instant, on the straight line between two rows of the timeline, which has `times`."""

    def row(number: int) -> NDArray[np.float64]:
        if number == 0:
            return np.zeros(2 * len(outcome.resources))
        if number == len(times) - 1:
            return outcome.resources[:, :2].ravel().astype(float)
        return outcome.samples[number - 1, : 2 * len(outcome.resources)].astype(float)

    before = int(np.searchsorted(times, instant, side="right")) - 1
    low = row(before)
    if before == len(times) - 1 or times[before] == instant:
        return low
    slopes = (row(before + 1) - low) / (times[before + 1] - times[before])
    return slopes * (instant - times[before]) + low


def container_use(program: Program, outcome: Outcome) -> tuple[ContainerUse, ...]:
    """Levels of every container over the whole run."""
    length = max(outcome.end, 1)
    levels = outcome.containers[:, :3].tolist()
    rows = zip(program.containers, outcome.container_area, levels, strict=True)
    return tuple(
        ContainerUse(
            name=container.name,
            unit=container.unit,
            capacity=None if container.capacity == UNBOUNDED else container.capacity,
            mean=area / length,
            lowest=lowest,
            highest=highest,
            end=end,
        )
        for container, area, (end, lowest, highest) in rows
    )


def thread_use(program: Program, outcome: Outcome) -> tuple[ThreadUse, ...]:
    """Own time of the threads that a workload starts with, as a share of the run."""
    numbers = {name: number for number, name in enumerate(program.names)}
    counts: dict[str, int] = {}
    for start in program.starts:
        counts[start.name] = counts.get(start.name, 0) + start.count
    spent = outcome.threads[:, 2].tolist()
    # An engine counts a step that takes time as it begins, so that the one that the time limit cuts off counts whole.
    return tuple(
        ThreadUse(name, count, min(spent[numbers[name]] / max(outcome.end, 1) / count, 1.0))
        for name, count in counts.items()
    )


def pace(program: Program, outcome: Outcome) -> Pace:
    """Waits of loads by themselves: replays as their traces do, senders for their periods; of several, the mean."""
    senders = sum(start.count for start in program.starts if not start.daemon and RECEIVER not in start.name)
    pauses = (
        (TRACE_PAUSE, len(program.feeds), "trace"),
        (PERIOD_PAUSE, senders, "period"),
        (RATE_PAUSE, senders, "rate"),
    )
    for name, number, owner in pauses:
        if number and name in program.names:
            spent = int(outcome.threads[program.names.index(name), 2])
            # As with threads, the pause that the time limit cuts off counts whole.
            return Pace(owner, min(spent / max(outcome.end, 1) / number, 1.0))
    return Pace()


def tallies(program: Program, outcome: Outcome, span: Throughput | None = None) -> tuple[TallyValue, ...]:
    """Counts of machines in the whole run, but for zeros; CPU time by class in `span`, if given."""
    values = outcome.state[[tally.at for tally in program.tallies]].tolist() if program.tallies else []
    for row in [row for row, tally in enumerate(program.tallies) if tally.since >= 0]:
        if begun := waits_since(outcome, program.tallies[row]):
            values[row] += outcome.end - begun
    if span is not None:
        columns = {
            gauge.at: outcome.samples[:, row - len(program.gauges)]
            for row, gauge in enumerate(program.gauges)
            if gauge.what.startswith(PROFILED)
        }
        for row, tally in enumerate(program.tallies if columns else ()):
            if tally.at in columns:
                values[row] = _grown(outcome, columns[tally.at], values[row], span)
    return tuple(
        TallyValue(tally.owner, tally.what, tally.unit, value)
        for tally, value in zip(program.tallies, values, strict=True)
        if value
    )


def waits_since(outcome: Outcome, tally: Tally) -> int:
    """The instant in ps from which on a wait goes on when the run ends; 0 if none does."""
    return int(outcome.state[tally.since]) if tally.since >= 0 else 0


def _grown(outcome: Outcome, column: Ints, last: int, span: Throughput) -> int:
    """Growth of a count in a span, on straight lines between rows of the timeline; `last` is its end."""
    since, until = at_instants(outcome, [span.since, span.until], column, 0, last)
    return round(until - since)


def at_instants(
    outcome: Outcome, instants: Sequence[int], column: Ints, first: int, last: int
) -> NDArray[np.float64]:
    """Values at instants in ps, on straight lines between a column's rows of the timeline, `first` and `last`."""
    times = np.concatenate(([0], outcome.times, [outcome.end]))
    found: NDArray[np.float64] = np.interp(np.asarray(instants), times, np.concatenate(([first], column, [last])))
    return found
