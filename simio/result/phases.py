"""Notes on a run whose parts differ: work that ended early, use that changes, and runs far from their mean."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from simio import units
from simio.engines.outcome import Outcome, Status
from simio.program.steps import Program
from simio.result import measure, usage
from simio.result.model import Throughput
from simio.wording import grouped

EARLY = 2
"""Times the part of a measured span with a stream of deliveries, from which the whole span is told to be longer."""
BATCHES = 8
"""Equal parts of each half of a measured span."""
LEAST, CHANGE = 0.02, 0.25
"""Changes of a utilisation from half to half that are told: at least so much, and so great a share of their mean."""
ERRORS = 5.0
"""Standard errors of the difference of the halves' means, by their batches, from which a change is no chance."""
FAR = 0.25
"""Share of the mean by which the first of several runs differs from it where its limit may be another than theirs."""


def ended_early(program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """A note on the streams of deliveries that ended long before the measured span did, where all work was done.

    None where all did, as the time of the work behind them is told elsewhere, nor for those of a run that was cut
    off: `measure.throughput` leaves out the time after them.
    """
    if outcome.status != Status.DONE or span.until <= span.since:
        return []
    last = [(name, int(times[-1])) for name, times, _ in measure.streams(program, outcome, "delivered")]
    early = [each for each in last if EARLY * (each[1] - span.since) < span.until - span.since]
    found: list[str] = []
    if len(early) == len(last):
        return found
    for label, same in grouped(early, lambda each: each[0]):
        latest = max(at for _, at in same)
        told = f"{label} had delivered all by {units.format_quantity(latest, 'time')}"
        if latest <= span.since:
            found.append(f"{told}, before the part that is averaged: the throughput is without it")
        else:
            share = (latest - span.since) / (span.until - span.since)
            found.append(f"{told}, {share:.0%} of the part that is averaged: rates and use are means over all of it")
    return found


def unsteady(program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """A note on the parts whose use changes most from the first half of the measured span to the second.

    Parts whose names differ only in digits count together, since work that moves from one to another is steady.
    None where the time limit did not end the run: other runs are of the work as a whole.
    """
    length, batches = span.until - span.since, 2 * BATCHES
    rows = int(np.count_nonzero((outcome.times >= span.since) & (outcome.times < span.until)))
    if outcome.status != Status.UNTIL or rows <= batches:
        return []
    edges = [span.since + length * number // batches for number in range(batches + 1)]
    names, uses = _uses(program, outcome, edges)
    found: list[tuple[float, str, float, float]] = []
    for label, parts in grouped(enumerate(names), lambda part: part[1]):
        together = uses[:, [row for row, _ in parts]].mean(axis=1)
        before, after = float(together[:BATCHES].mean()), float(together[BATCHES:].mean())
        # The variance by differences of neighbours, to which a drift adds little (J. von Neumann et al., Annals of
        # Mathematical Statistics 12(2), 1941).
        noise = float((np.diff(together) ** 2).mean()) / 2
        change, error = abs(after - before), sqrt(2 * noise / BATCHES)
        if change >= max(LEAST, CHANGE * (before + after) / 2, ERRORS * error):
            found.append((change, label, before, after))
    if not found:
        return []
    _, label, before, after = max(found)
    return [
        f"no steady state: {label} busy for {before:.0%} of the first half of the part that is averaged, and for "
        f"{after:.0%} of the second; a longer run (run.until), averaged later (run.warm_up), shows where that ends"
    ]


def _uses(program: Program, outcome: Outcome, edges: list[int]) -> tuple[list[str], NDArray[np.float64]]:
    """Names of resources but for locks, and of servers inside machines; their utilisations between instants in ps.

    A row for each two edges, a column for each name.
    """
    rows = [row for row, resource in enumerate(program.resources) if not resource.lock]
    gauges = [(row, gauge) for row, gauge in enumerate(program.gauges) if gauge.servers]
    names = [program.resources[row].name for row in rows] + [gauge.name for _, gauge in gauges]
    servers = [program.resources[row].units for row in rows] + [gauge.servers for _, gauge in gauges]
    spans = [Throughput(0, since, until, 0) for since, until in pairwise(edges)]
    busy = np.array([usage.areas_between(outcome, span)[::2][rows] for span in spans])
    worked = [
        np.diff(usage.at_instants(outcome, edges, outcome.samples[:, row - len(program.gauges)], 0, last))
        for row, last in ((row, int(outcome.state[gauge.at])) for row, gauge in gauges)
    ]
    return names, np.column_stack([busy, *worked]) / np.outer(np.diff(edges), servers)


def unlike(spans: tuple[Throughput, ...]) -> list[str]:
    """A note where the first of several runs is far from their mean: what is shown of parts is of the first alone."""
    rates = [float(span.rate) for span in spans]
    mean = sum(rates) / len(rates)
    if not mean or abs(rates[0] - mean) <= FAR * mean:
        return []
    low, high = min(rates) / mean, max(rates) / mean
    return [
        f"the {len(rates)} runs differ, from {low:.0%} to {high:.0%} of their mean: what limits is of the first, "
        f"which carried {rates[0] / mean:.0%}; --set run.seed and run.replications=1 show another"
    ]
