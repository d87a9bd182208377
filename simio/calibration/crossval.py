"""Cross-validation: rows are left out, the values fitted to the others, and what was left out is predicted.

The refit is linear: from the fitted point and its Jacobian, Gauss-Newton steps with the weights of the robust loss
give the values without the rows; these alone are then simulated with them. Directions that the remaining rows do not
determine are not moved along. A refit by search, for comparison, is `refitted`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simio.calibration.covariance import FLAT
from simio.calibration.fitting import Fit, axes_of, median_error
from simio.calibration.model import run_of
from simio.calibration.search import LOSS_SCALE, BestPoint
from simio.errors import SimioError, quote
from simio.studies.rows import Row

Vector = NDArray[np.float64]

ROUNDS = 8
"""Rounds of weighing rows anew by the robust loss; it settles after a few."""
FARTHEST = np.log(2)
"""No value moves by more than a factor of two: so far linear theory is not to be trusted."""
SEED = 1


@dataclass(frozen=True)
class CrossValidation:
    """Residuals log(simulated / measured) of `rows`: `fitted` to all, and `left_out`, each by a fit without it.

    Both fits are made by the same steps.
    """

    rows: tuple[Row, ...]
    fitted: Vector
    left_out: Vector
    folds: int

    @property
    def medians(self) -> tuple[float, float]:
        """Median absolute relative errors, fitted and left out."""
        return median_error(self.fitted), median_error(self.left_out)


def folds_of(fit: Fit, how: str) -> list[list[int]]:
    """Indices of rows that are left out together: `each` run in turn, a number of folds, or each `table`.

    Rows of one run always go together; more folds than runs are as many as runs. Raises SimioError for anything else,
    and where nothing would be left.
    """
    check_folds(how)
    model = fit.problem.model
    if how == "table":
        groups = [row.table for row in model.rows]
    else:
        runs = {run: number for number, run in enumerate(dict.fromkeys(map(run_of, model.rows)))}
        order = np.random.default_rng(SEED).permutation(len(runs))
        number = len(runs) if how == "each" else min(int(how), len(runs))
        groups = [str(order[runs[run_of(row)]] % number) for row in model.rows]
    found = [[i for i, group in enumerate(groups) if group == name] for name in dict.fromkeys(groups)]
    if len(found) < 2:
        raise SimioError("nothing is left to fit to when the only table is left out")
    return found


def check_folds(how: str) -> None:
    """Raise SimioError for what is no way to leave rows out."""
    number = int(how) if how.isascii() and how.isdigit() else 0
    if how not in ("each", "table") and number < 2:
        raise SimioError(f"--cross-validate: found {quote(how)}; expected each, table, or a number from 2 up")


def cross_validate(
    fit: Fit, how: str, refit: Callable[[Fit, Sequence[int]], Vector] | None = None
) -> CrossValidation:
    """Leave out each fold, refit without it (by `stepped`, or as given), and simulate what was left out."""
    model, solve = fit.problem.model, refit or stepped
    left_out = np.zeros(len(model.rows))
    folds = folds_of(fit, how)
    for fold in folds:
        left_out[fold] = model.residuals(solve(fit, fold), fold)
    fitted = model.residuals(solve(fit, ()))
    return CrossValidation(tuple(model.rows), fitted, left_out, len(folds))


def stepped(fit: Fit, without: Sequence[int]) -> Vector:
    """The point that fits all rows but these, by linear theory."""
    model, axes = fit.problem.model, axes_of(fit.problem.values)
    kept = np.ones(len(model.rows), dtype=bool)
    kept[list(without)] = False
    slopes, residuals, weights = fit.jacobian[kept], fit.residuals[kept], model.weights[kept]
    reach = fit.determination.scale
    step = np.zeros(slopes.shape[1])
    for _ in range(ROUNDS):
        now = np.sqrt(weights) * (residuals + slopes @ step)
        roots = np.sqrt(weights / np.sqrt(1 + np.square(now / LOSS_SCALE)))
        step = np.clip(_solved(roots[:, None] * slopes, -roots * residuals, reach), -FARTHEST, FARTHEST)
    return axes.inside(fit.point + step)


def _solved(matrix: Vector, target: Vector, scale: float) -> Vector:
    """Least squares along the directions that the rows determine to a factor of two, one standard deviation."""
    left, singular, right = np.linalg.svd(matrix, full_matrices=False)
    strong = singular * FLAT > scale
    inverse = np.where(strong, 1 / np.where(strong, singular, 1.0), 0.0)
    solved: Vector = right.T @ (inverse * (left.T @ target))
    return solved


def refitted(fit: Fit, without: Sequence[int]) -> Vector:
    """The point that fits all rows but these, by search from the fitted point: slow, to judge `stepped` by."""
    model, axes = fit.problem.model, axes_of(fit.problem.values)
    kept = [index for index in range(len(model.rows)) if index not in set(without)]

    def residuals(point: Vector) -> Any:
        return model.residuals(point, kept)

    return BestPoint(residuals, model.weights[kept], axes).run(fit.point)
