"""Reads and writes of one drive against closed forms from its datasheet. Times in ps."""

from __future__ import annotations

import random
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from drive_bench import (
    CACHED,
    CYLINDER,
    CYLINDER_SKEW,
    CYLINDERS,
    HEADS,
    MS,
    OVERHEAD,
    REVOLUTION,
    SECTORS,
    SEGMENT,
    SETTLE,
    TRACK_SKEW,
    US,
    ZONES,
    Command,
    Interface,
    carry_out,
    path,
    program,
    seek,
    sheet,
)

from simio.bound import bound
from simio.components.storage.disk import DiskDrive
from simio.engines import compiled
from simio.program.builder import Builder

TURN = HEADS * REVOLUTION + (HEADS - 1) * TRACK_SKEW + CYLINDER_SKEW
"""A cylinder of whichever zone, in a sequential pass."""


def sequence(kind: str, first: int, count: int, commands: int, pause: int = 0) -> list[Command]:
    return [(kind, first + n * count, count, pause) for n in range(commands)]


# --- sequential ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("zone", [0, 1, 2])
def test_sequential_rate_of_each_zone(engine: ModuleType, kind: str, zone: int) -> None:
    # Six commands a cylinder; from the second cylinder on the media sets the pace.
    sectors = ZONES[zone][1]
    first = sum(cylinders * s * HEADS for cylinders, s in ZONES[:zone])
    count = HEADS * sectors // 8
    drive = sheet(write_cache=True)
    ends, _ = carry_out(engine, drive, sequence(kind, first, count, 8 * 12))
    assert ends[0][8 * 12 - 1] - ends[0][8 * 2 - 1] == 10 * TURN


@pytest.mark.parametrize("kind", ["read", "write"])
def test_streaming_across_a_zone_boundary(engine: ModuleType, kind: str) -> None:
    # From the last cylinder of the outer zone to the first of the next, unit by unit.
    first = 999 * CYLINDER
    drive = sheet(write_cache=True)
    commands = sequence(kind, first, 200, 24)
    ends, _ = carry_out(engine, drive, commands)
    behind = SEGMENT if kind == "write" else 0
    late, soon = 22, 8
    spent = path(first + 200 * (late + 1) - behind - 1) - path(first + 200 * (soon + 1) - behind - 1)
    # The last sector of each command: what it lasts differs between the zones.
    zones = [600 if first + 200 * (n + 1) - behind <= 1000 * CYLINDER else 500 for n in (soon, late)]
    spent += REVOLUTION // zones[1] - REVOLUTION // zones[0]
    assert ends[0][late] - ends[0][soon] == spent


def test_commands_that_wait_in_the_queue_go_on_without_a_break(engine: ModuleType) -> None:
    # Eight threads want 100 sectors each, which follow one another. The first gets the arm after the overhead;
    # sector 0 comes around at 6 ms, and the track ends at 12 ms. The skew of 0.9 ms parts the rest.
    for kind in ("read", "write"):
        ends, _ = carry_out(engine, sheet(), *([(kind, 100 * n, 100, 0)] for n in range(8)))
        assert [end for (end,) in ends] == [
            REVOLUTION + (n + 1) * MS + (TRACK_SKEW if n >= 6 else 0) for n in range(8)
        ]


def test_writing_without_a_cache_loses_a_revolution_a_command(engine: ModuleType) -> None:
    # Each command learns of its end when the next sector is already under the head.
    ends, _ = carry_out(engine, sheet(), sequence("write", 0, 50, 10))
    assert ends[0] == [REVOLUTION * (n + 1) + 500 * US * (n + 1) for n in range(10)]


def test_reading_without_read_ahead_loses_a_revolution_a_command(engine: ModuleType) -> None:
    ends, _ = carry_out(engine, sheet(read_ahead=False), sequence("read", 0, 50, 10))
    assert ends[0] == [REVOLUTION * (n + 1) + 500 * US * (n + 1) for n in range(10)]
    ends, _ = carry_out(engine, sheet(), sequence("read", 0, 50, 10))
    assert ends[0] == [REVOLUTION + 500 * US * (n + 1) for n in range(10)]


def test_the_interface_goes_on_while_the_arm_seeks(engine: ModuleType) -> None:
    # 500 sectors at 20 us each over the interface take twice as long as from the media; the second command, on
    # another cylinder, is read meanwhile, and waits for the wire only.
    first, second = [("read", 0, 500, 0)], [("read", 301 * CYLINDER, 500, 0)]
    byte = 20 * US // 512 + 1
    alone, _ = carry_out(engine, sheet(), first, byte=byte)
    both, _ = carry_out(engine, sheet(), first, second, byte=byte)
    read = 500 * 512 * byte
    assert both[1][0] - alone[0][0] <= read
    assert both[1][0] >= OVERHEAD + 2 * read


