"""A drive's buffer: how far the media has filled a segment, and who finds what there."""

from __future__ import annotations

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, segment, stopped

from simio.machines.disk import layout as c
from simio.machines.disk.buffer import (
    arm_track,
    full_at,
    go_on,
    has_read,
    kept,
    least_used,
    lookup,
    oldest_valid,
    position,
    refill,
    release_taken,
    stop_media,
    written_up_to,
)

LATER = 10**6
SERVED = {"status": c.SERVED}


@pytest.mark.parametrize(
    ("now", "sector", "track"),
    [(0, 100, 10), (599, 100, 10), (600, 101, 10), (1499, 109, 10), (1500, 110, 11), (1799, 110, 11),
     (1800, 111, 11), (3099, 120, 12), (5199, 139, 13), (5200, 140, 14), (LATER, 140, 14)],
)  # fmt: skip
def test_where_the_media_is(now: int, sector: int, track: int) -> None:
    # It stops before 140, for which there is no room.
    state = drive()
    s = reading(state)
    assert (position(state, BASE, s, now), arm_track(state, BASE, now)) == (sector, track)
    assert [has_read(state, BASE, s, now, each) for each in (100, sector, sector + 1)] == [True, True, False]
    stop_media(state, BASE, now)
    assert look(state, BASE, "active", "here") == (-1, track)
    assert look(state, s, "stop") == (sector,)
    # A drive that has stopped stays there.
    stop_media(state, BASE, LATER)
    assert (position(state, BASE, s, LATER), arm_track(state, BASE, LATER)) == (sector, track)
    assert [has_read(state, BASE, s, LATER, each) for each in (sector, sector + 1)] == [True, False]


def test_a_stream_that_stands_at_the_first_sector_has_read_nothing() -> None:
    state = drive()
    s = stopped(state, 0, 0, 0, goal=40, phase=-LATER)
    assert [has_read(state, BASE, s, 0, sector) for sector in (0, 1)] == [True, False]


@pytest.mark.parametrize(
    ("words", "ahead", "alone"),
    [
        ({}, 140, 110),
        ({"goal": 150}, 140, 140),
        ({"taken": 105}, 145, 110),
        ({"taken": 170, "goal": 210}, 200, 200),
    ],
)
def test_how_far_the_media_reads(words: dict[str, int], ahead: int, alone: int) -> None:
    # As far as there is room and the disk has sectors; without reading ahead, no further than somebody wants.
    for read_ahead, end in ((True, ahead), (False, alone)):
        state = drive(read_ahead=read_ahead)
        assert full_at(state, BASE, reading(state, **words)) == end


def test_at_the_end_of_the_disk_the_arm_stays_on_the_last_track() -> None:
    for sectors in (10, 1):
        state = drive(sectors)
        put(state, BASE, active=stopped(state, 0, 18 * sectors, 20 * sectors))
        assert arm_track(state, BASE, 0) == 19


@pytest.mark.parametrize(("arm", "start"), [(900, 1200), (1200, 1200), (1201, 2200), (1300, 2200)])
def test_the_media_goes_on_when_the_sector_comes_around(arm: int, start: int) -> None:
    # Sector 107 is there at 200 of each revolution, and the arm from START on.
    state = drive()
    s = reading(state, stop=107, start=arm)
    go_on(state, BASE, s, 1000)
    assert look(state, s, "origin", "start", "phase", "stop") == (107, start, start - 13_200, -1)


@pytest.mark.parametrize(
    ("words", "goes"),
    [
        ({"taken": 120}, True),
        ({"taken": 119}, False),
        ({"taken": 140}, True),
        ({"taken": 130, "stop": -1}, False),
    ],
)
def test_half_a_segment_has_to_be_free_before_the_media_goes_on(words: dict[str, int], goes: bool) -> None:
    state = drive()
    s = reading(state, **({"stop": 140} | words))
    before = list(state)
    refill(state, BASE, s, LATER)
    assert (state != before) == goes
    # Not where the arm is elsewhere, nor where nobody wants more.
    for read_ahead, active in ((True, -1), (False, s)):
        state = drive(read_ahead=read_ahead)
        reading(state, **({"stop": 140, "goal": 140} | words))
        put(state, BASE, active=active)
        before = list(state)
        refill(state, BASE, s, LATER)
        assert state == before


