"""Histograms of what was observed, on one logarithmic scale for all results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from simio.result.recorded import Distribution

DECADE = 20
"""Edges a decade: a bin ends 12% above where it begins."""
_DECADES = 18


@cache
def scale() -> NDArray[np.int64]:
    """Edges of all bins, from 0 to 10**18."""
    powers = 10 ** (np.arange(DECADE * _DECADES + 1) / DECADE)
    return np.unique(np.concatenate([[0], np.rint(powers)]).astype(np.int64))


def distribution(values: NDArray[np.int64], times: NDArray[np.int64] | None = None) -> Distribution:
    """The histogram of values of zero or more, made when somebody looks at it; `times` is how often each is there."""
    return Distribution.later(partial(_histogram, values, times))


def _histogram(values: NDArray[np.int64], times: NDArray[np.int64] | None) -> Distribution:
    edges = scale()
    bins = np.searchsorted(edges, values, side="right") - 1
    counts = np.bincount(bins, times, minlength=len(edges)).astype(np.int64)
    used = np.flatnonzero(counts)
    return _cut(counts, int(used[0]), int(used[-1])) if len(used) else Distribution()


def _cut(counts: NDArray[np.int64], first: int, last: int) -> Distribution:
    ends = [*scale()[first : last + 2].tolist()]
    if len(ends) == last - first + 1:  # what is beyond the scale
        ends.append(2 * ends[-1])
    return Distribution(tuple(ends), tuple(counts[first : last + 1].tolist()))


def pooled_distribution(runs: Sequence[Distribution]) -> Distribution:
    """The sum of histograms, made when somebody looks at it."""
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


def quantile(seen: Distribution, share: float) -> float:
    """The value that a share of all does not exceed, on a straight line within a bin; NaN of an empty histogram."""
    if not seen.counts:
        return float("nan")
    return float(np.interp(share, seen.shares, seen.edges))
