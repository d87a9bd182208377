"""Warm-up, percentiles and confidence against cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.result.statistics import confidence, percentile, warm_up


def test_a_transient_is_cut_and_no_more():
    # 20 observations of a start-up at 9, then 80 that alternate around 1: batches of five, of which four differ.
    series = np.array([9.0] * 20 + [0.9, 1.1] * 40)
    assert warm_up(series) == 20


def test_a_steady_series_loses_nothing():
    assert warm_up(np.ones(100)) == 0
    assert warm_up(np.array([0.9, 1.1] * 50)) == 0


def test_rounding_does_not_cut_a_steady_series():
    # No binary fraction: means of what is left differ from the value by rounding, more or less often at random.
    assert warm_up(np.full(345, 146987.14879557)) == 0


def test_short_series_are_looked_at_one_by_one():
    # The first of ten is off; single observations, since there are fewer than fifty.
    assert warm_up(np.array([5.0] + [1.0, 1.01] * 4 + [1.0])) == 1


def test_three_observations_are_too_few_to_judge():
    assert warm_up(np.array([9.0, 1.0, 1.0])) == 0


def test_never_more_than_half_is_cut():
    series = np.r_[np.linspace(10, 1, 90), np.ones(10)]
    assert warm_up(series) <= 50


@given(st.lists(st.floats(0.1, 10), max_size=200))
def test_what_is_cut_is_within_the_first_half(values):
    assert 0 <= warm_up(np.array(values)) <= len(values) / 2


def test_percentiles_are_values_that_occurred():
    assert [percentile(range(1, 101), share) for share in (0.5, 0.9, 0.99, 1.0)] == [50, 90, 99, 100]
    assert percentile([7], 0.5) == 7
    assert percentile([1, 2], 0.5) == 1


def test_confidence_of_five_runs():
    # Mean 3, deviation sqrt(2.5), t of 4 degrees of freedom 2.776: 2.776 * 1.5811 / sqrt(5).
    mean, half = confidence([1, 2, 3, 4, 5])
    assert mean == 3
    assert half == pytest.approx(1.963, abs=1e-3)


def test_confidence_of_many_runs_approaches_the_normal_one():
    # t of 99 degrees of freedom is 1.984.
    values = [0.0, 1.0] * 50
    deviation = np.std(values, ddof=1)
    assert confidence(values)[1] == pytest.approx(1.984 * deviation / 10, rel=2e-3)


def test_one_run_says_nothing_of_its_spread():
    assert confidence([4.0]) == (4.0, float("inf"))
