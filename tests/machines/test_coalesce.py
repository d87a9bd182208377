"""Batches that fill or expire."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines import coalesce
from simio.machines.door import call


def asked(state: np.ndarray, function: int, a: int = 0) -> int:
    return int(call(function, state, 1, 0, a, 0))


def test_a_full_batch_begins_the_next() -> None:
    state = np.array([7, 0, 0], dtype=np.int64)
    assert [asked(state, coalesce.arrive, 3) for _ in range(4)] == [1, 2, 3, 1]
    assert asked(state, coalesce.batch) == 1


def test_each_member_of_a_batch_of_one_is_one() -> None:
    state = np.array([7, 0, 0], dtype=np.int64)
    assert [asked(state, coalesce.arrive, 1) for _ in range(2)] == [1, 1]
    assert asked(state, coalesce.batch) == 2


def test_only_the_present_batch_expires() -> None:
    state = np.array([7, 0, 0], dtype=np.int64)
    for _ in range(5):
        asked(state, coalesce.arrive, 3)
    assert asked(state, coalesce.expire, 0) == 0
    assert asked(state, coalesce.expire, 1) == 2
    assert asked(state, coalesce.expire, 1) == 0
    assert asked(state, coalesce.batch) == 2
    assert asked(state, coalesce.arrive, 3) == 1


@pytest.mark.parametrize("count", [0, -1])
def test_a_batch_of_nothing_is_refused(count: int) -> None:
    assert asked(np.array([7, 0, 0], dtype=np.int64), coalesce.arrive, count) == -1
