"""The runs of a case: one, a number of replications, or those that a precision takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import NamedTuple

from simio.bound import bound
from simio.description.model import Run
from simio.engines.execute import execute
from simio.engines.outcome import SPENT, Options, Outcome, Status
from simio.limits import Bound, Cap
from simio.program.service import SECOND
from simio.program.steps import HORIZON, Program
from simio.result import measure
from simio.result.headline import reported
from simio.result.loads import loads
from simio.result.model import LoadUse, Precision, StreamRate, Throughput
from simio.result.recorded import Observation
from simio.result.request_rate import request_rate, sized
from simio.result.statistics import confidence, correlation

RANDOM_REPLICATIONS = 5
"""Runs of a random scenario that does not say how many; with a precision, the fewest."""
MOST_REPLICATIONS = 100
"""Runs after which a random scenario is not repeated for the sake of a precision, unless it says how many."""
BATCHES = 20
"""Batches that a measured span is divided into."""
LEAST = 5
"""Deliveries that a batch has at least, on average; with fewer, the precision of a run is unknown."""
FIRST = SECOND // 1000
"""Time in ps that a run takes first where it is lengthened until it is precise enough."""

_FIGURE = re.compile(r"[\d.,]+( [munp]?s\b)?")

STOPPED = (*SPENT, Status.INTERRUPTED)
"""Statuses of a run after which there is no further run."""


class Seen(NamedTuple):
    """The streams and observations of one run."""

    streams: tuple[StreamRate, ...]
    observations: tuple[Observation, ...]
    loads: tuple[LoadUse, ...]
    requests: Fraction
    """Requests a second."""

    @classmethod
    def of(cls, program: Program, outcome: Outcome, span: Throughput) -> Seen:
        """The streams, observations, loads and requests of a run's measured span."""
        streams, observations = measure.stream_rates, measure.observations
        return cls(
            sized(streams(program, outcome, span), program, outcome, span),
            observations(program, outcome, span),
            loads(program, outcome, span),
            request_rate(program, outcome, span),
        )


Once = Callable[[int, int], Outcome]
"""Runs a program once, from a seed, up to an instant in ps."""
Wanted = Generator[tuple[int, int], Outcome, "Runs"]
"""Yields what the next run is to be, as `Once` takes it, and is sent its outcome; at last returns all runs."""


@dataclass(frozen=True)
class Runs:
    """The runs of a case: the outcome of the first, the bound on all, and what each delivered and observed.

    `half_width` is half of the 95% confidence interval of the mean in bytes a second, None where one run is all.
    """

    outcome: Outcome
    cap: Cap | None
    spans: tuple[Throughput, ...]
    seen: tuple[Seen, ...]
    seeds: tuple[int, ...]
    events: int
    steps: int
    half_width: float | None
    precision: Precision | None = None

    @cached_property
    def rate(self) -> Fraction:
        """Mean of the runs' throughput, in bytes a second."""
        return sum((span.rate for span in self.spans), Fraction(0)) / len(self.spans)

    @property
    def notes(self) -> list[str]:
        """Notes on the runs' throughputs; one that several share, but for figures, stands once, with their number."""
        alike: dict[str, list[str]] = {}
        for span in self.spans:
            if span.note:
                alike.setdefault(_FIGURE.sub("", span.note), []).append(span.note)
        of = len(self.spans)
        return [
            notes[0] if len(set(notes)) == 1 else f"{notes[0]} (the first of {len(notes)} such runs of {of})"
            for notes in alike.values()
        ]


def seeds_of(run: Run, program: Program) -> tuple[int, ...]:
    """The seed of each replication, with a precision of the most there may be: one where nothing is random."""
    usual = RANDOM_REPLICATIONS if run.precision is None else MOST_REPLICATIONS
    return tuple(run.seed + number for number in range((run.replications or usual) if program.random else 1))


def carry_out(run: Run, program: Program, certain: Bound, once: Once) -> Runs:
    """Run a program, of which `certain` is the bound, as its scenario's `run` wants it."""
    runs = wanted(run, program, certain)
    return completed(runs, once, once(*next(runs)))


def wanted(run: Run, program: Program, certain: Bound) -> Wanted:
    """The runs of a program that its scenario's `run` wants; the caller makes them."""
    if run.precision is not None and not program.random:
        return _lengthened(run, program, certain)
    return _repeated(run, program, certain)


def completed(runs: Wanted, once: Once, outcome: Outcome) -> Runs:
    """All runs that are wanted; `outcome` is that of the first."""
    try:
        while True:
            outcome = once(*runs.send(outcome))
    except StopIteration as end:
        found: Runs = end.value
        return found


