"""A word that several threads read and change."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines import variable
from simio.machines.door import Called, call


@pytest.fixture
def state() -> np.ndarray:
    """A word behind another one, which nothing may touch."""
    return np.array([7, 0], dtype=np.int64)


def ask(state: np.ndarray, function: Called, *values: int) -> list[int]:
    answers = [int(call(function, state, 1, 0, value)) for value in values]
    assert state[0] == 7
    return answers


def test_a_swap_gives_the_value_before(state: np.ndarray) -> None:
    assert ask(state, variable.swap, 1, 1, 0, 0) == [0, 1, 1, 0]


def test_adding_gives_the_value_before(state: np.ndarray) -> None:
    assert ask(state, variable.add, 0, 2, 3, 0) == [0, 0, 2, 5]


def test_the_maximum_gives_the_value_behind(state: np.ndarray) -> None:
    assert ask(state, variable.maximum, 0, 5, 3, 9) == [0, 5, 5, 9]
    assert ask(state, variable.load, 0) == [9]


@pytest.mark.parametrize("function", [variable.add, variable.maximum])
def test_less_than_nothing_is_refused(state: np.ndarray, function: Called) -> None:
    assert ask(state, function, -1) == [-1]
    assert state.tolist() == [7, 0]
