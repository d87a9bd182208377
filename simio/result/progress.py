"""Bytes delivered by equally distant instants, for a curve of throughput over time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from simio.engines.outcome import Outcome
from simio.program.service import SECOND
from simio.program.steps import Program
from simio.result import measure
from simio.result.model import Throughput
from simio.result.recorded import DeliveredBytes

MOST = 128
"""Largest number of intervals from the start of a run to the end of the measured span."""
APART = 4
"""Least mean number of deliveries in an interval of the measured span."""


def progress_of(program: Program, outcome: Outcome, span: Throughput, most: Fraction | None = None) -> DeliveredBytes:
    """The progress of a run to the end of the measured span, in intervals that divide the span evenly.

    The bytes of a delivery are taken to have accrued evenly since the delivery before of its stream, as they are for
    the throughput of the span. Blocks that several streams finish at once so make no peak that nothing has carried.
    What would exceed `most` bytes a second, the bound, was on its way in the interval before.
    """
    edges = _edges(span)
    totals = np.zeros(len(edges))
    marks = measure.marks(program, outcome, "delivered")
    if len(marks) and len(edges) > 1:
        totals = _accrued(marks, edges)
        if most is not None:
            totals = _bounded(totals, edges, float(most) / SECOND)
    return DeliveredBytes(tuple(edges.tolist()), tuple(totals.tolist()))


def _edges(span: Throughput) -> NDArray[np.int64]:
    """Instants in ps, from 0 to the end of the span; the start of the span is one of them."""
    length = span.until - span.since
    if length <= 0:
        return np.zeros(1, dtype=np.int64)
    inside = min(max(span.deliveries // APART, 1), max(MOST * length // span.until, 1))
    before = min(-(-span.since * inside // length), MOST)
    found = {
        *(span.since * step // before for step in range(before)),
        *(span.since + length * step // inside for step in range(inside + 1)),
    }
    return np.array(sorted(found), dtype=np.int64)


def _accrued(marks: NDArray[np.int64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Bytes at each edge: those delivered, and the share of each delivery that is under way."""
    times, rows, amounts = marks[np.argsort(marks[:, 1], kind="stable")].T
    # All that a stream delivers at one instant is one delivery.
    anew = np.flatnonzero(np.concatenate(([True], (rows[1:] != rows[:-1]) | (times[1:] != times[:-1]))))
    times, rows, amounts = times[anew], rows[anew], np.add.reduceat(amounts, anew)
    begins = np.concatenate(([0], np.where(rows[1:] == rows[:-1], times[:-1], 0)))
    rates = amounts / np.maximum(times - begins, 1)
    first, last = np.searchsorted(edges, begins), np.searchsorted(edges, times)

    def summed(places: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.cumsum(np.bincount(places, values, len(edges) + 1)[:-1], dtype=np.float64)

    done = summed(last, amounts.astype(float))
    under_way = summed(first, rates) - summed(last, rates)
    offsets = summed(first, rates * begins) - summed(last, rates * begins)
    return done + under_way * edges - offsets


def _bounded(totals: NDArray[np.float64], edges: NDArray[np.int64], most: float) -> NDArray[np.float64]:
    """Bytes at each edge, of which no interval carries more than `most` a ps: the rest came earlier, as it could."""
    found = totals.copy()
    for place in range(len(edges) - 2, -1, -1):
        least = found[place + 1] - most * (edges[place + 1] - edges[place])
        found[place] = max(found[place], least)
    found[0] = totals[0]
    return found
