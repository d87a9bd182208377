"""Statistics of simulation output: warm-up, percentiles, confidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

BATCH = 5
"""Observations a batch in MSER-5."""
_T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def warm_up(observations: NDArray[np.float64]) -> int:
    """Number of first observations to discard, by the marginal standard error rule.

    MSER (K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation
    69(6), 1997) cuts where the squared standard error of the mean of the rest is least; MSER-5 (K. P. White,
    M. J. Cobb and S. C. Spratt, Winter Simulation Conference 2000) looks at means of batches of five, as here
    from fifty observations on. No more than half is cut.
    """
    size = BATCH if len(observations) >= 10 * BATCH else 1
    count = len(observations) // size
    if count < 4:
        return 0
    means = observations[: count * size].reshape(count, size).mean(axis=1)
    errors = _squared_errors(means.tolist())[: count // 2 + 1]
    best, cut = np.inf, 0
    for first, error in enumerate(errors):
        if error < best * (1 - 1e-12):
            best, cut = error, first
    return cut * size


def _squared_errors(values: list[float]) -> list[float]:
    """Squared standard errors of the mean of each value and all that follow it.

    The sum of squared deviations grows from the end (B. P. Welford, Technometrics 4(3), 1962).
    """
    found = [0.0] * len(values)
    mean = deviations = 0.0
    for first in range(len(values) - 1, -1, -1):
        number = len(values) - first
        difference = values[first] - mean
        mean += difference / number
        deviations += difference * (values[first] - mean)
        found[first] = deviations / number**2
    return found


def percentile(ordered: Sequence[int] | NDArray[np.int64], share: float) -> int:
    """The smallest value that at least `share` (0 to 1) of the ordered values do not exceed."""
    return int(ordered[max(int(np.ceil(share * len(ordered))) - 1, 0)])


def confidence(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95% confidence interval by Student's t (values independent)."""
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, float("inf")
    deviation = sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    degrees = len(values) - 1
    t = _T95[degrees - 1] if degrees <= len(_T95) else 1.96 + 2.5 / degrees
    return mean, t * deviation / sqrt(len(values))


def correlation(values: Sequence[float]) -> float:
    """Correlation of each value with the one before, from -1 to below 1; 0 where none differs."""
    mean = sum(values) / len(values)
    apart = [value - mean for value in values]
    total = sum(each * each for each in apart)
    return sum(a * b for a, b in pairwise(apart)) / total if total else 0.0
