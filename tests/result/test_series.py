"""Series of numbers: sequences like any other, which nobody can change."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import numpy as np
import pytest

from simio.result.series import Series


def test_it_is_the_sequence_of_its_numbers() -> None:
    series: Series[int] = Series(np.array([3, 1, 4, 1, 5]))
    assert (len(series), series[0], series[-1], list(series[1:3])) == (5, 3, 5, [1, 4])
    assert {type(number) for number in (*series, series[2])} == {int}
    assert isinstance(series, Sequence)
    assert series.count(1) == 2


def test_it_is_equal_to_what_has_the_same_numbers() -> None:
    series: Series[float] = Series(np.array([0.5, 2.0]))
    assert series == Series(np.array([0.5, 2.0])) == [0.5, 2.0]
    assert series == (0.5, 2.0)
    assert hash(series) == hash((0.5, 2.0))
    assert series not in (Series(np.array([0.5])), (0.5, 2.5), 0.5)


def test_it_travels_and_stays_as_it_is() -> None:
    numbers = np.arange(12).reshape(3, 4)
    series: Series[int] = Series(numbers[:, 1])
    there = pickle.loads(pickle.dumps(series))
    assert there == series == (1, 5, 9)
    for each in (series, there, series[:2]):
        with pytest.raises(ValueError, match="read-only"):
            each._numbers[0] = 7
