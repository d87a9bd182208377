"""The disk mechanism against what a datasheet says, worked out here and not taken from its code. Times in ps."""

from __future__ import annotations

import random
from math import isqrt

import numpy as np
import pytest
from disk_bench import (
    AVERAGE,
    CYLINDER,
    CYLINDER_SKEW,
    CYLINDERS,
    FULL,
    HEAD_SWITCH,
    HEADS,
    MS,
    REVOLUTION,
    SECTORS,
    SEGMENT,
    SINGLE,
    TRACK_SKEW,
    US,
    ZONES,
    Drive,
    stream,
)

from simio.machines import disk
from simio.machines.disk import arm, queue, reading, writing
from simio.machines.disk.geometry import seek_time, square_root

# --- where the platters are --------------------------------------------------------------------------------


def test_the_first_sector_comes_around_with_the_platter() -> None:
    # Sector n of the first track starts n/600 of a revolution after the index; reading it takes 1/600.
    drive = Drive()
    assert drive.read(0) == REVOLUTION // 600
    for start, sector, end in ((0, 300, 3010), (2999, 300, 3010), (3000, 300, 3010), (3001, 300, 9010)):
        drive = Drive()
        drive.now = start * US
        assert drive.read(sector) == end * US


def test_the_platters_turn_for_ever() -> None:
    # 10**6 revolutions and a third later, sector 300 is a sixth of a revolution away.
    drive = Drive()
    drive.now = 10**6 * REVOLUTION + REVOLUTION // 3
    assert drive.read(300) == 10**6 * REVOLUTION + REVOLUTION // 2 + REVOLUTION // 600


