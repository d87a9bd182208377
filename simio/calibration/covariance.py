"""Determination of fitted values by rows: covariance, intervals, correlations and flat directions.

All of it is linear theory at the fitted point, in the logarithms of the values (Seber and Wild, Nonlinear Regression,
1989, sections 2.1 and 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

LEVEL = 0.90
"""Probability of all intervals."""
CORRELATED = 0.95
"""Values correlated above this cannot be separated."""
FLAT = math.log(2)
"""A direction is flat where the values may move along it by a factor of two within the interval."""
SHARE = 0.3
"""The least share of a value in a flat direction for the value to be named."""
TINY = 1e-9


@dataclass(frozen=True)
class Determination:
    """The estimate of the values, in their order.

    `scale` is the standard deviation of a residual, on `freedom` degrees of freedom (independent runs less values);
    `half` half of the interval of each value's logarithm; `correlation` that of their estimates; `flat` the values of
    each flat direction and `correlated` the pairs that the rows cannot separate.
    """

    scale: float
    freedom: int
    covariance: Vector
    half: Vector
    correlation: Vector
    flat: tuple[tuple[int, ...], ...]
    correlated: tuple[tuple[int, int], ...]


def quantile(freedom: int) -> float:
    """The factor of a standard deviation that gives an interval of `LEVEL`, by Student's t."""
    from scipy.stats import t

    return float(t.ppf(0.5 + LEVEL / 2, max(freedom, 1)))


def determination(jacobian: Vector, residuals: Vector, weights: Vector, runs: int) -> Determination:
    """The determination from the unweighted Jacobian and residuals at the fitted point.

    `runs` is the number of independent observations.

    The covariance is s^2 (J' W J)^-1 with s^2 = r' W r / (runs - values), from the singular values of W^1/2 J.
    """
    roots = np.sqrt(weights)
    weighted = roots[:, None] * jacobian
    freedom = max(runs - jacobian.shape[1], 1)
    scale = math.sqrt(float(np.sum(weights * residuals**2)) / freedom)
    _, singular, directions = np.linalg.svd(weighted, full_matrices=False)
    kept = np.maximum(singular, TINY)
    covariance = scale**2 * (directions.T / kept**2) @ directions
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.maximum(deviation, 1e-300)
    correlation = covariance / np.outer(safe, safe)
    reach = quantile(freedom)
    return Determination(
        scale,
        freedom,
        covariance,
        reach * deviation,
        correlation,
        _flat(singular, directions, reach * scale),
        _correlated(correlation),
    )


def _flat(singular: Vector, directions: Vector, reach: float) -> tuple[tuple[int, ...], ...]:
    found = []
    for strength, direction in zip(singular, directions, strict=True):
        if reach > FLAT * strength:
            members = tuple(int(i) for i in np.flatnonzero(np.abs(direction) >= SHARE))
            found.append(members)
    return tuple(found)


def _correlated(correlation: Vector) -> tuple[tuple[int, int], ...]:
    count = len(correlation)
    pairs: Sequence[tuple[int, int]] = [(i, k) for i in range(count) for k in range(i + 1, count)]
    return tuple(pair for pair in pairs if abs(correlation[pair]) > CORRELATED)
