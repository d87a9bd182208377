"""Single steps of a drive's arm: where it goes, and what the media does from then on."""

from __future__ import annotations

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, segment, stopped

from simio.machines.disk import layout as c
from simio.machines.disk.arm import attach, free, media_time, move, start_read, start_write, sweep_end

READ = {"status": c.QUEUED, "writes": 0}
SERVED = {"status": c.SERVED}


@pytest.mark.parametrize(
    ("here", "sector", "before", "after"),
    [(4, 140, -1, 1), (4, 140, 1, 1), (4, 39, 1, -1), (4, 59, -1, -1), (5, 40, 1, 1), (5, 59, -1, -1)],
)
def test_the_arm_keeps_its_direction_on_a_cylinder(here: int, sector: int, before: int, after: int) -> None:
    state = drive()
    put(state, BASE, here=here, direction=before)
    move(state, BASE, 0, sector, False)
    assert look(state, BASE, "direction", "here") == (after, sector // 10)


def test_the_arm_leaves_what_the_media_was_reading() -> None:
    # Sector 112 has been read at 2000, when the head of the other track is 150 ps away, or 200 to write.
    for writes, time in ((False, 2150), (True, 2200)):
        state = drive()
        s = reading(state)
        assert move(state, BASE, 2000, 105, writes) == time
        assert look(state, s, "stop") == (113,)
        assert look(state, BASE, "active", "here", "direction") == (-1, 10, 1)


def test_who_begins_to_read_notes_that_the_media_has_stopped() -> None:
    for now, stop in ((5199, -1), (5200, 140)):
        state = drive()
        s = reading(state)
        attach(state, BASE, now, command(state, 0, **READ, next=105, given=105, end=130), s)
        assert look(state, s, "stop") == (stop,)


def test_what_a_segment_keeps_is_what_its_readers_lack() -> None:
    state = drive()
    put(state, BASE, blocked=1, clock=6)
    s = reading(state, live=1)
    command(state, 1, **SERVED, place=s, given=103, end=110)
    own = command(state, 0, **READ, next=105, given=105, end=130, is_blocked=1)
    attach(state, BASE, 800, own, s)
    assert look(state, s, "taken", "goal", "live", "used") == (103, 130, 2, 7)
    assert look(state, own, "status", "place", "is_blocked") == (c.SERVED, s, 0)
    assert look(state, BASE, "blocked", "clock") == (0, 7)
    # Alone, the reader needs nothing below its first sector; the goal is not taken back.
    state = drive()
    s = reading(state, goal=150)
    attach(state, BASE, 800, command(state, 0, **READ, next=105, given=105, end=130), s)
    assert look(state, s, "taken", "goal") == (105, 150)


def test_a_read_that_is_in_the_buffer_does_not_keep_the_arm() -> None:
    for put_in in (dirty, stopped):
        state = drive()
        s = put_in(state, 1, 100, 120)
        own = command(state, 0, **READ, next=105, given=105, end=115)
        start_read(state, BASE, 0, 0)
        assert look(state, own, "status", "place") == (c.SERVED, s)
        assert look(state, BASE, "owner", "active") == (c.NOBODY, -1)


def test_a_read_of_what_is_nowhere_begins_where_the_arm_is() -> None:
    # On the track, sector 105 comes around at 1000; the segment that was used least recently serves it.
    state = drive()
    put(state, BASE, here=10)
    stopped(state, 0, 0, 9, used=2)
    s = stopped(state, 1, 60, 70, used=1)
    stopped(state, 2, 30, 40, used=3)
    own = command(state, 0, **READ, next=105, given=105, end=115)
    start_read(state, BASE, 10, 0)
    assert look(state, s, "kind", "first", "origin", "stop", "taken", "goal") == (1, 105, 105, -1, 105, 115)
    assert look(state, s, "start", "phase") == (1000, 1000 - 13_000)
    assert look(state, own, "status", "place") == (c.SERVED, s)
    assert look(state, BASE, "owner", "active") == (0, s)


def test_a_read_goes_on_with_its_stream() -> None:
    # What was read up to 107 is read on when that comes around, at 200.
    state = drive()
    put(state, BASE, here=10)
    s = stopped(state, 0, 100, 107)
    command(state, 0, **READ, next=105, given=105, end=115)
    start_read(state, BASE, 10, 0)
    assert look(state, s, "first", "origin", "stop", "start") == (100, 107, -1, 200)
    assert look(state, BASE, "owner", "active") == (0, s)


# --- passes that write ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "end", "last"), [(100, 120, 110), (100, 106, 106), (109, 120, 110), (110, 135, 120)]
)
def test_a_pass_ends_with_the_track_or_with_the_data(first: int, end: int, last: int) -> None:
    for options in ({"scheduling": "elevator"}, {"write_cache": True}, {}):
        state = drive(**options)
        assert sweep_end(state, BASE, dirty(state, 0, first, end)) == last


def test_first_come_first_served_without_a_cache_ends_a_pass_with_the_command() -> None:
    def end(*others: dict[str, int], **options: object) -> int:
        state = drive(**options)
        s = dirty(state, 0, 100, 120)
        command(state, 0, **SERVED, writes=1, place=s, next=106, end=106)
        for tag, words in enumerate(others, 1):
            command(state, tag, **({"writes": 1, "place": s, "next": 104, "end": 104} | SERVED | words))
        return sweep_end(state, BASE, s)

    assert end() == 106
    assert end({}) == 104
    assert end({"writes": 0}, {"status": c.FREE}) == 106
    assert end({"place": 9}, {"end": 100, "next": 100}) == 106
    assert end({}, scheduling="shortest") == end({}, write_cache=True) == 110


def test_the_arm_goes_to_the_first_dirty_sector() -> None:
    # On the track, no settling: sector 103 comes around at 800.
    state = drive()
    put(state, BASE, here=10)
    s = dirty(state, 1, 100, 120, destaged=103)
    start_write(state, BASE, 10, 1)
    assert look(state, s, "origin", "start", "phase") == (103, 800, 800 - 12_800)
    assert look(state, BASE, "owner", "chunk", "chunk_end", "here") == (c.DESTAGING, s, 110, 10)


# --- the end of a pass that reads ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "now", "time", "held"),
    [(110, 710, 790, 1), (140, 710, 4490, 1), (141, 710, 0, 0), (110, 1499, 1, 1), (110, 1500, 0, 0)],
)
def test_when_the_media_will_have_read_all_of_a_command(end: int, now: int, time: int, held: int) -> None:
    # A segment holds 40 sectors: whether the media goes on beyond 140 depends on who takes what.
    state = drive()
    own = command(state, 1, **SERVED, place=reading(state), next=100, end=end)
    assert media_time(state, BASE, now, 1) == -1
    put(state, BASE, owner=1)
    assert media_time(state, BASE, now, 1) == time
    assert look(state, own, "held") == (held,)
    segment(state, 0, stop=105)
    assert media_time(state, BASE, now, 1) == 0


@pytest.mark.parametrize(("status", "after"), [(c.SERVED, c.SERVED), (c.ENDED, c.FREE)])
def test_the_arm_is_given_back_once(status: int, after: int) -> None:
    state = drive()
    put(state, BASE, owner=1, waiting=2)
    own = command(state, 1, status=status, place=reading(state), held=1)
    assert free(state, BASE, 1500, 1) == 2
    assert look(state, own, "status", "held") == (after, 0)
    assert look(state, BASE, "owner", "waiting") == (c.NOBODY, 0)
    assert free(state, BASE, 1500, 1) == -1
