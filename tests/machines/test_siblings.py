"""Two hardware threads of a core: what each piece of work takes, followed by hand to the tick."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines.block import layout as c
from simio.machines.block import siblings
from simio.machines.door import call

PROCESS = 2 * c.CORE.size
SHARED = PROCESS + c.PROCESS.size


@pytest.fixture
def state() -> np.ndarray:
    """Two threads of a core, the first with a process, each of which works at half the rate while both do."""
    cores = [c.CORE.initial(exit=5, shared=SHARED, thread=thread) for thread in range(2)]
    process = c.PROCESS.initial(core=0, cost=100)
    shared = c.SIBLINGS.initial(rate=500, cores=[0, c.CORE.size])
    return np.array([*cores[0], *cores[1], *process, *shared], dtype=np.int64)


def begin(state: np.ndarray, now: int, thread: int, work: int) -> int:
    return call(siblings.begin, state, SHARED, now, thread, work)


def left(state: np.ndarray, now: int, thread: int) -> int:
    return call(siblings.left, state, SHARED, now, thread)


def test_alone_a_thread_has_the_whole_core(state: np.ndarray) -> None:
    assert begin(state, 0, 0, 10_000) == 10_000
    assert left(state, 10_000, 0) == 0


def test_work_that_overlaps_goes_at_half_the_rate_and_the_rest_at_the_full(state: np.ndarray) -> None:
    assert begin(state, 0, 0, 10_000) == 10_000
    # 6000 are left of the first: both end these by 4000 + 12,000, and the second its last 4000 alone.
    assert begin(state, 4_000, 1, 10_000) == 16_000
    # The first asks at the end that it was given: 3000 of its work were done since, and 3000 go at half the rate.
    assert left(state, 10_000, 0) == 6_000
    assert left(state, 16_000, 0) == 0
    assert left(state, 20_000, 1) == 0


def test_a_sibling_that_begins_anew_slows_what_is_left(state: np.ndarray) -> None:
    begin(state, 0, 0, 10_000)
    begin(state, 0, 1, 1_000)
    assert left(state, 2_000, 1) == 0
    # 9000 are left of the first. The sibling's 20,000 outlast them.
    begin(state, 2_000, 1, 20_000)
    assert left(state, 10_000, 0) == 10_000
    assert left(state, 20_000, 0) == 0


def test_a_core_with_a_sibling_is_busy_until_its_work_is_over(state: np.ndarray) -> None:
    begin(state, 0, 0, 1_000)
    begin(state, 0, 1, 5_000)
    assert (state[c.WORKS], state[c.CORE.size + c.WORKS]) == (1, 1)
    assert left(state, 2_000, 0) == 0
    assert (state[c.WORKS], state[c.BUSY_UNTIL]) == (0, 2_000)


def test_work_takes_longer_for_as_long_as_the_sibling_works(state: np.ndarray) -> None:
    assert siblings.span(state, 0, 300) == 300
    begin(state, 0, 1, 5_000)
    assert siblings.span(state, 0, 300) == 600
    assert siblings.span(state, c.CORE.size, 300) == 300


def test_what_a_process_took_longer_is_its_cpu_time(state: np.ndarray) -> None:
    state[PROCESS + c.RUNS_UNTIL] = 10_000
    call(siblings.runs, state, PROCESS, 0)
    assert state[PROCESS + c.RUNS_UNTIL] > 2**60
    call(siblings.ran, state, PROCESS, 16_000)
    assert (state[PROCESS + c.RUNS_UNTIL], state[PROCESS + c.WORKED]) == (16_000, 6)
