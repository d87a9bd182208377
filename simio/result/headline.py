"""The throughput that a run reports: over its steady part, or over the whole where that is the truer answer.

A steady part that is less than half of the run is none (K. P. White, Simulation 69(6), 1997: a truncation point in
the second half means that the run was too short), and neither is one that carried more than the bound allows: its
bytes were under way, or in a cache, before it began. The whole run is reported then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from simio import units
from simio.bound import Bound, Cap
from simio.engines.outcome import Outcome, Status
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Throughput

AHEAD = (
    "after the warm-up more was delivered than the bound allows, as part of it was under way or in a cache before: "
    "the whole run is reported"
)
UNDER_WAY = Fraction(1, 100)
"""Share of the bytes of a span that may have been under way when it began, as in a disk's buffer."""
LATER = Fraction(5, 4)
"""Time until all work is done, over that of the last delivery, from which a run says so."""
FEW = 4
"""Deliveries below which a run that was cut off says that it was too short."""


def reported(program: Program, outcome: Outcome, warm: int | str, certain: Bound) -> tuple[Throughput, Cap | None]:
    """The throughput that a run reports, with a `note` where it is not of a steady part, and the bound above it.

    The bound is the tightest that holds for the part reported, None where nothing is certain.
    """
    cut = None if outcome.status == Status.DONE else outcome.end
    span = measure.throughput(program, outcome, warm)
    if not span.note:
        span = replace(span, note=_doubt(program, outcome, span))
    whole = (
        [certain.whole] if cut is None else [certain.whole, certain.cap(), certain.cap(cut), certain.cap(cut, True)]
    )
    part = [certain.whole, certain.cap(), certain.cap(cut)]
    found = None
    if span.since:
        under_way = _under_way(program, outcome, span)
        found = _first((span, *(_trimmed(span, cap, under_way) for cap in part)), part)
    if found is None:
        total = measure.whole(program, outcome) if span.since else span
        note = AHEAD if span.since else span.note
        longest = replace(total, until=outcome.end)
        found = _first((total, longest), whole) or (longest, None)
        found = replace(found[0], note=note), found[1]
    return found


def _first(spans: Iterable[Throughput], caps: Sequence[Cap | None]) -> tuple[Throughput, Cap | None] | None:
    """The first span that one of the bounds allows, and the first bound that does."""
    for span in spans:
        for cap in caps:
            if cap is None or span.rate <= cap.rate:
                return span, cap
    return None


def _trimmed(span: Throughput, cap: Cap | None, under_way: int) -> Throughput:
    """The span without the bytes beyond a bound, if these are no more than were under way when it began."""
    most = floor(cap.rate * (span.until - span.since) / SECOND) if cap else span.amount
    return replace(span, amount=most) if most < span.amount <= most + under_way else span


def _under_way(program: Program, outcome: Outcome, span: Throughput) -> int:
    """Bytes that may have been under way when a span began: a delivery of each stream, or a small share."""
    largest = (np.diff(totals, prepend=0).max() for _, _, totals in measure.streams(program, outcome, "delivered"))
    return max(int(sum(largest)), floor(span.amount * UNDER_WAY))


def _doubt(program: Program, outcome: Outcome, span: Throughput) -> str:
    """The reason why a user would not call the throughput of a span that of the run, or an empty text."""
    if not span.deliveries:
        return ""
    if outcome.status == Status.DONE:
        if outcome.end <= LATER * span.until:
            return ""
        ended, times = units.format_quantity(outcome.end, "time"), outcome.end / span.until
        return (
            "bytes count when they are handed over: the work behind them went on until "
            f"{ended}, {times:.2g} times as long"
        )
    if span.deliveries >= FEW:
        return ""
    took = units.format_quantity(int(measure.deliveries(program, outcome)[0][0]), "time")
    number = "only one delivery" if span.deliveries == 1 else f"only {span.deliveries} deliveries"
    return f"{number} within the run: the first came after {took}. A longer run.until gives a steadier figure"
