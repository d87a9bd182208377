"""Notes on a run whose parts differ: work that ended long before the rest, and runs far from their mean."""

from __future__ import annotations

from simio import units
from simio.engines.outcome import Outcome, Status
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Throughput
from simio.wording import grouped

EARLY = 2
"""Times the part of a measured span with a stream of deliveries, from which the whole span is told to be longer."""
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
