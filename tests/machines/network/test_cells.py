"""The fluid of a port against queues of single cells."""

from __future__ import annotations

import random

import pytest

from simio.machines.door import Called, call
from simio.machines.network import cells

SERVICE = 1000
"""ps of a cell on the way out; inputs bring one every 1000 ps, too."""


def ask(state: list[int], function: Called, now: int, a: int = 0, b: int = 0) -> int:
    return call(function, state, 0, now, a, b)


def served(arrivals: list[tuple[int, int]]) -> list[int]:
    """Instants at which the last cell of each packet (first cell's instant, cells) has been served, cell by cell."""
    coming = sorted((start + number * SERVICE, packet) for packet, (start, count) in enumerate(arrivals)
                    for number in range(count))  # fmt: skip
    free, ends = 0, [0] * len(arrivals)
    for time, packet in coming:
        free = max(free, time) + SERVICE
        ends[packet] = free
    return ends


@pytest.mark.parametrize("seed", range(5))
def test_a_fluid_serves_packets_when_their_cells_are_served(seed: int) -> None:
    draw = random.Random(seed)
    arrivals = [(draw.randrange(1_000_000), draw.randrange(1, 200)) for _ in range(12)]
    state = cells.initial(10**9, 0)
    events = sorted(
        [(start, 0, packet) for packet, (start, _) in enumerate(arrivals)]
        + [(start + (count - 1) * SERVICE, 1, packet) for packet, (start, count) in enumerate(arrivals)]
    )
    tokens, ends = {}, {}
    for now, last, packet in events:
        if last:
            wait = ask(state, cells.finish, now, cells.UNIT, tokens[packet]) - 1
            ends[packet] = now + wait + SERVICE
        else:
            tokens[packet] = ask(state, cells.start, now, cells.UNIT)
    # A fluid does not show the cells of others that come at the same instant: one for each input.
    for packet, exact in enumerate(served(arrivals)):
        assert abs(ends[packet] - exact) <= 13 * SERVICE


def test_an_overflow_hits_those_that_come_and_not_those_that_begin_later() -> None:
    state = cells.initial(50 * SERVICE, 0)
    first, second = (ask(state, cells.start, 0, cells.UNIT) for _ in range(2))
    third = ask(state, cells.start, 60 * SERVICE, cells.UNIT)
    assert ask(state, cells.finish, 60 * SERVICE, cells.UNIT, first) == 0
    assert ask(state, cells.finish, 60 * SERVICE, cells.UNIT, second) == 0
    # Cells that were taken are still served: 50 cells, and the third comes as fast as it goes.
    assert ask(state, cells.finish, 100 * SERVICE, cells.UNIT, third) == 50 * SERVICE + 1


def test_a_packet_that_comes_whole_needs_room_for_all_of_it() -> None:
    state = cells.initial(50 * SERVICE, 0)
    assert ask(state, cells.whole, 0, 49 * SERVICE) == 49 * SERVICE + 1
    assert ask(state, cells.whole, 20 * SERVICE, 22 * SERVICE) == 0
    assert ask(state, cells.whole, 20 * SERVICE, 21 * SERVICE) == 50 * SERVICE + 1


def test_a_packet_is_discarded_above_the_threshold() -> None:
    state = cells.initial(100 * SERVICE, 10 * SERVICE)
    ask(state, cells.whole, 0, 30 * SERVICE)
    assert ask(state, cells.start, 0, cells.UNIT) == 0
    assert ask(state, cells.start, 20 * SERVICE, cells.UNIT) == 1


@pytest.mark.parametrize(("function", "a", "b"), [(cells.finish, 1, 1), (cells.finish, 1, 0), (cells.start, -1, 0)])
def test_what_cannot_be_is_refused(function: Called, a: int, b: int) -> None:
    assert ask(cells.initial(1, 0), function, 0, a, b) == -1


def test_a_port_behind_a_link_a_thousand_times_as_fast() -> None:
    state = cells.initial(10**12, 0)
    share = 1000 * cells.UNIT
    token = ask(state, cells.start, 0, share)
    # The port serves one of a thousand cells that come.
    assert ask(state, cells.finish, 10**6, share, token) == 999 * 10**6 + 1


@pytest.mark.parametrize(("late", "wanted"), [(0, 0), (1, -1)])
def test_what_is_too_much_to_reckon_is_refused(late: int, wanted: int) -> None:
    state = cells.initial(10**9, 0)
    share = 1000 * cells.UNIT
    token = ask(state, cells.start, 0, share)
    # Until then the packet has just missed a cell.
    assert ask(state, cells.finish, 2**62 // share + late, share, token) == wanted
