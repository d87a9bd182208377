"""Queues that refuse, handlers that share interrupts, and errors that are counted down to."""

from __future__ import annotations

import random

import pytest

from simio.machines.door import Called, call
from simio.machines.network import errors, handler, queue


def ask(state: list[int], function: Called, a: int = 0, b: int = 0, now: int = 0, base: int = 0) -> int:
    return call(function, state, base, now, a, b)


def test_a_queue_takes_what_fits_and_counts_what_does_not() -> None:
    state = queue.initial(100)
    assert [ask(state, queue.enter, 40) for _ in range(3)] == [1, 1, 0]
    assert ask(state, queue.enter, 20) == 1
    assert ask(state, queue.leave, 40) == 60
    assert ask(state, queue.enter, 41) == 0
    assert state == [100, 60, 100, 2]


@pytest.mark.parametrize(("function", "amount"), [(queue.enter, -1), (queue.leave, 1), (queue.leave, -1)])
def test_a_queue_refuses_what_cannot_be(function: Called, amount: int) -> None:
    assert ask(queue.initial(5), function, amount) == -1


def test_a_handler_is_raised_once_until_it_has_served_all() -> None:
    state = handler.WORDS.initial()
    assert [ask(state, handler.arrive, 1) for _ in range(3)] == [
        handler.RAISE,
        handler.WAIT,
        handler.WAIT,
    ]
    assert [ask(state, handler.served) for _ in range(3)] == [1, 1, 0]
    assert ask(state, handler.served) == -1
    assert ask(state, handler.arrive, 1) == handler.RAISE


def test_a_clock_of_an_earlier_batch_raises_nothing() -> None:
    state = handler.WORDS.initial()
    assert ask(state, handler.arrive, 2) == handler.FIRST
    batch = ask(state, handler.gathering)
    assert ask(state, handler.arrive, 2) == handler.RAISE
    assert [ask(state, handler.served) for _ in range(2)] == [1, 0]
    assert ask(state, handler.arrive, 2) == handler.FIRST
    assert ask(state, handler.expire, batch) == handler.WAIT
    assert ask(state, handler.expire, batch + 1) == handler.RAISE
    assert state[handler.RAISED] == 2


def test_handlers_of_one_program_have_their_own_batches() -> None:
    state = handler.WORDS.initial() + handler.WORDS.initial()
    assert ask(state, handler.arrive, 1) == handler.RAISE
    assert [ask(state, handler.gathering, base=base) for base in (0, 4)] == [1, 0]
    assert ask(state, handler.served, base=4) == -1


def test_each_so_many_th_is_told() -> None:
    state = [7, 0]
    assert [ask(state, handler.count_to, 3, base=1) for _ in range(7)] == [0, 0, 1, 0, 0, 1, 0]
    assert [ask(state, handler.count_to, count, base=1) for count in (2, 1, 0)] == [1, 1, -1]
    assert state[0] == 7


def test_errors_hit_the_units_that_they_are_drawn_for() -> None:
    # The first 3 units pass, the 4th is hit, then 0 pass and the 5th is hit, then 10 pass.
    distances = iter([3, 0, 10, 100])
    state = errors.WORDS.initial()
    hits = []
    for units in (2, 4, 9, 1):
        hit = 0
        while ask(state, errors.passing, units):
            hit += ask(state, errors.following, next(distances))
        hits.append(hit)
    # Units 1 and 2; 3 to 6, of which 4 and 5 are hit; 7 to 15; 16, the 11th after 5, is hit.
    assert hits == [0, 2, 0, 1]


def test_hits_are_where_distances_put_them_whatever_the_packets() -> None:
    draw = random.Random(7)
    distances = [draw.randrange(30) for _ in range(400)]
    where, at = set(), 0
    for distance in distances:
        at += distance + 1
        where.add(at)
    given, state, passed = iter(distances), errors.WORDS.initial(), 0
    while passed < 3000:
        units, hit = draw.randrange(40), 0
        while ask(state, errors.passing, units):
            hit += ask(state, errors.following, next(given))
        assert hit == len(where & set(range(passed + 1, passed + units + 1)))
        passed += units
