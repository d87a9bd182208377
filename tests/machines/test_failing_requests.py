"""Requests that fail are told so once, whoever says it and however often."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simio.machines.door import call
from simio.machines.failing import requests


class Requests:
    """The machine, behind a word that is not its own."""

    def __init__(self, rows: int = requests.ROWS) -> None:
        self.state = np.array([7, *requests.initial(rows)], dtype=np.int64)

    def ask(self, function: int, a: int = 0, b: int = 0) -> int:
        return int(call(function, self.state, 1, 0, a, b))


@given(st.lists(st.tuples(st.sampled_from(["open", "fail", "ended"]), st.integers(0, 9)), max_size=60))
def test_a_request_has_failed_if_somebody_said_so_since_it_began(steps: list[tuple[str, int]]) -> None:
    machine, alive, failed = Requests(), [], set()
    for step, pick in steps:
        if step == "open":
            alive.append(machine.ask(requests.OPEN))
        elif alive and step == "fail":
            failed.add(alive[pick % len(alive)])
            assert machine.ask(requests.FAIL, alive[pick % len(alive)]) == 1
        elif alive:
            number = alive.pop(pick % len(alive))
            assert machine.ask(requests.ENDED, number) == (number in failed)
            failed.discard(number)
    assert len(set(alive)) == len(alive)
    assert machine.state[0] == 7


def test_more_failures_than_there_is_room_for_are_refused_and_room_comes_back() -> None:
    machine = Requests(rows=2)
    first, second, third = (machine.ask(requests.OPEN) for _ in range(3))
    assert machine.ask(requests.FAIL, first) == machine.ask(requests.FAIL, second) == 1
    assert machine.ask(requests.FAIL, third) == -1
    assert machine.ask(requests.ENDED, first) == 1
    assert machine.ask(requests.FAIL, third) == 1
    assert [machine.ask(requests.ENDED, each) for each in (second, third, third)] == [1, 1, 0]


def test_a_request_that_never_began_cannot_fail() -> None:
    machine = Requests()
    machine.ask(requests.OPEN)
    assert [machine.ask(requests.FAIL, number) for number in (0, 2, -1)] == [-1, -1, -1]


def test_places_are_found_between_two() -> None:
    machine = Requests()
    machine.state = np.array([7, *requests.places(2)], dtype=np.int64)
    assert machine.ask(requests.BETWEEN, 0, 100) == 0
    assert [machine.ask(requests.NOTE, place) for place in (30, 50, 70)] == [1, 2, -1]
    found = [(first, end) for first, end in ((0, 30), (0, 31), (30, 31), (31, 50), (50, 99), (51, 99))
             if machine.ask(requests.BETWEEN, first, end)]  # fmt: skip
    assert found == [(0, 31), (30, 31), (50, 99)]
