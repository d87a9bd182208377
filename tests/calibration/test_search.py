"""The search and its judgement, on functions whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simio.calibration.covariance import determination, quantile
from simio.calibration.search import Axes, BestPoint, jacobian

X = np.linspace(1.0, 12.0, 12)
TRUE = np.array([math.log(2.0), math.log(5.0)])


def stairs(point):
    """log of a + b / x, cut to whole per cents: flat almost everywhere, as a simulator may be."""
    a, b = np.exp(point)
    return np.round(100 * np.log(a + b / X)) / 100 - np.log(2.0 + 5.0 / X)


def axes(count=2):
    return Axes(np.full(count, math.log(0.02)), np.full(count, math.log(200.0)), np.full(count, 0.03))


def test_a_function_of_steps_is_searched_to_within_a_step():
    search = BestPoint(stairs, np.ones(12), axes())
    found = search.run(np.array([math.log(60.0), math.log(0.1)]))
    assert np.all(np.abs(np.exp(found - TRUE) - 1) < 0.03)


def test_one_wild_row_does_not_bend_the_others():
    def wild(point):
        found = stairs(point)
        found[5] += 1.0
        return found

    found = BestPoint(wild, np.ones(12), axes()).run(TRUE + 0.5)
    assert np.all(np.abs(np.exp(found - TRUE) - 1) < 0.05)


def test_the_same_search_has_the_same_result():
    runs = [BestPoint(stairs, np.ones(12), axes()).run(TRUE + 1.0) for _ in range(2)]
    assert np.array_equal(*runs)


def test_the_best_so_far_survives_an_interrupt():
    calls = []

    def interrupted(point):
        calls.append(point)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return stairs(point)

    search = BestPoint(interrupted, np.ones(12), axes())
    with pytest.raises(KeyboardInterrupt):
        search.run(TRUE + 0.2)
    assert search.evaluations == 5
    assert np.array_equal(calls[0], TRUE + 0.2)
    best = min(calls[:5], key=lambda point: np.sum(stairs(point) ** 2))
    assert np.array_equal(search.best, best)


def test_steps_stay_between_the_bounds():
    seen = []

    def noted(point):
        seen.append(point.copy())
        return stairs(point)

    space = Axes(TRUE - 0.01, TRUE + 0.5, np.full(2, 0.03))
    jacobian(noted, TRUE, space)
    assert all(np.all(point >= space.lower) and np.all(point <= space.upper) for point in seen)


def test_intervals_are_those_of_linear_regression():
    # y = a + b x with known noise: the textbook's standard errors are s / sqrt(n) and s / sqrt(sum (x - mean)^2).
    slopes = np.stack([np.ones(12), X - X.mean()], axis=1)
    residuals = np.where(np.arange(12) % 2, 0.1, -0.1)
    found = determination(slopes, residuals, np.ones(12), 12)
    scale = math.sqrt(12 * 0.01 / 10)
    assert found.scale == pytest.approx(scale)
    assert found.half[0] == pytest.approx(quantile(10) * scale / math.sqrt(12))
    assert found.half[1] == pytest.approx(quantile(10) * scale / math.sqrt(np.sum((X - X.mean()) ** 2)))
    assert found.flat == ()
    assert found.correlated == ()


def test_rows_of_one_run_count_once():
    slopes, residuals = np.ones((12, 1)), np.full(12, 0.1)
    residuals[::2] = -0.1
    twice = np.repeat(slopes, 2, axis=0), np.repeat(residuals, 2)
    single = determination(slopes, residuals, np.ones(12), 12)
    doubled = determination(*twice, np.full(24, 0.5), 12)
    assert doubled.half == pytest.approx(single.half)


def test_a_flat_direction_names_its_values():
    slopes = np.stack([X, X, np.ones(12)], axis=1) / 10
    found = determination(slopes, np.full(12, 0.05), np.ones(12), 12)
    assert found.flat == ((0, 1),)
    assert found.correlated == ((0, 1),)


def test_student_quantiles_are_those_of_the_tables():
    assert quantile(1) == pytest.approx(6.314, abs=1e-3)
    assert quantile(10) == pytest.approx(1.812, abs=1e-3)
    assert quantile(10**6) == pytest.approx(1.645, abs=1e-3)
