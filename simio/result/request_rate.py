"""Answers in requests a second, such as IOPS and transactions a second, instead of bytes a second."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from simio import units
from simio.engines.outcome import Outcome
from simio.errors import RunError, quote
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result.model import CaseResult, StreamRate, Throughput
from simio.result.recorded import DeliveredBytes
from simio.result.uncertainty import Interval

BYTES = "MB/s"
"""The unit of bytes a second beside answers in requests."""


def counts_requests(unit: str) -> bool:
    """True for a unit of requests a second, false for one of bytes a second."""
    return units.dimension_of(unit) == "request_rate"


def request_rate(program: Program, outcome: Outcome, span: Throughput) -> Fraction:
    """Requests a second that ended in the measured span: blocks, transactions and others whose times are marked.

    Where a program counts what is done in batches, such as packets, these are the requests.
    """
    length = span.until - span.since
    counted = [row for row, mark in enumerate(program.marks) if mark.role == "counted"]
    if counted and length > 0:
        marks = outcome.records(counted)
        inside = (marks[:, 0] > span.since) & (marks[:, 0] <= span.until)
        return Fraction(int(marks[inside, 2].sum()) * SECOND, length)
    rows = _timed(program)
    if not rows or length <= 0:
        return Fraction(0)
    return Fraction(_ended(outcome, rows, span) * SECOND, length)


def _timed(program: Program) -> list[int]:
    """Rows of the marks that record each request when it ends."""
    return [row for row, mark in enumerate(program.marks) if mark.role == "latency" and mark.unit == "ps"]


def _ended(outcome: Outcome, rows: list[int], span: Throughput) -> int:
    """Requests that marks recorded in a span; where these are too many to keep, in all."""
    marks = outcome.records(rows)
    number = int(np.count_nonzero((marks[:, 0] > span.since) & (marks[:, 0] <= span.until)))
    return number + sum(outcome.condensed[row].count for row in rows if row in outcome.condensed)


def sized(
    streams: tuple[StreamRate, ...], program: Program, outcome: Outcome, span: Throughput
) -> tuple[StreamRate, ...]:
    """The streams with the mean bytes of their requests, as far as marks tell these apart.

    A mark is of the streams whose name begins with its own ('fio: job read' of 'fio: job reads'), else of all of its
    workload ('reads: block' of 'reads: d1' and 'reads: d2').
    """
    if len(streams) < 2 or span.until <= span.since:
        return streams
    rows = {program.marks[row].name: row for row in _timed(program)}
    owners: dict[tuple[int, ...], list[StreamRate]] = {}
    for stream in streams:
        own = [row for name, row in rows.items() if stream.name.startswith(name)]
        workload = stream.name.partition(": ")[0]
        shared = [row for name, row in rows.items() if name.partition(": ")[0] == workload]
        owners.setdefault(tuple(own or shared), []).append(stream)
    sizes: dict[str, Fraction] = {}
    for own_rows, same in owners.items():
        number = _ended(outcome, list(own_rows), span) if own_rows else 0
        if number:
            amount = sum((stream.rate for stream in same), Fraction(0)) * (span.until - span.since) / SECOND
            sizes |= {stream.name: amount / number for stream in same}
    return tuple(stream._replace(size=sizes.get(stream.name)) for stream in streams)


def in_unit_of(result: CaseResult, unit: str) -> CaseResult:
    """The result with all rates in requests a second if that is what `unit` is of, else as it is.

    Bytes a second are divided by the bytes of a request in the mean, those of a stream by those of its own. What is
    sent by no request, as to rebuild a volume, stays in bytes a second. Raises
    RunError where nothing counts requests.
    """
    if not counts_requests(unit):
        return result
    if not result.requests and result.rate:
        raise RunError(
            "no workload of this scenario counts requests that ended in the measured span, so that there are none in "
            f"{quote(unit)}; measure for longer, or give a unit of throughput such as 'MB/s'",
            at="report.unit",
        )
    size = result.rate / result.requests if result.requests and result.rate else Fraction(1)
    span, interval = result.throughput, result.interval
    return replace(
        result,
        request_size=size,
        rate=result.rate / size,
        half_width=None if result.half_width is None else _half_width(result, float(size)),
        bound=None if result.bound is None else result.bound / size,
        streams=tuple(_stream(stream, size) for stream in result.streams),
        throughput=replace(span, amount=round(span.amount / size)),
        progress=DeliveredBytes.later(lambda: _divided(result.progress, float(size))),
        interval=None if interval is None else Interval(interval.low / float(size), interval.high / float(size)),
    )


def _stream(stream: StreamRate, size: Fraction) -> StreamRate:
    """The stream in requests of its own, else of `size` bytes; what no requests make up stays in bytes a second."""
    if stream.sent and stream.size is None:
        return stream._replace(unit=BYTES)
    return stream._replace(rate=stream.rate / (stream.size or size))


def _half_width(result: CaseResult, size: float) -> float:
    """Half of the interval in requests a second: by requests of several runs, or by the bytes of one."""
    own = result.requests_half_width
    return result.half_width / size if own is None and result.half_width is not None else own or 0.0


def _divided(progress: DeliveredBytes, size: float) -> DeliveredBytes:
    return DeliveredBytes(progress.times, tuple(total / size for total in progress.totals))
