"""Writes: their place in the buffer, the room that they wait for, and their way to the media."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, segment, stopped

from simio.machines.disk import layout as c
from simio.machines.disk.destaging import destage, write, written
from simio.machines.disk.queue import enqueue
from simio.machines.disk.writing import (
    absorbs,
    admit,
    continues,
    media_has,
    outdate,
    place_for,
    room,
    store,
    stored,
)

QUEUED = {"status": c.QUEUED, "writes": 1}
SERVED = {"status": c.SERVED, "writes": 1}


def writing(state: list[int], first: int, end: int, tag: int = 0, **words: int) -> int:
    """A write that waits for its place."""
    return command(state, tag, **({"next": first, "end": end, "ticket": 9} | QUEUED | words))


# --- its place -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "first", "end", "taken_in"),
    [
        # A run of 100 to 120, of which nothing, or a part, is on the media.
        ({}, 100, 110, True), ({}, 99, 110, False), ({}, 110, 120, True), ({}, 110, 121, False),
        ({"destaged": 105}, 104, 110, False), ({"destaged": 105}, 105, 110, True),
        # The ring of 40 overwrites what is below 110.
        ({"reserved": 150}, 109, 115, False), ({"reserved": 150}, 110, 115, True),
    ],
)  # fmt: skip
def test_dirty_data_are_changed_in_place(words: dict[str, int], first: int, end: int, taken_in: bool) -> None:
    state = drive()
    s = dirty(state, 0, 100, 120, **words)
    assert absorbs(state, BASE, 0, writing(state, first, end), s) == taken_in


@pytest.mark.parametrize(
    ("now", "first", "taken_in"), [(799, 100, False), (799, 101, True), (800, 109, False), (800, 110, True)]
)
def test_what_is_on_its_way_to_the_media_is_not_changed(now: int, first: int, taken_in: bool) -> None:
    # The head is at the first sector at 800, from when on all up to 110 is as it is.
    state = drive()
    s = dirty(state, 0, 100, 120, start=800)
    put(state, BASE, chunk=s, chunk_end=110)
    assert absorbs(state, BASE, now, writing(state, first, 115), s) == taken_in


def test_a_write_goes_on_where_a_run_or_a_stream_ends() -> None:
    state = drive()
    s = dirty(state, 0, 100, 120)
    assert [continues(state, BASE, writing(state, first, 130), s) for first in (119, 120, 121)] == [
        False,
        True,
        False,
    ]
    s = stopped(state, 1, 50, 60)
    own = writing(state, 60, 70)
    assert continues(state, BASE, own, s)
    for words in ({"live": 1}, {"stop": 61}, {"kind": c.EMPTY}):
        stopped(state, 1, 50, 60, **({"live": 0} | words))
        assert not continues(state, BASE, own, s)
    stopped(state, 1, 50, 60, live=0)
    put(state, BASE, active=s)
    assert not continues(state, BASE, own, s)


@pytest.mark.parametrize(
    ("first", "end", "number"),
    [(105, 115, 1), (120, 130, 1), (115, 125, -1), (90, 101, -1), (90, 100, 2), (130, 140, 2), (60, 70, 0)],
)
def test_where_a_write_goes(first: int, end: int, number: int) -> None:
    # Into the run that has all of it or that it continues, else to what was used least recently; what is dirty in
    # part has to reach the media first.
    state = drive()
    segment(state, 2, used=1)
    dirty(state, 1, 100, 120)
    stopped(state, 0, 50, 60, used=4)
    found = place_for(state, BASE, 0, writing(state, first, end))
    assert found == (-1 if number < 0 else segment(state, number))


@pytest.mark.parametrize(
    ("first", "end", "live", "expected"),
    [
        (100, 101, 0, (c.EMPTY, 0)), (119, 125, 0, (c.EMPTY, 0)), (119, 125, 1, (c.STREAM, 1)),
        (90, 100, 0, (c.STREAM, 0)), (120, 125, 1, (c.STREAM, 0)),
    ],
)  # fmt: skip
def test_what_was_read_before_is_old(first: int, end: int, live: int, expected: tuple[int, int]) -> None:
    state = drive()
    s = stopped(state, 1, 100, 120, live=live)
    own = writing(state, first, end)
    outdate(state, BASE, 0, own, s)
    assert look(state, s, "kind", "stale") == (c.STREAM, 0)
    outdate(state, BASE, 0, own, -1)
    assert look(state, s, "kind", "stale") == expected


def test_what_the_media_will_read_ahead_is_old_as_well() -> None:
    for first, stale in ((139, 1), (140, 0)):
        state = drive()
        s = reading(state, live=1)
        outdate(state, BASE, 600, writing(state, first, 150), -1)
        assert look(state, s, "stale") == (stale,)


@pytest.mark.parametrize(("first", "end", "left"), [(90, 101, 105), (104, 110, 105), (105, 110, 100), (90, 100, 100)])
def test_of_a_run_that_is_partly_on_the_media_the_rest_stays(first: int, end: int, left: int) -> None:
    state = drive()
    s = dirty(state, 1, 100, 120, destaged=105)
    outdate(state, BASE, 0, writing(state, first, end), -1)
    assert look(state, s, "kind", "first") == (c.DIRTY, left)


# --- room, and what has been brought -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sector", "now", "answer", "waiting"),
    [(105, 0, 0, 0), (106, 0, 1, 1), (110, 0, 1, 1)],
)
def test_what_the_media_has(sector: int, now: int, answer: int, waiting: int) -> None:
    state = drive()
    s = dirty(state, 0, 100, 120, destaged=105)
    assert media_has(state, BASE, now, s, sector) == answer
    assert look(state, BASE, "waiting") == (waiting,)


@pytest.mark.parametrize(
    ("sector", "now", "answer"),
    [
        (103, 600, 200),
        (103, 799, 2),
        (103, 798, 2),
        (103, 797, 3),
        (103, 800, 0),
        (110, 600, 900),
        (111, 600, 1),
    ],
)
def test_when_a_sweep_has_written(sector: int, now: int, answer: int) -> None:
    # It began with sector 100 at 500 and ends with the track; where more is wanted, somebody has to wake.
    state = drive()
    s = dirty(state, 0, 100, 120, phase=-12_000)
    put(state, BASE, chunk=s, chunk_end=110)
    assert media_has(state, BASE, now, s, sector) == answer
    assert look(state, BASE, "waiting") == (1 if sector > 110 else 0,)


def test_room_is_there_when_what_is_a_segment_behind_is_on_the_media() -> None:
    # Of 40 sectors: 140 to 145 take the places of 100 to 105.
    state = drive()
    s = dirty(state, 0, 100, 160, destaged=105)
    own = command(state, 0, **SERVED, place=s, next=140, end=160)
    assert room(state, BASE, 0, 0, 5) == 0
    assert look(state, own, "is_blocked") == (0,)
    assert room(state, BASE, 0, 0, 6) == 1
    assert (look(state, own, "is_blocked"), look(state, BASE, "blocked", "waiting")) == ((1,), (1, 1))
    # A pass that has not ended tells when.
    segment(state, 0, phase=-12_000)
    put(state, BASE, chunk=s, chunk_end=110)
    assert room(state, BASE, 600, 0, 6) == 500
    assert (look(state, own, "is_blocked"), look(state, BASE, "blocked", "waiting")) == ((0,), (0, 1))
    # A reader of data in the buffer has to have them first.
    segment(state, 0, destaged=110)
    command(state, 1, status=c.SERVED, writes=0, place=s, given=103)
    assert [room(state, BASE, 600, 0, count) for count in (3, 4)] == [0, 1]
    assert (look(state, own, "is_blocked"), look(state, BASE, "blocked", "waiting")) == ((1,), (1, 2))
    assert [room(state, BASE, 600, 0, count) for count in (0, 21, 41)] == [-1] * 3
    command(state, 0, status=c.QUEUED)
    assert room(state, BASE, 600, 0, 3) == -1


def test_a_write_is_stored_when_the_media_has_all_of_it() -> None:
    state = drive()
    s = dirty(state, 0, 100, 120, destaged=109)
    command(state, 0, **SERVED, place=s, next=110, end=110)
    assert stored(state, BASE, 0, 0) == 1
    segment(state, 0, destaged=110)
    assert stored(state, BASE, 0, 0) == 0
    command(state, 0, status=c.QUEUED)
    assert stored(state, BASE, 0, 0) == -1


# --- to the media --------------------------------------------------------------------------------------------


def test_what_has_come_until_the_head_is_there_is_written_with_the_rest() -> None:
    state = drive(write_cache=True)
    s = dirty(state, 0, 100, 107, phase=-12_000)
    put(state, BASE, chunk=s, chunk_end=104, owner=c.DESTAGING)
    assert write(state, BASE, 500) == 700
    assert look(state, BASE, "chunk_end") == (107,)
    for words in ({"chunk": -1}, {"owner": 1}):
        put(state, BASE, **({"chunk": s, "owner": c.DESTAGING} | words))
        assert write(state, BASE, 500) == written(state, BASE, 500) == -1


@pytest.mark.parametrize("ask", [destage, write, written])
def test_the_last_instant_at_which_the_media_can_be_asked(ask: Callable[..., int]) -> None:
    state = drive()
    put(state, BASE, chunk=dirty(state, 0, 100, 120), owner=c.DESTAGING, destager=1)
    assert ask(state, BASE, c.LATEST + 1) == -1
    assert ask(state, BASE, c.LATEST) >= 0


def test_a_write_is_asked_in_order_and_for_what_it_has() -> None:
    state = drive()
    tag = enqueue(state, BASE, 0, 105, 2 * 10 + 1)
    assert [ask(state, BASE, 0, tag, 1) for ask in (room, store)] == [-1, -1]
    assert stored(state, BASE, 0, tag) == -1
    assert [admit(state, BASE, 0, tag) for _ in range(2)] == [1, 1]
    for count in (0, 11, -1):
        assert [ask(state, BASE, 0, tag, count) for ask in (room, store)] == [-1, -1]
    # The first data start a thread that destages; there is one.
    assert [room(state, BASE, 0, tag, 4), store(state, BASE, 0, tag, 4)] == [0, 1]
    assert [room(state, BASE, 0, tag, 6), store(state, BASE, 0, tag, 6)] == [0, 0]