def test_what_every_reader_has_been_given_may_be_overwritten() -> None:
    def readers(state: list[int], s: int, *given: int) -> None:
        for tag, sector in enumerate(given):
            command(state, tag, **SERVED, place=s, given=sector)
        command(state, 3, status=c.QUEUED, place=s, given=101)

    for given, taken, stop in (((125, 122), 122, -1), ((125, 119), 119, 140), ((), 100, 140)):
        state = drive()
        s = reading(state)
        readers(state, s, *given)
        assert kept(state, BASE, s, 117) == (min(given) if given else 117)
        release_taken(state, BASE, s, 5200)
        assert look(state, s, "taken", "stop") == (taken, stop)
    # A writer needs nothing that is read; dirty sectors are not read ahead.
    state = drive()
    s = reading(state)
    command(state, 0, **SERVED, place=s, given=103, writes=1)
    assert kept(state, BASE, s, 117) == 117
    s = dirty(state, 1, 60, 70)
    command(state, 0, **SERVED, place=s, given=65, writes=0)
    release_taken(state, BASE, s, 5200)
    assert look(state, s, "taken", "stop") == (65, 0)


# --- dirty data ----------------------------------------------------------------------------------------------


def test_how_far_dirty_data_are_there() -> None:
    state = drive()
    s = dirty(state, 0, 100, 130)
    assert written_up_to(state, BASE, s) == 130
    command(state, 0, **SERVED, place=s, writes=1, next=112, end=120)
    command(state, 1, **SERVED, place=s, writes=1, next=125, end=130)
    assert written_up_to(state, BASE, s) == 112
    # A write that has brought all, one elsewhere, one that waits, and a read are no gap.
    for words in ({"end": 112}, {"place": 9}, {"status": c.QUEUED}, {"writes": 0}):
        command(state, 0, **SERVED, place=s, writes=1, next=112, end=120)
        command(state, 0, **words)
        assert written_up_to(state, BASE, s) == 125


@pytest.mark.parametrize(("first", "end", "oldest"), [(100, 139, 100), (100, 140, 100), (100, 141, 101)])
def test_a_ring_overwrites_what_is_a_segment_behind(first: int, end: int, oldest: int) -> None:
    state = drive()
    assert oldest_valid(state, BASE, dirty(state, 0, first, end)) == oldest


# --- who finds what ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sector", "end", "found"),
    [(100, 120, "dirty"), (105, 106, "dirty"), (99, 101, "way"), (119, 121, "way"), (90, 102, "way"), (90, 100, ""),
     (120, 125, ""), (113, 121, "way")],
)  # fmt: skip
def test_who_reads_across_dirty_data_has_to_wait(sector: int, end: int, found: str) -> None:
    state = drive()
    s = dirty(state, 1, 100, 120)
    assert lookup(state, BASE, 0, sector, end) == {"dirty": s, "way": -2, "": -1}[found]
    # Data that are on the media as well are not in the way.
    segment(state, 1, destaged=115)
    if (sector, end) == (90, 102):
        assert lookup(state, BASE, 0, sector, end) == -1


@pytest.mark.parametrize(
    ("words", "sector", "found"),
    [
        # Sectors 100 to 129 have been read; who wants 130 goes on with the stream.
        ({}, 100, True), ({}, 130, True), ({}, 99, False), ({}, 131, False),
        # The ring has 40 of them, and the sector that is to be read next has not overwritten the first.
        ({"stop": 140}, 100, True), ({"stop": 141}, 100, False), ({"stop": 141}, 101, True),
        ({"stale": 1}, 110, False), ({"kind": c.EMPTY}, 110, False),
    ],
)  # fmt: skip
def test_what_a_stream_can_serve(words: dict[str, int], sector: int, found: bool) -> None:
    state = drive()
    s = stopped(state, 1, 100, 130, **words)
    assert lookup(state, BASE, 0, sector, sector + 5) == (s if found else -1)


def test_of_two_streams_the_one_that_has_more() -> None:
    for short, long in ((0, 1), (1, 0)):
        state = drive()
        stopped(state, short, 100, 105)
        s = stopped(state, long, 90, 106)
        assert lookup(state, BASE, 0, 105, 108) == s


def test_the_least_recently_used_segment_is_replaced() -> None:
    def least(*rows: dict[str, int]) -> int:
        state = drive()
        for number, words in enumerate(rows):
            segment(state, number, **words)
        found = least_used(state, BASE)
        return found if found < 0 else (found - segment(state, 0)) // c.SEGMENT_COLUMNS

    assert least({"used": 5}, {"used": 3}, {"used": 4}) == 1
    assert least({"used": 5}, {"used": 3, "live": 1}, {"used": 4}) == 2
    assert least({"used": 5}, {"used": 3, "kind": c.DIRTY}, {"used": 6}) == 0
    assert least({"used": 3}, {"used": 3}, {"used": 3}) == 0
    assert least({"live": 1}, {"kind": c.DIRTY}, {"live": 2}) == -1
