"""Open loads: requests that arrive and requests that are served, and whether the latter keep up.

What arrives faster than it is served waits in a line that grows with the length of the run, and so do its times: a
mean of these says nothing of the system. The line is known to grow where fewer are served than arrive by more than
arrivals vary: their number in a span of a run has a variance of its mean times their index of dispersion (D. R. Cox
and P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, chapter 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from simio import units
from simio.engines.outcome import Outcome, Status
from simio.limits import Cap
from simio.program.service import SECOND
from simio.program.steps import Load, Program
from simio.result.model import LoadUse, Throughput

BATCHES = 20
"""Equal parts of a run over which the dispersion of arrivals is estimated."""
SURE = 3.0
"""Standard deviations of the number of arrivals by which fewer must be served for the line to be called growing."""
SURPLUS = 0.001
"""Share by which more has to be asked for than a bound lets pass, as sizes of requests are those of a sample."""
THIN = 0.05
"""Share of the requests asked for that have to be lacking for a load to be told to end before a run does."""
MOST = 0.9
"""Share of the requests by whose arrival a load is there in full."""
FEW = 10
"""Requests that may be lacking in any case, and mean gaps by which a load may begin late or end early."""


def loads(program: Program, outcome: Outcome, span: Throughput) -> tuple[LoadUse, ...]:
    """Each open load of a program with what was served of it in the measured span."""
    if not program.loads:
        return ()
    rows = {mark.name: row for row, mark in enumerate(program.marks)}
    return tuple(_use(program, outcome, span, load, rows[load.served]) for load in program.loads)


def _use(program: Program, outcome: Outcome, span: Throughput, load: Load, row: int) -> LoadUse:
    """One load, whose requests are recorded by the mark of a `row` as they are served."""
    marks = outcome.records((row,))
    done, arrived = marks[:, 0], marks[:, 0] - marks[:, 2]
    rate = load.rate if load.rate else Fraction(load.users * SECOND, load.think)
    together = program.marks[row].role == "counted"
    finished = outcome.status == Status.DONE and load.rate and not together and len(marks)
    since, until = (span.since, span.until) if together else _own_span(load, marks, span)
    if finished:
        # All that there was has come: streams end one by one, and what comes last is served after it came.
        until = max(int(arrived.max()), min(since + 1, span.until))
        rate = Fraction(int(np.count_nonzero(arrived > since)) * SECOND, until - since)
    length = until - since
    inside = (done > since) & (done <= until)
    served = int(marks[inside, 2].sum() if together else np.count_nonzero(inside))
    over = False
    if row in outcome.condensed:
        served = outcome.condensed[row].count
        over = served == load.count
    expected = float(rate) * length / SECOND
    lacking = expected - served
    noise = sqrt(expected * (1.0 if together else _dispersion(arrived, span)))
    least = max(SURE * noise, FEW)
    lacks = not load.users and not over and length > 0 and lacking > least
    done_rate = served * SECOND / length if length > 0 else 0.0
    done_rate = float(rate) if finished and not lacks else done_rate
    missing = float(rate) - done_rate if lacks else 0.0
    grows, lost = missing, 0.0
    if load.lossy and lacks:
        unsent = _unsent(program, outcome, load, float(rate), since, until)
        # A share within chance counts to the larger part.
        shares = [share if share * length > least * SECOND else 0.0 for share in (unsent, missing - unsent)]
        grows = missing * shares[0] / sum(shares) if any(shares) else 0.0
        lost = missing - grows
    return LoadUse(load.name, float(rate), done_rate, grows, lost, load.users, load.think)


def _unsent(program: Program, outcome: Outcome, load: Load, rate: float, since: int, until: int) -> float:
    """Requests a second of a lossy load that wait for its sender, who is busy: they are not sent, and so not lost."""
    rows = {mark.name: row for row, mark in enumerate(program.marks)}
    sent, received = rows.get(f"{load.name}: sent"), rows.get(load.name, rows.get("delivered"))
    if sent is None or received is None or until <= since:
        return 0.0
    _, totals = outcome.series(received)
    size = int(np.diff(totals, prepend=0).min()) if len(totals) else 0
    if not size:
        return 0.0
    marks = outcome.records((sent,))
    inside = (marks[:, 0] > since) & (marks[:, 0] <= until)
    return max(rate - int(marks[inside, 2].sum()) * SECOND / (until - since) / size, 0.0)


def beyond(
    loads: tuple[LoadUse, ...], program: Program, outcome: Outcome, rate: Fraction, cap: Cap | None
) -> tuple[LoadUse, ...]:
    """The loads; the only one of a run that is cut off grows if it asks for more than the bound `cap` lets pass.

    So much is certain however short the run is, and although arrivals vary by more than what is lacking.
    """
    if cap is None or len(loads) != 1 or len(program.workloads) != 1 or outcome.status != Status.UNTIL:
        return loads
    (load,) = loads
    if load.users or load.overloads or not load.served or not rate:
        return loads
    most = float(cap.rate / rate) * load.served
    return (replace(load, grows=load.offered - most),) if load.offered > (1 + SURPLUS) * most else loads


def ending(program: Program, outcome: Outcome, span: Throughput) -> list[str]:
    """A note on each open load that ends before the measured span does, or thins out as its streams end one by one.

    Rates and use of the span are then lower than while requests arrive as asked for.
    """
    if outcome.status != Status.DONE:
        return []
    rows = {mark.name: row for row, mark in enumerate(program.marks)}
    found = []
    for load in program.loads:
        marks = outcome.records((rows[load.served],))
        counted = program.marks[rows[load.served]].role == "counted"
        if not load.rate or load.lossy or counted or not len(marks) or rows[load.served] in outcome.condensed:
            continue
        arrived = np.sort(marks[:, 0] - marks[:, 2])
        came = int(np.count_nonzero((arrived > span.since) & (arrived <= span.until)))
        expected = float(load.rate) * (span.until - span.since) / SECOND
        most = int(arrived[round(MOST * (len(arrived) - 1))])
        noise = SURE * sqrt(expected * _dispersion(arrived[arrived <= most], span))
        if came and expected - came > max(noise, THIN * expected):
            found.append(
                f"{load.name}: the part that is averaged has {came / expected:.0%} of the requests asked for, as "
                "arrivals thin out or end before it does: rates and use are means over all of it; "
                f"--set run.until={units.format_quantity(most, 'time', digits=3).replace(' ', '')} ends before"
            )
    return found


def _own_span(load: Load, marks: NDArray[np.int64], span: Throughput) -> tuple[int, int]:
    """The part of a span in which a load is there, in ps: from its first arrival, up to its end if all are served.

    A load that begins and ends with the span, but for a few mean gaps, is there all the time.
    """
    done, took = marks[:, 0], marks[:, 2]
    if not len(done) or not load.rate:
        return span.since, span.until
    few = round(FEW * SECOND / load.rate)
    first, last = int((done - took).min()), int(done.max())
    since = first if span.since + few < first < span.until else span.since
    over = len(done) == load.count and since < last < span.until - few
    return since, last if over else span.until


def _dispersion(arrived: NDArray[np.int64], span: Throughput) -> float:
    """Variance over mean of the number of arrivals in equal parts of a span; at least that of Poisson arrivals, 1.

    Of those that came by the last of what was served, as later ones may wait.
    """
    inside = np.sort(arrived[(arrived > span.since) & (arrived <= span.until)])
    if len(inside) < 2 * BATCHES:
        return 1.0
    counts, _ = np.histogram(inside, bins=BATCHES, range=(span.since, int(inside[-1])))
    return max(float(np.var(counts, ddof=1) / np.mean(counts)), 1.0)


def pooled_loads(runs: Sequence[tuple[LoadUse, ...]]) -> tuple[LoadUse, ...]:
    """The means over several runs; a line grows that grew in most of them."""
    found = []
    for same in zip(*runs, strict=True):
        growing, losing = (
            sum(getattr(each, what) > 0 for each in same) * 2 > len(same) for what in ("grows", "lost")
        )
        served = fmean(each.served for each in same)
        missing = same[0].offered - served
        gone = sum(each.lost for each in same) / (sum(each.lost + each.grows for each in same) or 1.0)
        lost = missing * (gone if growing else 1.0) if losing else 0.0
        grows = missing * (1.0 - gone if losing else 1.0) if growing else 0.0
        found.append(replace(same[0], served=served, grows=grows, lost=lost))
    return tuple(found)