def test_sequential_reading_takes_a_revolution_and_a_skew_a_track() -> None:
    # Four tracks of a cylinder with three head switches, then the step to the next cylinder.
    drive = Drive()
    drive.begin(0, 600)
    ends = stream(drive, 2 * CYLINDER)
    for track in range(8):
        turned = track * REVOLUTION + (track - track // 4) * TRACK_SKEW + (track // 4) * CYLINDER_SKEW
        assert ends[600 * track] == turned + REVOLUTION // 600
        assert ends[600 * track + 599] == turned + REVOLUTION


def test_sequential_rate_of_each_zone() -> None:
    # A cylinder of each zone takes 4 revolutions, 3 track skews and one cylinder skew, whatever it holds.
    first = 0
    for cylinders, sectors in ZONES:
        drive = Drive()
        drive.read(first)
        began = drive.now
        ends = stream(drive, 10 * HEADS * sectors, unit=HEADS * sectors // 10)
        assert ends[-1] - began == 10 * (HEADS * REVOLUTION + 3 * TRACK_SKEW + CYLINDER_SKEW)
        first += cylinders * HEADS * sectors


def test_streaming_across_a_zone_boundary() -> None:
    # The last sector of the outer zone and the first of the next: the cylinder skew lies between.
    drive = Drive()
    last = 1000 * CYLINDER - 1
    end = drive.read(last)
    assert drive.wait(1) - end == CYLINDER_SKEW + REVOLUTION // 500


def test_commands_that_follow_each_other_are_one_stream() -> None:
    whole, parts = Drive(), Drive()
    whole.begin(5000, 64)
    stream(whole, 64)
    for sector in range(5000, 5064, 16):
        parts.begin(sector, 16)
        stream(parts, 16)
    assert parts.now == whole.now


# --- the arm -----------------------------------------------------------------------------------------------


def seek(distance: int) -> int:
    """Time to move the arm over a distance."""
    return int(seek_time(Drive().state, 7, distance))


def test_seek_curve_passes_through_the_published_times() -> None:
    assert seek(0) == 0
    assert seek(1) == SINGLE
    assert seek(CYLINDERS - 1) == pytest.approx(FULL, rel=0.002)
    pairs = random.Random(4)
    spans = [abs(pairs.randrange(CYLINDERS) - pairs.randrange(CYLINDERS)) for _ in range(50_000)]
    assert sum(map(seek, spans)) / len(spans) == pytest.approx(AVERAGE, rel=0.02)


def test_seek_curve_of_real_drives() -> None:
    # Published (single, average, full) in us and cylinders: two Seagate Cheetahs and a drive of the early nineties.
    for times, cylinders in (
        ((831, 5460, 10630), 6962),
        ((300, 3600, 7000), 18_000),
        ((1700, 11_000, 22_000), 2000),
    ):
        sheet = disk.initial([(cylinders, 10)], tuple(US * t for t in times), revolution=MS, heads=1, segment=4)
        state = np.array(sheet, dtype=np.int64)
        curve = np.array([int(seek_time(state, 0, d)) for d in range(cylinders)])
        # Of all pairs of cylinders, 2 * (cylinders - d) of cylinders**2 are d apart.
        weights = 2.0 * (cylinders - np.arange(cylinders))
        average = (curve * weights).sum() / cylinders**2
        assert curve[1] == times[0] * US
        assert average == pytest.approx(times[1] * US, rel=0.02)
        assert curve[-1] == pytest.approx(times[2] * US, rel=0.01)
        assert (np.diff(curve) >= 0).all()


def test_roots_are_whole_and_exact() -> None:
    for value in [*range(300), *(n * n + d for n in (2**20, 2**27 + 5, 2**30 - 1) for d in (-1, 0, 1))]:
        assert square_root(value) == isqrt(value)


def test_seek_is_the_same_both_ways() -> None:
    # There and back between cylinders 100 and 700 at an instant when the arm has just read: same angle, same time.
    for here, there in ((100, 700), (700, 100)):
        drive = Drive()
        drive.read(here * CYLINDER)
        left = drive.now
        drive.begin(there * CYLINDER)
        arrived = drive.now + drive.delay(1) - REVOLUTION // 600
        # Every read begins at a multiple of a revolution after the target's angle; it is not before the seek ends.
        assert 0 <= arrived - left - seek(600) < REVOLUTION


def test_head_switch() -> None:
    # From track 0 sector 299 (just read, at half a revolution) to track 1: its sector s is skewed by 0.9 ms, or 90
    # sectors. After the switch of 0.3 ms (30 sectors) the angle is 330: sector 240 of track 1 is just there.
    for sector, turns in ((240, 0), (239, 1), (250, 0)):
        drive = Drive()
        drive.read(299)
        begin = 3 * MS
        assert drive.now == begin
        angle = (sector + 90) * 10 * US
        assert drive.read(600 + sector) == angle + turns * REVOLUTION + 10 * US
        assert (angle - begin < HEAD_SWITCH) == bool(turns)


def test_random_access_takes_a_seek_half_a_revolution_and_the_transfer() -> None:
    choose = random.Random(7)
    drive = Drive()
    count, reads = 8, 8000
    for _ in range(reads):
        drive.read(choose.randrange(SECTORS - count), count)
        # The host thinks for a while, so that requests meet the platter at any angle.
        drive.now += choose.randrange(10 * MS)
    spent = drive.now - reads * 5 * MS
    # Sectors lie in proportion 6:5:4 in thirds of the arm's way, so that a seek differs a little from the average
    # over cylinders: the mean over pairs of sectors is worked out with the square-root curve through the three
    # published times (Lee and Katz).
    root = (-10 * SINGLE + 15 * AVERAGE - 5 * FULL) / (3 * CYLINDERS**0.5)
    line = (7 * SINGLE - 15 * AVERAGE + 8 * FULL) / (3 * CYLINDERS)
    share = np.repeat([6 / 15, 5 / 15, 4 / 15], 1000) / 1000
    apart = np.correlate(share, share, "full")[CYLINDERS - 1 :] * 2
    steps = np.arange(CYLINDERS - 1)
    seeks = float((apart[1:] * (SINGLE + root * np.sqrt(steps) + line * steps)).sum())
    transfer = count * REVOLUTION * (share[0] / 600 + share[1500] / 500 + share[-1] / 400) * 1000
    assert spent / reads == pytest.approx(seeks + REVOLUTION / 2 + transfer, rel=0.02)


# --- the buffer --------------------------------------------------------------------------------------------


def test_the_drive_reads_ahead_while_nobody_asks() -> None:
    # After the first sector the host is away for 3 ms: 300 sectors are read meanwhile and need no wait.
    drive = Drive()
    drive.read(0)
    drive.now += 3 * MS
    for _ in range(300):
        assert drive.delay(1) == 0
        drive.wait(1)
    assert drive.delay(1) == 10 * US


def test_a_full_buffer_costs_rotational_position() -> None:
    # The segment holds 200 sectors. The host takes sector 0 and is away for 4.99 ms. The media reads on to sector
    # 201 (at 2.01 ms) and stops. At 5 ms the host takes 99: 101 are left, more than half. With the 100th the media
    # starts again, and sector 201 comes around at 6 + 2.01 ms.
    drive = Drive(segment=200)
    drive.read(0)
    drive.now += 4990 * US
    stream(drive, 99)
    assert drive.now == 5 * MS
    drive.wait(1)
    stream(drive, 100)
    assert drive.now == 5 * MS
    assert drive.wait(1) == 8010 * US + 10 * US
    assert drive.wait(1) == 8030 * US


def test_a_host_that_takes_in_time_never_stops_the_media() -> None:
    # Each 100 sectors are taken within the ms that the media takes for them.
    drive = Drive(segment=200)
    drive.begin(0, 100)
    for track in range(3):
        for hundred in range(6):
            ready = drive.wait(100)
            assert ready == track * (REVOLUTION + TRACK_SKEW) + (hundred + 1) * MS
            drive.now += 900 * US


def test_waiting_for_more_than_a_stopped_buffer_holds() -> None:
    # As above the media has stopped before sector 201 and the host has taken 60: 141 are there, and room for 59
    # more. Somebody who wants 160 at once makes the media go on: sectors 201 to 220 come around from 8.01 ms on.
    drive = Drive(segment=200)
    drive.read(0)
    drive.now += 4990 * US
    drive.wait(60)
    assert drive.now == 5 * MS
    assert drive.delay(140) == 0
    assert drive.wait(160) == 8010 * US + 20 * 10 * US


def test_a_seek_forgets_the_buffer() -> None:
    # Reading on from elsewhere and coming back costs a revolution's wait, though the sectors had been read ahead.
    drive = Drive()
    drive.read(0)
    drive.now += 3 * MS
    drive.read(100 * CYLINDER)
    back = drive.now
    assert drive.read(1) - back >= seek(100)


def test_state_carries_over() -> None:
    # The same request costs differently after different ones, and the same after the same.
    def second(first: int) -> int:
        drive = Drive()
        drive.read(first)
        drive.now = 50 * MS
        return drive.read(500 * CYLINDER) - 50 * MS

    assert second(499 * CYLINDER) == second(499 * CYLINDER)
    # From cylinder 499 the arm is there after 0.5 ms; from cylinder 2999 after most of a full stroke.
    assert second(SECTORS - 2) - second(499 * CYLINDER) in {n * REVOLUTION for n in range(1, 3)}


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sector", "count"),
    [(-1, 1), (0, 0), (0, -1), (SECTORS, 1), (SECTORS - 1, 2), (0, SECTORS + 1), (2**62, 2**61),
     (2**63 - 1, 2**62 - 1), (-(2**63), 1)],
)  # fmt: skip
def test_sectors_that_the_disk_does_not_have(sector: int, count: int) -> None:
    drive = Drive()
    before = drive.state.copy()
    assert drive.ask(queue.enqueue, sector, 2 * count) == -1
    assert (drive.state == before).all()


def test_the_last_sector_can_be_read() -> None:
    # The media stops there; reading on from the disk's end is not to be had.
    drive = Drive()
    drive.read(SECTORS - 9, 9)
    drive.now += 50 * MS
    assert drive.ask(queue.enqueue, SECTORS, 2) == -1


@pytest.mark.parametrize("count", [0, -1, SEGMENT + 1, 2**63 - 1])
def test_more_than_a_segment_is_never_ready(count: int) -> None:
    drive = Drive()
    drive.begin(0, 2 * SEGMENT)
    assert drive.ask(reading.next_unit, drive.tag, count) == -1


def test_more_than_the_command_asked_for_is_refused() -> None:
    drive = Drive()
    drive.begin(0, 10)
    assert drive.ask(reading.next_unit, drive.tag, 11) == -1
    assert drive.ask(reading.next_unit, drive.tag, 10) >= 0
    assert drive.ask(reading.next_unit, drive.tag, 1) == -1


@pytest.mark.parametrize("tag", [-1, 1, 2, 2**63 - 1, -(2**63)])
def test_commands_that_are_not_there(tag: int) -> None:
    drive = Drive()
    drive.begin(0, 10)
    before = drive.state.copy()
    for function in (
        arm.media_time, arm.free, reading.begin, reading.next_unit, reading.end,
        writing.admit, writing.room, writing.store, writing.stored,
    ):  # fmt: skip
        assert drive.ask(function, tag, 1) == -1
    assert (drive.state == before).all()


def test_a_full_queue() -> None:
    drive = Drive(depth=2)
    assert [drive.ask(queue.enqueue, 0, 2) for _ in range(4)] == [0, 1, 2, -1]


def test_too_near_the_horizon() -> None:
    drive = Drive()
    drive.now = 2**63 - 1
    assert drive.ask(queue.enqueue, 0, 2) == -1
    drive.now = 0
    tag = drive.ask(queue.enqueue, 0, 2)
    drive.now = 2**63 - 1
    assert drive.ask(reading.begin, tag) == -1
