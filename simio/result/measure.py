"""Records of the marks of a run: the bytes delivered, and distributions of all else that was observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simio.engines.outcome import Outcome, Status
from simio.program.service import SECOND
from simio.program.steps import Mark, Program
from simio.result.distribution import distribution
from simio.result.model import StreamRate, Throughput
from simio.result.recorded import Observation
from simio.result.statistics import percentile, warm_up

Ints = NDArray[np.int64]
SHORT = "the run is too short for a steady state: the whole run is reported, with its start"


def throughput(program: Program, outcome: Outcome, warm: int | str) -> Throughput:
    """Bytes delivered in the measured span.

    The span begins at a delivery. With `warm` 'auto' the deliveries before it are those that MSER-5 discards, by the
    time a byte that each took; where that would leave less than half of the time, all is measured, and `note` says
    so. Otherwise the span begins with the first delivery from `warm` ps on, or at 0 where `warm` is 0. It ends at the
    last delivery of all, or where a program says that its work ends, as a close() does; where a time limit cut the
    run off, at the earliest last delivery of a stream. Streams silent in the second half of such a run count as
    ended; where all of them are, although work is left, the silence counts, up to the end of the run. What is
    delivered at once is taken to have accrued evenly since its stream's delivery before, so that streams in step with
    one another do not count double. A run with fewer than two deliveries after the warm-up is measured from its
    start. Where a program says when it begins, as ftp does, the span begins there, unless `warm` is a time.
    """
    times, amounts = deliveries(program, outcome)
    if not len(times):
        return Throughput(0, 0, outcome.end, 0)
    found = accrued(program, outcome)
    begun = _said(program, outcome, "begun")
    until = _until(program, outcome, times, found)
    first = _first_delivery(times, amounts, warm)
    since = int(times[first]) if first >= 0 and times[first] < until else 0
    note = ""
    if begun is not None and begun < until and warm in ("auto", 0):
        since = begun
    elif warm == "auto" and 2 * since > until:
        since, note = 0, SHORT
    return _between(times, found, since, until, note)


def between(program: Program, outcome: Outcome, since: int, until: int) -> Throughput:
    """Bytes delivered from `since` to `until` ps."""
    found = accrued(program, outcome)
    return _between(deliveries(program, outcome)[0], found, since, until)


def _between(times: Ints, found: list[tuple[Ints, Ints]], since: int, until: int, note: str = "") -> Throughput:
    amount = sum(progress(own, totals, until) - progress(own, totals, since) for own, totals in found)
    count = int(np.searchsorted(times, until, "right") - np.searchsorted(times, since, "right"))
    return Throughput(amount, since, until, max(count, 0), note=note)


def whole(program: Program, outcome: Outcome) -> Throughput:
    """All deliveries, from the start of the run to the last of them or the end of the work."""
    times, amounts = deliveries(program, outcome)
    found = accrued(program, outcome)
    until = max(int(times[-1]), _until(program, outcome, times, found))
    return Throughput(int(amounts.sum()), 0, until, len(times))


def _until(program: Program, outcome: Outcome, times: Ints, found: list[tuple[Ints, Ints]]) -> int:
    """The end of the measured span, in ps."""
    last = int(times[-1])
    if outcome.status != Status.DONE:
        if 2 * last < outcome.end:
            return outcome.end
        return min(own for own in [int(own[-1]) for own, _ in found] if 2 * own >= last)
    return max(last, _said(program, outcome, "ended", -1) or 0)


def streams(program: Program, outcome: Outcome, role: str) -> Iterator[tuple[str, Ints, Ints]]:
    """Name, instants (ps) and bytes so far of each stream of a role, but for silent ones."""
    for row, mark in enumerate(program.marks):
        if mark.role == role:
            times, totals = outcome.series(row)
            if len(times):
                yield mark.name, times, totals


def accrued(program: Program, outcome: Outcome) -> list[tuple[Ints, Ints]]:
    """Instants (ps) and bytes so far of each stream of deliveries; streams that are `joined` count as one."""
    rows = [row for row, mark in enumerate(program.marks) if mark.role == "delivered" and row not in program.joined]
    found = [outcome.series(row) for row in rows]
    together = outcome.records(program.joined)
    found.append((np.ascontiguousarray(together[:, 0]), together[:, 2].cumsum()))
    return [each for each in found if len(each[0])]


def progress(times: Ints, totals: Ints, at: int) -> int:
    """Bytes of a stream up to an instant, a delivery having accrued evenly since the one before; whole bytes."""
    index = int(np.searchsorted(times, at, side="right"))
    before, total = (int(times[index - 1]), int(totals[index - 1])) if index else (0, 0)
    if index == len(times):
        return total
    return total + (int(totals[index]) - total) * (at - before) // (int(times[index]) - before)


def stream_rates(program: Program, outcome: Outcome, span: Throughput) -> tuple[StreamRate, ...]:
    """The rate of each stream of bytes, delivered or sent, over the measured span.

    Bytes that the span leaves out, as they were under way when it began (`simio.result.headline`), are left out of
    all deliveries alike. Streams that are `joined` accrue together: their rates come to that of all.
    """
    length = span.until - span.since
    found = _stream_rates(program, outcome, span, length)
    total = sum(stream.rate for stream in found if not stream.sent)
    if not total or (total <= span.rate and not program.joined):
        return found
    return tuple(each if each.sent else each._replace(rate=each.rate * span.rate / total) for each in found)


def _stream_rates(program: Program, outcome: Outcome, span: Throughput, length: int) -> tuple[StreamRate, ...]:
    return tuple(
        StreamRate(
            name,
            Fraction((progress(times, totals, span.until) - progress(times, totals, span.since)) * SECOND, length)
            if length > 0
            else Fraction(0),
            role == "sent",
        )
        for role in ("delivered", "sent")
        for name, times, totals in streams(program, outcome, role)
    )


def deliveries(program: Program, outcome: Outcome) -> tuple[Ints, Ints]:
    """Instants (ps) at which bytes were delivered, each once, and the bytes delivered then."""
    return outcome.instants(_rows(program, "delivered"))


def delivered(program: Program, outcome: Outcome) -> int:
    """All bytes that were delivered."""
    return sum(int(totals[-1]) for _, _, totals in streams(program, outcome, "delivered"))


def _said(program: Program, outcome: Outcome, role: str, which: int = 0) -> int | None:
    """The first instant (ps), or another, of a mark of a role that says what a program is measured by, if any."""
    found = marks(program, outcome, role)
    return int(found[which, 0]) if len(found) else None


def marks(program: Program, outcome: Outcome, role: str) -> Ints:
    """Instant (ps), mark and amount of each record by marks of a role, shape (n, 3)."""
    return outcome.records(_rows(program, role))


def _rows(program: Program, role: str) -> list[int]:
    """Rows of the marks of a role."""
    return [row for row, mark in enumerate(program.marks) if mark.role == role]


def _first_delivery(times: Ints, amounts: Ints, warm: int | str) -> int:
    """Index of the delivery at which measuring starts, or -1 for the start of the run."""
    if warm == "auto":
        observations = np.diff(times, prepend=0) / np.maximum(amounts, 1)
        return warm_up(observations) - 1
    if warm == 0:
        return -1
    return int(np.searchsorted(times, warm)) if times[-1] >= int(warm) else -1


def observations(program: Program, outcome: Outcome, span: Throughput) -> tuple[Observation, ...]:
    """Distribution of what every mark recorded in the measured span that is not of bytes on their way, or packets."""
    found = []
    for row, mark in enumerate(program.marks):
        if mark.role in ("delivered", "sent", "counted", "packet", "begun", "ended"):
            continue
        if row in outcome.condensed:
            seen = outcome.condensed[row]
            extremes = seen.least, seen.most
            found.append(_observation(mark, seen.count, seen.mean, extremes, seen.percentile, seen.steps()))
            continue
        rows = outcome.records((row,))
        values = np.sort(rows[rows[:, 0] > span.since, 2])
        if count := len(values):
            mean, extremes = int(values.sum()) / count, (int(values[0]), int(values[-1]))
            found.append(_observation(mark, count, mean, extremes, partial(percentile, values), (values,)))
    return tuple(found)


def _observation(
    mark: Mark,
    count: int,
    mean: float,
    extremes: tuple[int, int],
    percentile_of: Callable[[float], int],
    histogram: tuple[Ints, ...],
) -> Observation:
    """The distribution of what a mark recorded; `histogram` is what `distribution` makes one of."""
    return Observation(
        name=mark.name,
        unit=mark.unit,
        count=count,
        mean=mean,
        least=extremes[0],
        most=extremes[1],
        distribution=distribution(*histogram),
        p50=percentile_of(0.5),
        p90=percentile_of(0.9),
        p95=percentile_of(0.95),
        p99=percentile_of(0.99),
        p999=percentile_of(0.999),
    )
