"""The throughput that a run reports: over its steady part, or over the whole where that is the truer answer.

A steady part that is less than half of the run is none (K. P. White, Simulation 69(6), 1997: a truncation point in
the second half means that the run was too short), and neither is one that carried more than the bound allows: its
bytes were under way, or in a cache, before it began. The whole run is reported then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np

from simio import units
from simio.engines.outcome import Outcome, Status
from simio.limits import Bound, Cap
from simio.program.roles import INTO_CACHE
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Throughput

AHEAD = (
    "after the warm-up more was delivered than the bound allows, as part of it was under way or in a cache before: "
    "the whole run is reported"
)
HELD = " of the bytes were only in the page cache when the run ended: they have yet to be written back"
REPLACED = " of the bytes were never written back: later writes replaced them in the page cache"
HANDED_OVER = "bytes count when they are handed over: "
BEHIND = "more had been handed over than the bound allows by then: the time of the work behind it counts as well"
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
    span = replace(span, note=_in_cache(program, outcome, span) or span.note or _doubt(program, outcome, span))
    found = None
    if span.since:
        found = _first(_of_part(span, program, outcome, certain, cut), lambda: _caps(certain, cut))
    if found is None:
        total = measure.whole(program, outcome) if span.since else span
        note = AHEAD if span.since else span.note
        longest = replace(total, until=outcome.end)
        found = _first((total, longest), lambda: _caps_of_whole(certain, cut)) or (longest, None)
        if note.startswith(HANDED_OVER) and found[0].until > total.until:
            note = BEHIND
        found = replace(found[0], note=note), found[1]
    return found


def _caps(certain: Bound, cut: int | None) -> Iterator[Cap | None]:
    """The bounds on a part of a run that ended at `cut`, if it was cut off; the tightest first."""
    yield certain.whole
    yield certain.cap()
    if cut is not None:
        yield certain.cap(cut)


def _caps_of_whole(certain: Bound, cut: int | None) -> Iterator[Cap | None]:
    """The bounds on a run from its start to its end; see `_caps`."""
    if cut is None:
        yield certain.whole
    else:
        yield from _caps(certain, cut)
        yield certain.cap(cut, True)


def _of_part(
    span: Throughput, program: Program, outcome: Outcome, certain: Bound, cut: int | None
) -> Iterator[Throughput]:
    """The span, and then without the bytes beyond each bound that may have been under way when it began."""
    yield span
    under_way = _under_way(program, outcome, span)
    yield from (_trimmed(span, cap, under_way) for cap in _caps(certain, cut))


def _first(
    spans: Iterable[Throughput], caps: Callable[[], Iterator[Cap | None]]
) -> tuple[Throughput, Cap | None] | None:
    """The first span that one of the bounds allows, and the first bound that does."""
    allowed = ((span, cap) for span in spans for cap in caps() if cap is None or span.rate <= cap.rate)
    return next(allowed, None)


def _trimmed(span: Throughput, cap: Cap | None, under_way: int) -> Throughput:
    """The span without the bytes beyond a bound, if these are no more than were under way when it began."""
    most = floor(cap.rate * (span.until - span.since) / SECOND) if cap else span.amount
    return replace(span, amount=most) if most < span.amount <= most + under_way else span


def _under_way(program: Program, outcome: Outcome, span: Throughput) -> int:
    """Bytes that may have been under way when a span began: a delivery of each stream, or a small share.

    Where requests are timed, also the mean of what they have under way (Little's law), of the observation with most.
    """
    largest = (np.diff(totals, prepend=0).max() for _, totals in measure.accrued(program, outcome))
    timed = measure.marks(program, outcome, "latency")
    timed = timed[(timed[:, 0] > span.since) & (timed[:, 0] <= span.until)]
    longest = int(np.bincount(timed[:, 1], weights=timed[:, 2]).max()) if len(timed) and span.deliveries else 0
    at_once = Fraction(longest, span.until - span.since)
    mean = floor(at_once * span.amount / max(span.deliveries, 1))
    return max(int(sum(largest)), floor(span.amount * UNDER_WAY), mean)


def _doubt(program: Program, outcome: Outcome, span: Throughput) -> str:
    """The reason to doubt that the throughput of a span is that of the run; empty without one."""
    if not span.deliveries:
        return ""
    if outcome.status == Status.DONE:
        if outcome.end <= LATER * span.until:
            return ""
        ended, times = units.format_quantity(outcome.end, "time"), outcome.end / span.until
        return f"{HANDED_OVER}the work behind them went on until {ended}, {times:.2g} times as long"
    instants, _ = measure.deliveries(program, outcome)
    first, last = int(instants[0]), int(instants[-1])
    longest = int(np.diff(instants, prepend=0).max())
    silent = outcome.end - last
    # A silence of more than half of the run is a standstill, whose time counts.
    if last >= silent > max(outcome.end - outcome.end / LATER, Fraction(2 * longest)):
        then, end = (units.format_quantity(at, "time") for at in (last, outcome.end))
        return f"nothing was delivered after {then}, though the run went on until {end}: the rate is that until then"
    if span.deliveries >= FEW:
        return ""
    took = units.format_quantity(first, "time")
    number = "only one delivery" if span.deliveries == 1 else f"only {span.deliveries} deliveries"
    return f"{number} within the run: the first came after {took}. A longer run.until gives a steadier figure"


def _in_cache(program: Program, outcome: Outcome, span: Throughput) -> str:
    """Words on the bytes that only a cache had when the run ended, and those that others replaced there before.

    Empty where these are few of all that was delivered.
    """
    if not span.deliveries or not program.ahead:
        return ""
    held = replaced = 0
    counts = {container.name: row for row, container in enumerate(program.containers)}
    for row in program.ahead:
        level, put = (int(outcome.containers[row, column]) for column in (0, 3))
        held += level
        count = counts.get(INTO_CACHE.format(program.containers[row].name))
        # A page is dirty as a whole, of which less may be written.
        replaced += max(int(outcome.containers[count, 0]) - put, 0) if count is not None else 0
    total = measure.whole(program, outcome).amount
    if held + replaced <= total * (1 - 1 / LATER):
        return ""
    # Part of a write() may be in the cache before the write() is done.
    kept, gone = (min(amount / total, 1) for amount in (held, replaced))
    if gone < UNDER_WAY:
        return f"{kept:.0%}{HELD}"
    return f"{gone:.0%}{REPLACED}" + (f", and {kept:.0%} have yet to be" if kept >= UNDER_WAY else "")
