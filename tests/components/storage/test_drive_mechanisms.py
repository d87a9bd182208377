"""Single mechanisms of a drive, to the tick, worked out by hand from its datasheet. Times in ps.

A revolution takes 6 ms, so that a sector of the outer zone passes in 10 us; sector 0 is under its head at 0 ms.
"""

from __future__ import annotations

from types import ModuleType

import pytest
from drive_bench import CACHED, HEADS, MS, OVERHEAD, REVOLUTION, US, Command, carry_out, sheet
from pydantic import ValidationError

from simio.description.sheets.scsi import ScsiDisk

CYLINDER = HEADS * 600
PAUSE = 50 * MS


def took(engine: ModuleType, drive: object, *commands: Command, **interface: int) -> list[int]:
    return carry_out(engine, drive, commands, **interface)[1][0]


# --- seeks -------------------------------------------------------------------------------------------------

CURVE = [{"cylinders": 1, "time": MS}, {"cylinders": 11, "time": 2 * MS}, {"cylinders": 101, "time": 8 * MS}]
MEASURED = {"seek_single": None, "seek_average": None, "seek_full": None, "seek_curve": CURVE}


@pytest.mark.parametrize(
    ("cylinder", "seek"),
    [(1, 1000), (6, 1500), (11, 2000), (56, 5000), (101, 8000), (2000, 8000)],
)
def test_a_seek_curve_has_straight_lines_between_its_points(engine: ModuleType, cylinder: int, seek: int) -> None:
    # The sector that comes under its head just when the arm is there is read at once, the one before it a turn later.
    arrives = OVERHEAD // US + seek
    index = cylinder * (4 * 6000 + 3 * 900 + 1200)
    sectors = 600 if cylinder < 1000 else 400
    first = cylinder * CYLINDER if cylinder < 1000 else 1000 * CYLINDER + 1000 * HEADS * 500
    sector = (arrives - index) % 6000 * sectors // 6000
    passes = (index + sector * 6000 // sectors) % 6000
    late = (passes - arrives) % 6000
    (time,) = took(engine, sheet(**MEASURED), ("read", first + sector, 1, 0))
    assert time == (arrives + late + 6000 // sectors) * US


def test_the_sector_before_waits_a_revolution(engine: ModuleType) -> None:
    # 1.7 ms after the start the arm is on cylinder 6, whose sector 230 then begins: (167.4 + 2.3) ms modulo 6 ms.
    assert took(engine, sheet(**MEASURED), ("read", 6 * CYLINDER + 230, 1, 0)) == [1710 * US]
    assert took(engine, sheet(**MEASURED), ("read", 6 * CYLINDER + 229, 1, 0)) == [7700 * US]


def test_a_write_may_settle_sooner_than_a_read(engine: ModuleType) -> None:
    # The arm is on cylinder 1 after 0.2 + 0.5 - 0.4 ms; its sector 0 is at 3.9 ms, so that sector 240 is at 0.3 ms.
    drive = sheet(write_settle=-400 * US)
    assert took(engine, drive, ("write", CYLINDER + 240, 1, 0)) == [310 * US]
    assert took(engine, drive, ("write", CYLINDER + 239, 1, 0)) == [6300 * US]
    # Never before it began to move.
    assert took(engine, sheet(write_settle=-900 * US), ("write", CYLINDER + 230, 1, 0)) == [210 * US]


# --- skews -------------------------------------------------------------------------------------------------

SKEWED = [
    {"cylinders": 1000, "sectors": 600, "track_skew": 100, "cylinder_skew": 150},
    {"cylinders": 1000, "sectors": 500, "track_skew": 50, "cylinder_skew": 80},
    {"cylinders": 1000, "sectors": 400, "track_skew": 0, "cylinder_skew": 40},
]


def test_each_zone_has_its_own_skews(engine: ModuleType) -> None:
    drive = sheet(zones=SKEWED, track_skew=None, cylinder_skew=None)
    # Outside, tracks follow after 1 ms and cylinders after 1.5 ms: sector 2400 is there 28.5 ms after sector 0.
    ends, _ = carry_out(engine, drive, [("read", 600 * n, 600, 0) for n in range(4)] + [("read", 2400, 1, 0)])
    assert ends[0][4] == REVOLUTION + 28_510 * US
    # The next zone begins at 1000 * 28.5 ms, a whole number of turns; its tracks are 0.6 ms after one another.
    inner = 1000 * CYLINDER
    assert carry_out(engine, drive, [("read", inner, 1, 0)])[0][0][0] % REVOLUTION == 12 * US
    assert carry_out(engine, drive, [("read", inner + 500, 1, 0)])[0][0][0] % REVOLUTION == 612 * US
    next_cylinder = (3 * 600 + 960) * US
    assert carry_out(engine, drive, [("read", inner + 2000, 1, 0)])[0][0][0] % REVOLUTION == next_cylinder + 12 * US


# --- reading ahead -----------------------------------------------------------------------------------------


def ahead(engine: ModuleType, to: str, *commands: tuple[int, int], **values: object) -> list[bool]:
    """The reads, long after one another, that the buffer serves."""
    times = took(engine, sheet(read_ahead_to=to, **values), *(("read", *each, PAUSE) for each in commands))
    return [time == CACHED for time in times]


def test_reading_ahead_to_the_end_of_the_track(engine: ModuleType) -> None:
    reads = ((0, 100), (100, 500), (600, 10))
    assert ahead(engine, "segment", *reads) == [False, True, True]
    assert ahead(engine, "track", *reads) == [False, True, False]
    assert ahead(engine, "tracks", *reads) == [False, True, False]


def test_reading_ahead_to_the_end_of_the_next_track_in_a_stream(engine: ModuleType) -> None:
    # The first read ends on the second track, with sectors from the first.
    reads = ((590, 20), (1190, 10), (1200, 10))
    assert ahead(engine, "track", *reads) == [False, True, False]
    assert ahead(engine, "tracks", *reads) == [False, True, True]


def test_reading_ahead_in_recognised_streams_only(engine: ModuleType) -> None:
    reads = ((0, 10), (10, 10), (20, 10), (30, 560), (5000, 10), (5020, 10))
    assert ahead(engine, "stream", *reads) == [False, False, True, True, False, False]


def test_a_limit_of_what_is_read_ahead(engine: ModuleType) -> None:
    reads = ((0, 10), (10, 20), (5000, 10), (5030, 1))
    assert ahead(engine, "segment", *reads, read_ahead_limit=20 * 512) == [False, True, False, False]


# --- overheads ---------------------------------------------------------------------------------------------

OVERHEADS = {
    "write_overhead": 300 * US, "write_overhead_after_write": 150 * US,
    "read_overhead_after_write": 250 * US, "cached_read_overhead_after_write": 70 * US,
}  # fmt: skip


def test_overheads_differ_by_kind_and_by_the_command_before(engine: ModuleType) -> None:
    drive = sheet(write_cache=True, **OVERHEADS)
    commands = [("write", 0, 10, 0), ("write", 9000, 10, PAUSE), ("read", 9000, 10, PAUSE), ("read", 9000, 10, 0)]
    assert took(engine, drive, *commands) == [300 * US, 150 * US, 70 * US, CACHED]


def test_a_read_from_the_media_after_a_write(engine: ModuleType) -> None:
    # After 150 ms, a whole number of turns, and 0.25 ms of overhead sector 30 is 50 us away; after a read, 100 us.
    drive = sheet(write_cache=True, **OVERHEADS)
    commands = [("write", 0, 1, 0), ("read", 30, 1, 150 * MS - 300 * US)]
    assert took(engine, drive, *commands)[1] == 310 * US
    assert took(engine, drive, ("read", 30, 1, 0)) == [310 * US]
    assert took(engine, drive, ("read", 22, 1, 0)) == [230 * US]
    assert took(engine, drive, *commands[:1], ("read", 22, 1, 150 * MS - 300 * US))[1] == 6230 * US


def test_what_is_not_given_is_as_for_reads(engine: ModuleType) -> None:
    assert took(engine, sheet(write_cache=True), ("write", 0, 10, 0), ("write", 900, 10, 0)) == [CACHED, CACHED]
    assert took(engine, sheet(), ("write", 20, 1, 0)) == [OVERHEAD + 10 * US]


def test_completions_come_at_the_end(engine: ModuleType) -> None:
    drive = sheet(write_cache=True, read_completion=5 * US, write_completion=3 * US)
    assert took(engine, drive, ("write", 0, 10, 0), ("read", 0, 10, 0)) == [CACHED + 3 * US, CACHED + 5 * US]


# --- on the way to the host --------------------------------------------------------------------------------


def test_a_read_flows_over_a_slow_bus_from_its_first_sector_on(engine: ModuleType) -> None:
    # Sector 0 has been read at 6.01 ms; 20 sectors take 40 us each, in pieces of ten or at once.
    slow = {"byte": 78_125, "pace": 40 * US}
    for unit in (10, 20):
        assert took(engine, sheet(), ("read", 0, 20, 0), unit=unit * 512, **slow) == [6810 * US]


def test_a_read_flows_over_a_fast_bus_up_to_its_last_sector(engine: ModuleType) -> None:
    # Sector 19 has been read at 6.2 ms and takes 5.12 us; where ten are gathered, they all leave after that.
    fast = {"byte": 10_000, "unit": 20 * 512}
    assert took(engine, sheet(), ("read", 0, 20, 0), pace=5_120_000, **fast) == [6_205_120_000]
    assert took(engine, sheet(), ("read", 0, 20, 0), **fast) == [6200 * US + 20 * 5_120_000]


def test_a_read_over_two_tracks_does_not_run_dry_at_the_skew(engine: ModuleType) -> None:
    # Sectors 590 to 609: sector 600 is read at 12.91 ms, sector 609 at 13 ms. At 50 us a sector the first ten would
    # leave before: it begins so late that sector 600 is in time.
    (time,) = took(engine, sheet(), ("read", 590, 20, 0), byte=100_000, unit=20 * 512, pace=51_200_000)
    assert time == 6910 * US + 10 * 51_200_000


def test_a_write_without_a_cache_moves_the_arm_with_its_first_sector(engine: ModuleType) -> None:
    # 20 sectors of 51.2 us over the bus: the arm leaves when one is there, at 0.2512 ms, not ten, and arrives when
    # all are there.
    drive = sheet(**MEASURED, write_settle=0)
    slow = {"byte": 100_000, "unit": 10 * 512}
    # Cylinder 11 after 2 ms, at 2.2512 ms: sector 0 is there at 306.9 ms modulo 6, 0.9 ms, and sector 136 at 2.26 ms.
    assert took(engine, drive, ("write", 11 * CYLINDER + 136, 20, 0), pace=51_200_000, **slow) == [2460 * US]
    assert took(engine, drive, ("write", 11 * CYLINDER + 136, 20, 0), **slow) == [8460 * US]


def test_zero_latency_reads_what_comes_first(engine: ModuleType) -> None:
    # After 0.2 ms the head is at sector 20: a turn later it has passed all of a read of sectors 0 to 299.
    reads = {0: (9000, 6200), 100: (4000, 4000), 20: (3200, 3200), 21: (3210, 3210), 19: (9190, 6200)}
    for first, (without, with_it) in reads.items():
        assert took(engine, sheet(), ("read", first, 300, 0)) == [without * US]
        assert took(engine, sheet(zero_latency=True), ("read", first, 300, 0)) == [with_it * US]


def test_without_preseeking_the_arm_waits_for_the_data_to_leave(engine: ModuleType) -> None:
    # The media has read the first command at 6.1 ms, and the bus has taken it, at 0.512 ms a sector, at 11.22 ms. On
    # the next cylinder, 0.5 ms away, sector 0 comes around at 9.9 and at 15.9 ms.
    first, second = [("read", 0, 10, 0)], [("read", CYLINDER, 1, 0)]
    slow = {"byte": 1_000_000}
    soon, _ = carry_out(engine, sheet(), first, second, **slow)
    late, _ = carry_out(engine, sheet(preseek=False), first, second, **slow)
    assert soon[0] == late[0] == [6100 * US + 5120 * US]
    assert soon[1] == [11_220 * US + 512 * US]
    assert late[1] == [15_910 * US + 512 * US]


# --- datasheets that cannot be -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seek_single": None}, "without a seek_curve"),
        ({"seek_curve": CURVE}, "beside a seek_curve"),
        ({**MEASURED, "seek_curve": CURVE[:1]}, "two points at least"),
        ({**MEASURED, "seek_curve": [CURVE[1], CURVE[0]]}, "points in ascending order"),
        ({"track_skew": None}, "as a zone has no skews of its own"),
        ({"zones": SKEWED}, "as each zone has its own"),
        ({"zones": [{"cylinders": 9, "sectors": 9, "track_skew": 1}]}, "both skews of a zone"),
        ({"read_ahead_limit": 512, "read_ahead_to": "track"}, "without read-ahead into the segment"),
        ({"read_ahead_to": "cylinder"}, "'segment', 'track', 'tracks' or 'stream'"),
    ],
)
def test_datasheets_that_cannot_be(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        sheet(**values)


def scsi(**values: object) -> ScsiDisk:
    known = {key: value for key, value in vars(sheet()).items() if key not in ("frame_payload", "credit", "zones")}
    zones = [{"cylinders": 10, "sectors": 10}]
    return ScsiDisk(**(known | {"zones": zones, "synchronous": "10 MB/s", "width": 1} | values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "without a read_mark"),
        ({"reconnect": 4096, "read_mark": "50%"}, "beside a read_mark"),
        ({"read_mark": "150%"}, "at most 100%"),
        ({"reconnect": 2**30}, "to a buffer segment"),
    ],
)
def test_a_drive_gathers_bytes_or_a_share(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        scsi(**values)
