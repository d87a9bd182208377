"""A drive's queue: what is in the buffer, what the arm would cost, and what it turns to."""

from __future__ import annotations

from typing import Any

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, segment, stopped

from simio.machines.disk import layout as c
from simio.machines.disk.buffer import lookup
from simio.machines.disk.queue import (
    choose,
    controller_time,
    cost,
    read_cost,
)
from simio.machines.disk.scheduling import SCHEDULING, angle_known_at
from simio.machines.disk.scheduling.elevator import BEHIND

HIT, MISS = 3, 7
READ = {"status": c.QUEUED, "writes": 0}


@pytest.mark.parametrize(
    ("sector", "count", "time"),
    [
        # All of them dirty; some of them, which have to reach the media first; up to the first of them.
        (105, 10, HIT), (105, 15, HIT), (105, 16, MISS), (90, 11, MISS), (90, 10, MISS),
        # Read; read in part, and to be continued; following what was read; beyond.
        (15, 5, HIT), (15, 20, HIT), (30, 5, HIT), (31, 5, MISS), (9, 5, MISS),
    ],
)  # fmt: skip
def test_what_the_controller_takes_for_in_the_buffer(sector: int, count: int, time: int) -> None:
    state = drive()
    dirty(state, 0, 100, 120)
    stopped(state, 1, 10, 30)
    assert controller_time(state, BASE, 0, sector, count) == time


# --- the cost of a place -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sector", "inwards", "outwards"),
    [(140, 2, BEHIND + 2), (119, 0, 0), (100, 0, 0), (99, BEHIND + 1, 1), (0, BEHIND + 5, 5)],
)
def test_the_elevator_counts_cylinders_in_its_direction_first(sector: int, inwards: int, outwards: int) -> None:
    # From either track of cylinder 5.
    state = drive(scheduling="elevator")
    for direction, price in ((1, inwards), (-1, outwards)):
        put(state, BASE, direction=direction)
        assert [cost(state, BASE, 0, track, sector, False) for track in (10, 11)] == [price] * 2


@pytest.mark.parametrize(
    ("sector", "writes", "price"),
    [
        # On the track: sector 102 of cylinder 5 comes around at 700, and then at 1700.
        (102, False, 90), (102, True, 90), (101, False, 990),
        # On the other track after 150 ps, and 50 more before it is written to: sector 119 is there at 600, sector 110
        # at 700, 111 at 800, 112 at 900.
        (111, False, 190), (111, True, 1190), (112, True, 290), (110, False, 1090),
    ],
)  # fmt: skip
def test_the_shortest_counts_the_way_and_the_wait(sector: int, writes: bool, price: int) -> None:
    state = drive(scheduling="shortest")
    assert cost(state, BASE, 610, 10, sector, writes) == price
    put(state, BASE, policy=SCHEDULING["fifo"].number, in_order=1)
    assert cost(state, BASE, 610, 10, sector, writes) == 0


@pytest.mark.parametrize(("now", "chosen"), [(600, 1), (650, 1), (660, 1), (699, 1), (700, 0)])
def test_the_shortest_knows_the_angle_of_the_last_sector_that_ended(now: int, chosen: int) -> None:
    # On track 10, where sectors end at whole hundreds. Sector 106 of the track comes around at 1100. From 600 the arm
    # is on the other track at 750, before sector 111 at 800; from 651 on it is not. But for the drive it is 600 until
    # the next sector has ended, 111 is 200 away and 106 500.
    state = drive(scheduling="shortest")
    put(state, BASE, here=10)
    command(state, 0, **READ, next=106, end=110, ticket=1)
    command(state, 1, **READ, next=111, end=119, ticket=2)
    assert choose(state, BASE, now) == chosen
    # Dirty data, too, are compared as of then; written to, the other track takes 50 more.
    state = drive(scheduling="shortest", write_settle=49)
    put(state, BASE, here=10)
    dirty(state, 0, 106, 110, since=1)
    dirty(state, 1, 111, 119, since=2)
    assert choose(state, BASE, now) == -2 - chosen


@pytest.mark.parametrize(("now", "chosen"), [(600, 0), (601, 1), (699, 1)])
def test_the_shortest_knows_which_sector_has_begun_to_pass(now: int, chosen: int) -> None:
    # Sector 101 begins at 600, and from 601 on comes around at 1600 only; sector 105 of the track comes at 1000.
    for put_there in (
        lambda state, n, first: command(state, n, **READ, next=first, end=first + 1, ticket=n + 1),
        lambda state, n, first: dirty(state, n, first, first + 1, since=n + 1),
    ):
        state = drive(scheduling="shortest")
        put(state, BASE, here=10)
        put_there(state, 0, 101)
        put_there(state, 1, 105)
        assert choose(state, BASE, now) in (chosen, -2 - chosen)


@pytest.mark.parametrize("scheduling", ["fifo", "elevator"])
def test_the_other_orders_ask_for_no_angle(scheduling: str) -> None:
    assert angle_known_at(drive(scheduling=scheduling), BASE, 660, 10) == 660
    for now, known in ((600, 600), (601, 601), (660, 601), (700, 700)):
        assert angle_known_at(drive(scheduling="shortest"), BASE, now, 10) == known


