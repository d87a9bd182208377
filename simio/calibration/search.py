"""Least squares of a simulator: several starts, steps that its discreteness does not swallow, robust loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Residuals = Callable[[Vector], Vector]

LOSS_SCALE = 0.05
"""Residuals above this weigh less than by their square (soft_l1): one row missed by 30 % must not bend all others."""
DESCENTS = 3
"""Starts that are followed down, the values as they are among them."""
SCREENED = 4
"""Points of the Latin hypercube a value, of which the best become starts."""
POLISH = (1.0, 0.5, 0.25)
"""Steps of the last search along each axis, in steps of the finite differences."""
TOLERANCE = 1e-3
MOST_STEPS = 12


@dataclass(frozen=True)
class Axes:
    """The space that is searched, in logarithms: bounds, and the step of finite differences on each axis."""

    lower: Vector
    upper: Vector
    steps: Vector

    def inside(self, point: Vector) -> Vector:
        """The nearest point between the bounds."""
        return np.clip(point, self.lower, self.upper)


class BestPoint:
    """The best point that was found so far, so that an interrupt has something to say."""

    def __init__(
        self, residuals: Residuals, weights: Vector, axes: Axes, seed: int = 1, descents: int = DESCENTS
    ) -> None:
        self._residuals, self.axes, self.seed, self.descents = residuals, axes, seed, descents
        self.roots = np.sqrt(weights)
        self.best: Vector | None = None
        self.cost = np.inf
        self.evaluations = 0
        self.starts = 0

    def residuals(self, point: Vector) -> Vector:
        """Weighted residuals; the best point is remembered."""
        found = self.roots * self._residuals(point)
        self.evaluations += 1
        cost = robust_cost(found)
        if cost < self.cost:
            self.best, self.cost = point.copy(), cost
        return found

    def run(self, start: Vector) -> Vector:
        """The best point from `start` and from a Latin hypercube between the bounds (McKay, Beckman, Conover, 1979).

        From each start a trust region method (scipy's least_squares, 'trf', loss 'soft_l1') goes down; a search along
        the axes ends it, since near the best the differences of a discrete simulator say little.
        """
        # The values as they are come first: an interrupt may then have nothing better, but never something worse.
        self.residuals(self.axes.inside(start))
        for point in [start, *self._screened(start)]:
            self._descend(point)
            self.starts += 1
        assert self.best is not None
        for share in POLISH:
            self._along_axes(share)
        return self.best

    def _screened(self, start: Vector) -> list[Vector]:
        if self.descents == 1:
            return []
        from scipy.stats import qmc

        axes = self.axes
        points = qmc.LatinHypercube(len(start), rng=self.seed).random(SCREENED * len(start))
        candidates = [axes.lower + point * (axes.upper - axes.lower) for point in points]
        costs = [robust_cost(self.residuals(point)) for point in candidates]
        order = np.argsort(costs, kind="stable")[: self.descents - 1]
        return [candidates[index] for index in order]

    def _descend(self, start: Vector) -> None:
        from scipy.optimize import least_squares

        axes = self.axes
        margin = 1e-6 * (axes.upper - axes.lower)
        least_squares(
            self.residuals,
            np.clip(start, axes.lower + margin, axes.upper - margin),
            jac=lambda point: jacobian(self.residuals, point, axes, central=False),
            bounds=(axes.lower, axes.upper),
            loss="soft_l1",
            f_scale=LOSS_SCALE,
            ftol=TOLERANCE,
            xtol=TOLERANCE,
            gtol=TOLERANCE,
            max_nfev=MOST_STEPS,
        )

    def _along_axes(self, share: float) -> None:
        for axis, step in enumerate(self.axes.steps):
            for sign in (1.0, -1.0):
                assert self.best is not None
                trial = self.best.copy()
                trial[axis] += sign * share * step
                self.residuals(self.axes.inside(trial))


def robust_cost(weighted: Sequence[float] | Vector) -> float:
    """The sum that is made least: of 2 s^2 (sqrt(1 + (r / s)^2) - 1), s being `LOSS_SCALE`."""
    ratio = np.square(np.asarray(weighted) / LOSS_SCALE)
    return float(2 * LOSS_SCALE**2 * np.sum(np.sqrt(1 + ratio) - 1))


def jacobian(residuals: Residuals, point: Vector, axes: Axes, central: bool = True) -> Vector:
    """Differences of the residuals over steps of a few per cent; one-sided near a bound."""
    point = axes.inside(point)
    here = None if central else residuals(point)
    columns = []
    for axis, step in enumerate(axes.steps):
        ahead, behind = point.copy(), point.copy()
        ahead[axis] = min(point[axis] + step, axes.upper[axis])
        behind[axis] = max(point[axis] - step, axes.lower[axis])
        if here is not None:
            far = ahead if ahead[axis] - point[axis] >= step / 2 else behind
            columns.append((residuals(far) - here) / (far[axis] - point[axis]))
        else:
            columns.append((residuals(ahead) - residuals(behind)) / (ahead[axis] - behind[axis]))
    return np.stack(columns, axis=1)