def settled(run: Run, program: Program, engine: str | None = None) -> Run:
    """The run without a precision: the length and the number of runs that it took."""
    if run.precision is None:
        return run
    runs = carry_out(
        run,
        program,
        bound(program),
        lambda seed, until: execute(program, Options(until, run.step_budget, seed), engine),
    )
    until = runs.outcome.end if runs.outcome.status == Status.UNTIL else run.until
    number = len(runs.seeds) if program.random else run.replications
    return run.model_copy(update={"precision": None, "until": until, "replications": number})


def _repeated(run: Run, program: Program, certain: Bound) -> Wanted:
    """Independent replications: all, or until half of the confidence interval is a small enough share of the mean.

    The sequential procedure of A. M. Law, "Simulation Modeling and Analysis", chapter 9: one replication more until
    the interval is short enough.
    """
    seeds = seeds_of(run, program)
    first, caps, spans, seen, events, steps = None, [], [], [], 0, 0
    width = precision = None
    for seed in seeds:
        outcome = yield seed, HORIZON if run.until is None else run.until
        if first and outcome.status == Status.INTERRUPTED:
            break
        span, cap = reported(program, outcome, run.warm_up, certain)
        first = first or outcome
        caps.append(cap)
        events, steps = events + outcome.events, steps + outcome.steps
        spans.append(span)
        seen.append(Seen.of(program, outcome, span))
        if outcome.status in STOPPED:
            break
        if run.precision is not None and len(spans) >= min(RANDOM_REPLICATIONS, len(seeds)):
            precision = _precision(run, _half_width(spans), _mean(spans))
            if precision.met:
                break
    assert first is not None
    if len(spans) > 1:
        width = _half_width(spans)
    return Runs(
        first, _loosest(caps), tuple(spans), tuple(seen), seeds[: len(spans)], events, steps, width, precision
    )


def _loosest(caps: list[Cap | None]) -> Cap | None:
    """The bound on the mean of runs that have these: some may be allowed more than others, as they were cut off."""
    known = [cap for cap in caps if cap is not None]
    return max(known, key=lambda cap: cap.rate) if len(known) == len(caps) else None


def _lengthened(run: Run, program: Program, certain: Bound) -> Wanted:
    """One run, of twice the time again and again, until it is precise enough or at its end."""
    longest = None
    for until in _horizons(run):
        outcome = yield run.seed, until
        if longest and outcome.status == Status.INTERRUPTED and outcome.end < longest.end:
            outcome = longest
        longest = outcome
        span, cap = reported(program, outcome, run.warm_up, certain)
        width = batch_half_width(program, outcome, span)
        precision = _precision(run, width, float(span.rate))
        if precision.met or outcome.status in (Status.DONE, *STOPPED):
            break
    seen = (Seen.of(program, outcome, span),)
    return Runs(outcome, cap, (span,), seen, (run.seed,), outcome.events, outcome.steps, width, precision)


def _horizons(run: Run) -> Iterator[int]:
    """Instants to run to, each twice the one before, up to the run's own."""
    most = HORIZON if run.until is None else run.until
    until = FIRST
    while until < most:
        if run.warm_up == "auto" or until >= 2 * int(run.warm_up):
            yield until
        until *= 2
    yield most


def batch_half_width(program: Program, outcome: Outcome, span: Throughput) -> float | None:
    """Half of the 95% confidence interval of the throughput in bytes a second, by the means of batches.

    The measured span, from which the warm-up has been taken away, is divided into batches of equal time; from 10 to
    30 serve best (B. Schmeiser, "Batch size effects in the analysis of simulation output", Operations Research 30(3),
    1982). Where a batch's rate is like that of the one before, they say less than as many independent ones would, and
    the interval is the wider, as for a first-order autoregressive process (G. S. Fishman, "Estimating sample size in
    computing simulation experiments", Management Science 18(1), 1971). None where batches had too few deliveries.
    """
    if span.deliveries < BATCHES * LEAST:
        return None
    found = measure.accrued(program, outcome)
    length = span.until - span.since
    edges = [span.since + length * number // BATCHES for number in range(BATCHES + 1)]
    sums = [sum(measure.progress(times, totals, edge) for times, totals in found) for edge in edges]
    rates = [(sums[at + 1] - sums[at]) * SECOND / (edges[at + 1] - edges[at]) for at in range(BATCHES)]
    alike = max(correlation(rates), 0.0)
    return confidence(rates)[1] * sqrt((1 + alike) / (1 - alike))


def _half_width(spans: list[Throughput]) -> float:
    return confidence([float(span.rate) for span in spans])[1]


def _mean(spans: list[Throughput]) -> float:
    return sum(float(span.rate) for span in spans) / len(spans)


def _precision(run: Run, width: float | None, mean: float) -> Precision:
    assert run.precision is not None
    reached = width / mean if width is not None and mean and width < float("inf") else None
    return Precision(float(run.precision), reached)
