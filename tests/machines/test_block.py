"""Costs of a process, its sleep, the finds of an interrupt, and the cost of a lock that moves between cores."""

from __future__ import annotations

import numpy as np
import pytest

from simio.machines.block import layout as c
from simio.machines.block import locking, processes
from simio.machines.door import call

CORE, PROCESS, QUEUE = 1, 1 + c.CORE.size, 1 + c.CORE.size + c.PROCESS.size


@pytest.fixture
def state() -> np.ndarray:
    """A core, a process on it, and its hardware queue."""
    core = c.CORE.initial(exit=5, long=1000, long_exit=50, long_cold=30)
    process = c.PROCESS.initial(core=CORE, cost=100, look=7, switch=40, wake=20)
    queue = c.QUEUE.initial(owner=PROCESS, interrupt=60, end=10)
    return np.array([-1, *core, *process, *queue], dtype=np.int64)


def begin(state: np.ndarray, now: int, more: int = 0) -> int:
    return int(call(processes.begin, state, PROCESS, now, more, 0))


def interrupt(state: np.ndarray, now: int) -> int:
    return int(call(processes.interrupt, state, QUEUE, now, 0, 0))


def test_a_turn_costs_the_request_and_a_look(state: np.ndarray) -> None:
    assert begin(state, 0) == 107
    assert begin(state, 107, 11) == 118


def test_an_interrupt_wakes_a_process_that_sleeps_and_it_pays_for_the_switch(state: np.ndarray) -> None:
    begin(state, 0)
    # The core has been idle for 43: it comes to in 5, takes the interrupt, ends the request, makes the process ready.
    assert interrupt(state, 150) == 5 + 60 + 10 + 20
    assert begin(state, 245) == 147


def test_an_interrupt_of_a_core_that_slept_long_takes_longer_and_leaves_it_cold(state: np.ndarray) -> None:
    begin(state, 0)
    assert interrupt(state, 1107) == 50 + 60 + 10 + 20
    assert begin(state, 1247) == 147 + 30
    assert begin(state, 1424) == 107


def test_an_interrupt_serves_what_comes_while_it_runs(state: np.ndarray) -> None:
    begin(state, 0)
    assert interrupt(state, 107) == 60 + 10 + 20
    assert interrupt(state, 107 + 89) == 10
    assert interrupt(state, 107 + 99) == 10
    # The handler has just ended.
    assert interrupt(state, 107 + 110) == 70


def test_a_process_that_runs_is_not_woken(state: np.ndarray) -> None:
    begin(state, 0)
    assert interrupt(state, 50) == 70
    assert begin(state, 120) == 107


def test_one_look_serves_what_it_found(state: np.ndarray) -> None:
    for now in (0, 0, 0):
        interrupt(state, now)
    assert begin(state, 300) == 147
    assert begin(state, 447) == 100
    assert begin(state, 547) == 100
    assert begin(state, 647) == 107


def test_a_process_that_polls_is_always_on_its_core(state: np.ndarray) -> None:
    state[PROCESS + c.POLLS] = 1
    begin(state, 0)
    begin(state, 5_000_000)
    assert state[PROCESS + c.WORKED] == 5000
    assert interrupt(state, 9_000_000) == 70


def test_processes_that_poll_have_the_core_in_turn() -> None:
    slices = np.array([0, *c.SLICES.initial(slice=10, sharers=3, place=1)], dtype=np.int64)

    def wait(now: int) -> int:
        return int(call(processes.until_slice, slices, 1, now, 0, 0))

    assert [wait(now) for now in (0, 9, 10, 19, 20, 39, 40)] == [10, 1, 0, 0, 20, 1, 0]


def test_a_lock_takes_longer_with_the_distance_of_the_core_that_had_it() -> None:
    state = np.array(
        [0, *c.LOCK.initial(held=10, near=100, far=1000, handed=3, handed_far=30, socket=2)], dtype=np.int64
    )

    def turn(now: int, core: int) -> int:
        return int(call(locking.turn, state, 1, now, core, 0))

    assert turn(0, 0) == 10
    assert turn(50, 0) == 10
    assert turn(100, 1) == 110
    assert turn(500, 2) == 1010
    # In line for the turn before, which ends just now.
    assert turn(1510, 3) == 113
    assert turn(1623, 0) == 1040
    assert turn(2663, 0) == 10
