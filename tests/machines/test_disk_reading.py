"""Reads in service: how they begin, what they wait for, and how they end."""

from __future__ import annotations

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, stopped

from simio.machines.disk import layout as c
from simio.machines.disk.reading import begin, end, flow, next_unit

QUEUED = {"status": c.QUEUED, "writes": 0}
SERVED = {"status": c.SERVED, "writes": 0}


# --- how a read begins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheduling", "answer"), [("fifo", 0), ("elevator", 1)])
def test_what_is_in_the_buffer_is_served_at_once_but_in_turn(scheduling: int, answer: int) -> None:
    for put_in in (stopped, dirty):
        state = drive(scheduling=scheduling)
        s = put_in(state, 0, 100, 120)
        put(state, BASE, owner=2)
        own = command(state, 1, **QUEUED, next=105, given=105, end=115, ticket=5)
        assert begin(state, BASE, 0, 1) == 1
        assert look(state, own, "status", "place") == (c.SERVED, s)
        # An older one is still in the queue.
        command(state, 1, **QUEUED, place=-1)
        command(state, 0, **QUEUED, next=0, end=9, ticket=4)
        assert begin(state, BASE, 0, 1) == answer
        assert look(state, own, "status") == (c.QUEUED if answer == 0 else c.SERVED,)
        assert look(state, BASE, "waiting", "blocked") == (1 - answer, 0)


# --- unit by unit --------------------------------------------------------------------------------------------


def test_units_are_there_when_the_media_has_read_them() -> None:
    # Eight sectors are read at 1300; the next eight, over the end of a track, at 2300.
    state = drive()
    s = reading(state, live=1)
    own = command(state, 0, **SERVED, place=s, next=100, given=100, end=120)
    assert next_unit(state, BASE, 600, 0, 8) == 700
    assert (look(state, own, "given", "next"), look(state, s, "taken")) == ((100, 108), (100,))
    assert next_unit(state, BASE, 1350, 0, 8) == 950
    assert (look(state, own, "given", "next"), look(state, s, "taken")) == ((108, 116), (108,))
    assert next_unit(state, BASE, 5000, 0, 4) == 0
    # Another reader has taken less.
    state = drive()
    s = reading(state, live=2)
    command(state, 0, **SERVED, place=s, next=110, given=105, end=120)
    command(state, 1, **SERVED, place=s, next=108, given=103, end=120)
    next_unit(state, BASE, 5000, 0, 4)
    assert look(state, s, "taken") == (103,)


@pytest.mark.parametrize(("count", "time", "stop"), [(2, 0, 107), (3, 600, -1), (5, 800, -1)])
def test_a_reader_makes_a_stopped_media_go_on(count: int, time: int, stop: int) -> None:
    # At 700 sector 105 is wanted; 107 is there from 1200 on.
    state = drive(read_ahead=False)
    s = reading(state, stop=107, live=1, taken=105, goal=107)
    command(state, 0, **SERVED, place=s, next=105, given=105, end=120)
    assert next_unit(state, BASE, 700, 0, count) == time
    assert look(state, s, "stop") == (stop,)


@pytest.mark.parametrize(("following", "stop"), [(119, 140), (120, -1)])
def test_the_media_goes_on_once_half_of_a_segment_has_been_given(following: int, stop: int) -> None:
    state = drive()
    s = reading(state, stop=140, live=1)
    command(state, 0, **SERVED, place=s, next=following, given=110, end=140)
    assert next_unit(state, BASE, 6000, 0, 5) == 0
    assert look(state, s, "taken", "stop") == (following, stop)


def test_what_lies_before_the_sweep_is_there() -> None:
    for put_in in (reading, lambda state, **words: dirty(state, 0, 100, 120, **words)):
        state = drive()
        s = put_in(state, live=1)
        command(state, 0, **SERVED, place=s, next=95, given=95, end=105)
        assert next_unit(state, BASE, 0, 0, 5) == 0
    state = drive()
    s = dirty(state, 0, 100, 120, live=1)
    own = command(state, 0, **SERVED, place=s, next=100, given=90, end=120)
    assert next_unit(state, BASE, 0, 0, 20) == 0
    assert look(state, own, "given", "next") == (100, 120)


@pytest.mark.parametrize("count", [0, 21, 41])
def test_units_that_are_not_asked_for_are_refused(count: int) -> None:
    state = drive()
    command(state, 0, **SERVED, place=reading(state), next=100, given=100, end=160 if count > 40 else 120)
    before = list(state)
    assert next_unit(state, BASE, 600, 0, count) == -1
    command(state, 0, status=c.QUEUED)
    assert next_unit(state, BASE, 600, 0, 8) == -1
    command(state, 0, status=c.SERVED)
    assert state == before


# --- how it ends ---------------------------------------------------------------------------------------------


def test_what_is_out_of_date_goes_with_its_last_reader() -> None:
    for live, stale, kind in ((1, 1, c.EMPTY), (2, 1, c.STREAM), (1, 0, c.STREAM)):
        state = drive()
        s = stopped(state, 0, 100, 120, live=live, stale=stale)
        command(state, 0, **SERVED, place=s, next=110, given=108, end=110)
        end(state, BASE, 1600, 0)
        assert look(state, s, "kind", "live") == (kind, live - 1)


@pytest.mark.parametrize(("status", "tag"), [(c.QUEUED, 0), (c.FREE, 0), (c.ENDED, 0), (c.SERVED, 1), (c.SERVED, -1)])
def test_only_what_is_served_ends(status: int, tag: int) -> None:
    state = drive()
    command(state, 0, status=status, place=reading(state, live=1))
    before = list(state)
    assert end(state, BASE, 1600, tag) == -1
    assert state == before


# --- reads that flow -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "pace", "mark", "begins"),
    [
        (8, 10, 0, 1230),  # sector 107 is there at 1300, and leaves 70 after the first
        (8, 1000, 0, 600),  # the first sector
        (8, 1000, c.MARKS // 2, 900),  # the fourth
        (8, 1000, c.MARKS, 1300),
        (12, 60, 0, 1240),  # sector 111, at 1900
        (12, 200, 0, 600),
        (11, 90, 0, 900),  # sector 110, the first of its track, at 1800
    ],
)
def test_a_read_that_flows_begins_to_leave_so_late_that_it_does_not_run_dry(count, pace, mark, begins) -> None:
    state = drive(read_mark=mark)
    s = reading(state, live=1)
    command(state, 0, **SERVED, place=s, begin=100, next=100, given=100, end=100 + count)
    assert flow(state, BASE, 500, 0, pace) == 0
    assert next_unit(state, BASE, 500, 0, count) == begins - 500


def test_only_a_read_flows() -> None:
    state = drive()
    command(state, 0, **(QUEUED | {"writes": 1}))
    assert flow(state, BASE, 0, 0, 10) == -1
    assert flow(state, BASE, 0, 1, 10) == -1
