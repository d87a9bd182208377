"""Histograms of what was observed, on one logarithmic scale for all results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from simio.result.recorded import Distribution, Observation

DECADE = 20
"""Edges a decade: a bin ends 12% above where it begins."""
_DECADES = 18
SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
"""Shares at which tables have a cumulative distribution."""


@cache
def scale() -> NDArray[np.int64]:
    """Edges of all bins, from 0 to 10**18."""
    powers = 10 ** (np.arange(DECADE * _DECADES + 1) / DECADE)
    edges = np.concatenate([[0], np.rint(powers)]).astype(np.int64)
    return edges[np.diff(edges, prepend=-1) > 0]


def distribution(values: NDArray[np.int64], times: NDArray[np.int64] | None = None) -> Distribution:
    """The histogram of values of zero or more, made at its first use; `times` is how often each is there."""
    return Distribution.later(partial(_histogram, values, times))


def _histogram(values: NDArray[np.int64], times: NDArray[np.int64] | None) -> Distribution:
    edges = scale()
    bins = np.searchsorted(edges, values, side="right") - 1
    counts = np.bincount(bins, times, minlength=len(edges)).astype(np.int64)
    used = np.flatnonzero(counts)
    return _cut(counts, int(used[0]), int(used[-1])) if len(used) else Distribution()


def _cut(counts: NDArray[np.int64], first: int, last: int) -> Distribution:
    ends = [*scale()[first : last + 2].tolist()]
    if len(ends) == last - first + 1:  # values beyond the scale
        ends.append(2 * ends[-1])
    return Distribution(tuple(ends), tuple(counts[first : last + 1].tolist()))


def pooled_distribution(runs: Sequence[Distribution]) -> Distribution:
    """The sum of histograms, made at its first use."""
    return Distribution.later(partial(_sum, runs))


def _sum(runs: Sequence[Distribution]) -> Distribution:
    edges = scale()
    counts = np.zeros(len(edges), dtype=np.int64)
    for run in runs:
        if run.counts:
            first = int(np.searchsorted(edges, run.edges[0]))
            counts[first : first + len(run.counts)] += run.counts
    used = np.flatnonzero(counts)
    return _cut(counts, int(used[0]), int(used[-1])) if len(used) else Distribution()


def cumulative(seen: Observation) -> tuple[list[int], list[float]]:
    """Values, and the share of all below each: the edges of bins, from the least value to the largest."""
    edges = [min(max(edge, seen.least), seen.most) for edge in seen.distribution.edges]
    return edges, seen.distribution.shares


def quantile(seen: Observation, share: float) -> float:
    """The value that a share of all does not exceed: exact where a result has it, else on a line within a bin."""
    exact = {0.5: seen.p50, 0.9: seen.p90, 0.95: seen.p95, 0.99: seen.p99, 0.999: seen.p999}
    if share in exact:
        return float(exact[share])
    edges, shares = cumulative(seen)
    if not edges:
        return float("nan")
    below = max((value for known, value in exact.items() if known < share), default=seen.least)
    above = min((value for known, value in exact.items() if known > share), default=seen.most)
    return float(min(max(np.interp(share, shares, edges), below), above))