def price_of(state: Any, now: int, at: int) -> int:
    """The cost of a read, with the head on track 10, where a sector has just ended."""
    found = lookup(state, BASE, now, state[at + c.NEXT], state[at + c.END])
    return read_cost(state, BASE, now, now, 10, at, found)


def test_a_read_costs_the_way_to_what_the_buffer_lacks() -> None:
    state = drive(scheduling="shortest")
    at = command(state, 0, **READ, next=105, end=110)
    # On the track; sector 105 of cylinder 5 comes around at 1000.
    assert price_of(state, 10, at) == 990
    # A read that has come to 107 goes on from there, at 200; sectors that were read, or are dirty, cost nothing.
    stopped(state, 0, 100, 107)
    assert price_of(state, 10, at) == 190
    stopped(state, 0, 100, 110)
    assert price_of(state, 10, at) == 0
    dirty(state, 0, 100, 110)
    assert price_of(state, 10, at) == 0


def test_what_is_being_read_costs_nothing() -> None:
    state = drive(scheduling="shortest")
    at = command(state, 0, **READ, next=101, end=110)
    s = reading(state)
    assert price_of(state, 710, at) == 0
    # Sectors that the media has left cost as before: sector 107 comes around at 1200.
    segment(state, 0, stop=107)
    assert price_of(state, 710, at) == 490
    put(state, BASE, active=-1)
    assert price_of(state, 710, at) == 490
    assert look(state, s, "stop") == (107,)


# --- who is next ---------------------------------------------------------------------------------------------


def loaded(scheduling: int, cache: bool = False) -> list[int]:
    """Three dirty runs on cylinders 2, 1 and 3, the second the oldest; a fourth segment is free."""
    state = drive(scheduling=scheduling, write_cache=cache, segments=4)
    for number, (first, since) in enumerate(((40, 5), (20, 3), (60, 4))):
        dirty(state, number, first, first + 10, since=since)
    return state


def test_dirty_data_go_by_age_or_by_place() -> None:
    assert choose(loaded("fifo"), BASE, 0) == -2 - 1
    for here, chosen in ((0, 1), (4, 0), (5, 0), (6, 2), (19, 2)):
        state = loaded("elevator")
        put(state, BASE, here=here)
        assert choose(state, BASE, 0) == -2 - chosen
    # Of equal places the older, whichever stands first.
    for since in (3, 6):
        state = loaded("elevator")
        dirty(state, 2, 50, 60, since=since)
        put(state, BASE, here=4)
        assert choose(state, BASE, 0) == -2 - (2 if since == 3 else 0)


@pytest.mark.parametrize(("ticket", "chosen"), [(2, 0), (4, -3)])
def test_without_a_cache_reads_and_writes_go_by_age(ticket: int, chosen: int) -> None:
    state = loaded("fifo")
    command(state, 0, **READ, next=150, end=160, ticket=ticket)
    assert choose(state, BASE, 0) == chosen


def test_with_a_cache_reads_go_first_until_somebody_waits_for_room() -> None:
    state = loaded("fifo", cache=True)
    command(state, 0, **READ, next=150, end=160, ticket=9)
    assert choose(state, BASE, 0) == 0
    put(state, BASE, blocked=1)
    assert choose(state, BASE, 0) == -3


def test_what_is_on_its_way_or_on_the_media_is_not_chosen() -> None:
    state = loaded("fifo")
    segment(state, 1, destaged=30)
    assert choose(state, BASE, 0) == -2 - 2
    # Of the third a writer has brought nothing yet.
    command(state, 0, status=c.SERVED, writes=1, place=segment(state, 2), next=60, end=70)
    assert choose(state, BASE, 0) == -2
    for number in range(3):
        segment(state, number, kind=c.EMPTY)
    assert choose(state, BASE, 0) == -1


def test_of_two_reads_the_older_or_the_nearer() -> None:
    for scheduling, chosen in (("fifo", 1), ("elevator", 0)):
        state = drive(scheduling=scheduling)
        command(state, 0, **READ, next=60, end=70, ticket=9)
        command(state, 1, **READ, next=90, end=99, ticket=4)
        assert choose(state, BASE, 0) == chosen
    # On one cylinder they are equal.
    state = drive(scheduling="elevator")
    command(state, 0, **READ, next=75, end=79, ticket=9)
    command(state, 1, **READ, next=60, end=70, ticket=4)
    assert choose(state, BASE, 0) == 1


def test_a_read_does_not_overtake_the_one_that_it_goes_on_from() -> None:
    # From cylinder 0, sector 60 comes around first, and 120 later than 130.
    state = drive(scheduling="shortest")
    command(state, 0, **READ, next=120, end=130, ticket=1)
    command(state, 1, **READ, next=130, end=140, ticket=2)
    put(state, BASE, here=13)
    assert choose(state, BASE, 0) == 0
    # Nor one that has begun; but one that has been given all, or that goes elsewhere.
    command(state, 0, status=c.SERVED, next=125)
    assert choose(state, BASE, 0) == -1
    command(state, 0, next=130)
    assert choose(state, BASE, 0) == 1
    command(state, 0, status=c.QUEUED, next=110, end=120)
    assert choose(state, BASE, 0) == 1