def test_reading_and_writing_to_the_last_sector(engine: ModuleType) -> None:
    for kind in ("read", "write"):
        ends, _ = carry_out(engine, sheet(), [(kind, SECTORS - 30, 30, 0)])
        assert ends[0][0] > 0


# --- random --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("kind", ["read", "write"])
def test_random_access_takes_the_time_of_its_parts(count: int, kind: str) -> None:
    choose = random.Random(11)
    reads = 6000
    commands = [(kind, choose.randrange(SECTORS - count), count, choose.randrange(10 * MS)) for _ in range(reads)]
    _, took = carry_out(compiled, sheet(), commands)
    share = np.repeat([6 / 15, 5 / 15, 4 / 15], 1000) / 1000
    apart = np.correlate(share, share, "full")[CYLINDERS - 1 :] * 2
    seeks = sum(apart[d] * seek(d) for d in range(1, CYLINDERS))
    transfer = count * REVOLUTION * sum(s * 1000 / n for s, n in zip(share[::1000], (600, 500, 400), strict=True))
    settle = SETTLE if kind == "write" else 0
    expected = OVERHEAD + seeks + settle + REVOLUTION / 2 + transfer
    assert sum(took[0]) / reads == pytest.approx(expected, rel=0.02)


def test_a_write_settles_after_a_seek_and_a_switch_of_heads_alone(engine: ModuleType) -> None:
    # Track 0, then track 1 in the same turn: sector s of track 1 comes s * 10 us and the skew after the index.
    # The first command ends at 6.01 ms; the next reaches the arm 0.2 ms later and the head after another 0.3.
    # Reading it could have sector 0 at 6.9 ms; writing, with 0.4 ms more, cannot have sector 0 at 6.9 ms, but has
    # sector 2 at 6.92.
    for kind, sector, turns in (("read", 600, 0), ("write", 600, 1), ("write", 602, 0), ("write", 70, 0)):
        ends, _ = carry_out(engine, sheet(), [("read", 0, 1, 0), (kind, sector, 1, 0)])
        angle = (sector - 600) * 10 * US + TRACK_SKEW if sector >= 600 else sector * 10 * US
        assert ends[0][1] == (1 + turns) * REVOLUTION + angle + 10 * US


# --- segments ------------------------------------------------------------------------------------------------


def interleaved(streams: int, rounds: int) -> list[Command]:
    """Streams on different cylinders in turns, with time to read ahead after each command."""
    return [
        ("read", 300 * CYLINDER * stream + 50 * n, 50, 40 * MS) for n in range(rounds) for stream in range(streams)
    ]


def test_each_stream_has_a_segment_while_there_are_enough(engine: ModuleType) -> None:
    _, took = carry_out(engine, sheet(segments=3), interleaved(3, 5))
    assert all(time > OVERHEAD for time in took[0][:3])
    assert took[0][3:] == [CACHED] * 12


def test_streams_thrash_where_segments_are_too_few(engine: ModuleType) -> None:
    # The least recently used segment is always the one that is needed next.
    _, took = carry_out(engine, sheet(segments=2), interleaved(3, 5))
    assert min(took[0][3:]) > OVERHEAD + seek(300) * 0.999


def test_reading_the_same_again_is_served_from_the_buffer(engine: ModuleType) -> None:
    _, took = carry_out(engine, sheet(), [("read", 0, 50, 0)] + [("read", 10, 20, 0)] * 3)
    assert took[0][1:] == [CACHED] * 3


def test_what_the_ring_has_overwritten_is_read_again(engine: ModuleType) -> None:
    # After 1000 sectors, and reading ahead for a while, a segment of 800 does not have the first any more.
    _, took = carry_out(engine, sheet(segments=1), [("read", 0, 1000, 0), ("read", 0, 50, 100 * MS)])
    assert took[0][1] > OVERHEAD


def test_a_command_longer_than_a_segment(engine: ModuleType) -> None:
    # The host takes at once, so that the media never stops: three tracks and 200 sectors.
    ends, _ = carry_out(engine, sheet(segments=1), [("read", 0, 2000, 0)])
    assert ends[0] == [REVOLUTION + 3 * (REVOLUTION + TRACK_SKEW) + 2 * MS]


# --- the write cache -----------------------------------------------------------------------------------------


