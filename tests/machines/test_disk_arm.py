"""A drive's arm: where it goes, and what the media does from then on."""

from __future__ import annotations

import pytest
from disk_state import BASE, command, dirty, drive, look, put, reading, segment

from simio.machines.disk import layout as c
from simio.machines.disk.arm import media_time, move, sweep_end

READ = {"status": c.QUEUED, "writes": 0}
SERVED = {"status": c.SERVED}


def test_the_arm_leaves_what_the_media_was_reading() -> None:
    # Sector 112 has been read at 2000, when the head of the other track is 150 ps away, or 200 to write.
    for writes, time in ((False, 2150), (True, 2200)):
        state = drive()
        s = reading(state)
        assert move(state, BASE, 2000, 105, writes) == time
        assert look(state, s, "stop") == (113,)
        assert look(state, BASE, "active", "here", "direction") == (-1, 10, 1)


# --- sweeps that write ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "end", "last"), [(100, 120, 110), (100, 106, 106), (109, 120, 110), (110, 135, 120)]
)
def test_a_sweep_ends_with_the_track_or_with_the_data(first: int, end: int, last: int) -> None:
    for options in ({"scheduling": "elevator"}, {"write_cache": True}, {}):
        state = drive(**options)
        assert sweep_end(state, BASE, dirty(state, 0, first, end)) == last


def test_first_come_first_served_without_a_cache_ends_a_sweep_with_the_command() -> None:
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


# --- the end of a sweep that reads ----------------------------------------------------------------------------


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
