"""One calibration: search, determination, and the values to be written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from simio.calibration.covariance import FLAT, Determination, determination
from simio.calibration.model import run_of
from simio.calibration.problem import FitProblem
from simio.calibration.search import DESCENTS, Axes, BestPoint, jacobian, robust_cost
from simio.calibration.values import CatalogueValue

Vector = NDArray[np.float64]

SEED = 1
"""Seed of the search's starting points."""
BETTER = 0.02
"""Values stay as they are unless the sum that is made least falls by more than this share: less is rounding."""
AT_BOUND = 0.01
"""A value is at a bound when it is nearer to it than this share of the way between the bounds, in the logarithm."""
HARDLY = 0.05
"""Rows hardly change with a value that changes them by less than this share of its own change, root mean square."""
DIGITS = 3
"""Significant digits of what is written."""


@dataclass(frozen=True)
class Judged:
    """A fitted value: its texts before and after, its interval, and the reason if the rows do not determine it."""

    value: CatalogueValue
    was: str
    text: str
    low: str
    high: str
    undetermined: tuple[str, ...]


@dataclass(frozen=True)
class Fit:
    """The outcome: `point` is what `texts` say, with `jacobian` and `residuals`; `before` are those of the start.

    `kept` is True if the values were left as they were, since no others fit better.
    """

    problem: FitProblem
    point: Vector
    texts: tuple[str, ...]
    kept: bool
    jacobian: Vector
    residuals: Vector
    before: Vector
    determination: Determination
    judged: tuple[Judged, ...]
    starts: int
    evaluations: int

    @property
    def median(self) -> tuple[float, float]:
        """Median absolute relative error before and after."""
        return median_error(self.before), median_error(self.residuals)


def axes_of(values: list[CatalogueValue]) -> Axes:
    """The space of some values, in logarithms."""
    ends = [value.limits for value in values]
    lower, upper = np.array([end[0] for end in ends]), np.array([end[1] for end in ends])
    return Axes(lower, upper, np.array([value.step for value in values]))


def median_error(residuals: Vector) -> float:
    """The median of |simulated / measured - 1|."""
    return median(np.abs(np.expm1(residuals)).tolist())


def search_of(problem: FitProblem, descents: int = DESCENTS) -> BestPoint:
    """A search for the values of a problem, not yet begun."""
    model = problem.model
    return BestPoint(model.residuals, model.weights, axes_of(problem.values), SEED, descents)


def fit(problem: FitProblem, search: BestPoint) -> Fit:
    """Search, round the values, and find how well the rows determine them."""
    model, axes = problem.model, search.axes
    was = axes.inside(model.point())
    before = model.residuals(was)
    found = search.run(was)
    texts = model.texts(found, DIGITS)
    point = axes.inside(model.point(texts))
    after = model.residuals(point)
    roots = search.roots
    kept = robust_cost(roots * after) > (1 - BETTER) * robust_cost(roots * before)
    if kept:
        point, after, texts = was, before, tuple(value.written for value in problem.values)
    return _judged(problem, search, point, texts, kept, before, after)


def examine(problem: FitProblem, search: BestPoint) -> Fit:
    """The determination of the values as they are, without a search."""
    point = search.axes.inside(problem.model.point())
    residuals = problem.model.residuals(point)
    texts = tuple(value.written for value in problem.values)
    return _judged(problem, search, point, texts, True, residuals, residuals)


def _judged(
    problem: FitProblem,
    search: BestPoint,
    point: Vector,
    texts: tuple[str, ...],
    kept: bool,
    before: Vector,
    after: Vector,
) -> Fit:
    model, axes = problem.model, search.axes
    slopes = jacobian(model.residuals, point, axes)
    found_out = determination(slopes, after, model.weights, _telling(problem, slopes, after))
    judged = judge(problem, axes, point, texts, slopes, found_out)
    return Fit(
        problem,
        point,
        texts,
        kept,
        slopes,
        after,
        before,
        found_out,
        judged,
        search.starts,
        search.evaluations,
    )


def judge(
    problem: FitProblem,
    axes: Axes,
    point: Vector,
    texts: tuple[str, ...],
    slopes: Vector,
    found: Determination,
) -> tuple[Judged, ...]:
    """Each value with its interval, cut to its bounds, and the reason if the rows do not determine it."""
    names = [value.key for value in problem.values]
    judged = []
    for i, value in enumerate(problem.values):
        ends = (max(point[i] - found.half[i], axes.lower[i]), min(point[i] + found.half[i], axes.upper[i]))
        reasons = _reasons(i, names, axes, point, slopes, found) + _single(problem, slopes[:, i])
        low, high = (value.text(math.exp(end), DIGITS) for end in ends)
        # Rounding must not push an end beyond the value.
        low = texts[i] if value.read(low) > value.read(texts[i]) else low
        high = texts[i] if value.read(high) < value.read(texts[i]) else high
        judged.append(Judged(value, value.written, texts[i], low, high, reasons))
    return tuple(judged)


def _telling(problem: FitProblem, slopes: Vector, residuals: Vector) -> int:
    """The number of independent runs that say something: one inside its measured range, here and beside, does not."""
    silent = (residuals == 0) & ~np.any(slopes, axis=1)
    return len({run_of(row) for row, quiet in zip(problem.model.rows, silent, strict=True) if not quiet})


def _single(problem: FitProblem, slopes: Vector) -> tuple[str, ...]:
    """The remark on a value that acts on one run only, although more have its part."""
    changed = zip(problem.model.rows, slopes, strict=True)
    deciding = {run_of(row): row for row, slope in changed if slope != 0}
    if len(deciding) != 1:
        return ()
    return (f"one run alone changes with it, {next(iter(deciding.values())).name}",)


def _reasons(
    i: int, names: list[str], axes: Axes, point: Vector, slopes: Vector, found: Determination
) -> tuple[str, ...]:
    if not np.any(slopes[:, i]):
        return ("no row changes with it",)
    reasons = []
    others = [[names[k] for k in group if k != i] for group in found.flat if i in group]
    for group in others:
        if group:
            reasons.append(f"only together with {' and '.join(group)}")
        elif math.sqrt(float(np.mean(slopes[:, i] ** 2))) < HARDLY:
            reasons.append("the rows hardly change with it")
    if not reasons and found.half[i] > FLAT:
        reasons.append("its interval is wider than a factor of two either way, as the rows scatter about the fit")
    for pair in found.correlated:
        if i in pair:
            k = pair[0] if pair[1] == i else pair[1]
            reasons.append(f"correlation with {names[k]} {found.correlation[i, k]:+.2f}")
    width = axes.upper[i] - axes.lower[i]
    if min(point[i] - axes.lower[i], axes.upper[i] - point[i]) < AT_BOUND * width:
        reasons.append("at a bound")
    return tuple(reasons)