def test_a_burst_that_fits_the_cache_takes_the_time_of_the_interface(engine: ModuleType) -> None:
    byte = 10_000
    _, took = carry_out(engine, sheet(write_cache=True), sequence("write", 0, 100, 8), byte=byte)
    assert took[0] == [CACHED + 100 * 512 * byte] * 8


def test_scattered_writes_fit_as_many_as_there_are_segments(engine: ModuleType) -> None:
    commands = [("write", 400 * CYLINDER * (n + 1), 10, 0) for n in range(6)]
    _, took = carry_out(engine, sheet(write_cache=True, segments=4), commands)
    assert took[0][:4] == [CACHED] * 4
    assert min(took[0][4:]) > CACHED


def test_dirty_sectors_are_read_from_the_buffer(engine: ModuleType) -> None:
    # The arm is on its way to cylinder 1000 when they are asked for.
    commands = [("write", 1000 * CYLINDER, 100, 0), ("read", 1000 * CYLINDER + 20, 50, 0)]
    _, took = carry_out(engine, sheet(write_cache=True), commands)
    assert took[0] == [CACHED, CACHED]


def test_a_read_across_the_edge_of_dirty_sectors_waits_until_they_are_on_the_media(
    engine: ModuleType,
) -> None:
    first = 1000 * CYLINDER
    commands = [("write", first, 100, 0), ("read", first + 50, 100, 0)]
    ends, _ = carry_out(engine, sheet(write_cache=True), commands)
    # The write's thread needs a seek and settling to get there. The rest follows without a break.
    arrival = CACHED + seek(1000) + SETTLE
    turns = -(-(arrival - float(path(first) % REVOLUTION)) // REVOLUTION)
    start = float(path(first) % REVOLUTION) + turns * REVOLUTION
    assert ends[0][1] == pytest.approx(start + 150 * REVOLUTION // 500, abs=US)


def test_a_read_goes_before_what_is_still_dirty(engine: ModuleType) -> None:
    # Three runs are dirty and the arm is under way to the first of them; the read is next.
    writes = [("write", 400 * CYLINDER * (n + 1), 10, 0) for n in range(3)]
    read = ("read", 2900 * CYLINDER // 2, 10, 0)
    _, took = carry_out(engine, sheet(write_cache=True), [*writes, read])
    assert took[0][:3] == [CACHED] * 3
    assert took[0][3] < OVERHEAD + 2 * (seek(400) + SETTLE + REVOLUTION + 10 * REVOLUTION // 400) + seek(1500)
    alone, _ = carry_out(engine, sheet(write_cache=True), [read])
    assert took[0][3] > alone[0][0]


def test_rewriting_dirty_sectors_takes_no_further_room(engine: ModuleType) -> None:
    commands = [("write", 1000 * CYLINDER, 100, 0)] + [("write", 1000 * CYLINDER + 30, 40, 0)] * 5
    _, took = carry_out(engine, sheet(write_cache=True, segments=1), commands)
    assert took[0] == [CACHED] * 6


def test_sectors_that_a_write_has_changed_are_not_read_from_an_old_copy(engine: ModuleType) -> None:
    commands = [("read", 0, 50, 0), ("write", 10, 5, 0), ("read", 0, 50, 100 * MS)]
    _, took = carry_out(engine, sheet(), commands)
    assert took[0][2] > OVERHEAD


# --- the bound -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1000 * CYLINDER])
def test_what_the_bound_takes_for_certain_is_never_more_than_what_a_run_takes(first: int) -> None:
    commands = [("read", first, 4000, 0)] * 3
    made = program(sheet(), [commands])
    window = next(limit for limit in bound(made).limits if limit.name == "d media")
    # All but what the buffer holds, at the rate of the outer zone.
    assert window.time == 3 * (4000 - 4 * SEGMENT) * REVOLUTION // 600
    assert window.time <= compiled.run(made).end


def test_a_flush_ends_when_the_media_has_all_that_is_in_the_write_cache(engine: ModuleType) -> None:
    p = Builder()
    drive = DiskDrive(p, SimpleNamespace(name="d", part=SimpleNamespace(sheet=sheet(write_cache=True))))
    done = p.observation("done")
    with p.thread("host"):
        sector = p.register(0)
        for number in (5000, 100_000, 400_000):
            sector.set(number)
            drive.write(sector, 4096, Interface(p))
        p.mark(done, p.now())
        drive.flush()
        p.mark(done, p.now())
        drive.flush()
        p.mark(done, p.now())
    written, flushed, again = (int(value) for _, _, value in engine.run(p.build()).marks)
    # In the cache at once; then three seeks of 500 us or more, and turns of the disk; then nothing is left to do.
    assert written < 3 * MS
    assert flushed > written + 3 * 500 * US
    assert again == flushed
