"""The demerit figure, against cases worked by hand."""

from __future__ import annotations

from math import sqrt

import pytest

from simio.result import demerit as measures
from simio.sketch import Sketch


def demerit(simulated: list[int], measured: list[int]) -> float:
    return measures.demerit(Sketch(simulated), Sketch(measured))


def test_equal_distributions_have_none() -> None:
    assert demerit([3, 1, 2], [1, 2, 3]) == 0


def test_a_constant_shift_is_its_share_of_the_measured_mean() -> None:
    assert demerit([11, 21, 31], [10, 20, 30]) == pytest.approx(1 / 20)


def test_distances_are_squared_and_averaged() -> None:
    # Quantiles 1 and 5 against 2 and 2: distances 1 and 3, root of (1 + 9) / 2 over a mean of 2.
    assert demerit([5, 1], [2, 2]) == pytest.approx(sqrt(5) / 2)


def test_numbers_may_differ() -> None:
    # Heights 1/3, 1/2, 2/3 and 1: against 4, 4, 8, 8 the steps 3, 6, 6, 9 of widths 1/3, 1/6, 1/6, 1/3.
    expected = sqrt((1**2) / 3 + (2**2) / 6 + (2**2) / 6 + (1**2) / 3) / 6
    assert demerit([3, 6, 9], [4, 8]) == pytest.approx(expected)


def test_which_request_took_how_long_is_of_no_account() -> None:
    assert demerit([1, 9], [9, 1]) == 0


@pytest.mark.parametrize(("simulated", "measured"), [([], [1]), ([1], []), ([1], [0, 0])])
def test_nothing_to_compare_is_refused(simulated, measured) -> None:
    with pytest.raises(ValueError, match="two distributions"):
        demerit(simulated, measured)
