"""A solid-state drive against closed forms from its datasheet, and against what is known of greedy collection."""

from __future__ import annotations

from math import exp
from types import ModuleType, SimpleNamespace

import pytest
from ssd_bench import CONTROL, DECODE, KIB4, PROGRAM, SECTOR_MOVES, US, Bench

from simio.components.storage.ssd import SolidStateDrive
from simio.engines import compiled, reference
from simio.machines.ssd.layout import CACHED, CARRIED, HOST_SECTORS, MOVED_SECTORS, RESERVED, WORKED


def test_a_read_takes_its_page_the_channel_and_decoding(engine: ModuleType) -> None:
    bench = Bench()
    bench.thread("read", 0, 8, 16)
    rest = CONTROL + SECTOR_MOVES + DECODE
    assert bench.times(engine) == pytest.approx([30 + rest, 40 + rest, 30 + rest], abs=0.01)


def test_reads_of_one_die_follow_one_another_and_of_two_do_not(engine: ModuleType) -> None:
    for other, expected in ((12, 30 + 30), (24, 30)):
        bench = Bench(placement="filled", command_time="0 s")
        bench.thread("read", 0)
        bench.thread("read", other if other == 24 else 16)
        assert max(bench.times(engine)) == pytest.approx(4 + expected + SECTOR_MOVES + DECODE, abs=0.01)


def test_the_controller_commands_each_further_page_of_a_read(engine: ModuleType) -> None:
    """Sectors 2 to 5 are on two pages of a row, one array read: 2 us for the second, and a read behind."""
    bench = Bench(fragment_time="2 us", command_time="1 us", command_latency="4 us")
    bench.thread("read", 2, size=4 * KIB4)
    bench.thread("read", 24)
    pages = 2 * 2 + 4 * 10
    whole, single = 1 + 2 + 4 + 30 + pages + DECODE, 3 + 1 + 4 + 30 + SECTOR_MOVES + DECODE
    assert sorted(bench.times(engine)) == pytest.approx([single, whole], abs=0.01)


def test_a_large_read_takes_the_controller_for_all_of_its_pages(engine: ModuleType) -> None:
    """128 KiB in order of address are eight pages: 1 + 7 x 50 us, and only then comes the read of one sector."""
    bench = Bench(fragment_time="50 us")
    bench.thread("read", 48, size=32 * KIB4)
    bench.thread("read", 0)
    first, _ = sorted(bench.times(engine))
    assert first == pytest.approx(1 + 7 * 50 + 1 + 4 + 30 + SECTOR_MOVES + DECODE, abs=0.01)


def test_the_last_of_several_drives_lags(engine: ModuleType) -> None:
    bench = Bench(last=True, lag="10 %", command_time="10 us")
    bench.thread("read", 0)
    assert bench.times(engine) == pytest.approx([11 + 4 + 33 + SECTOR_MOVES + DECODE], abs=0.01)


def test_a_drive_that_was_just_written_to_has_a_full_cache(engine: ModuleType) -> None:
    cached = []
    for placement in ("steady", "written"):
        bench = Bench(placement=placement, cache="768 KiB", cache_program="100 us", cache_read="20 us")
        bench.thread("write", 0)
        cached.append(int(bench.run(engine).state[bench.drive._tables + CACHED]))
    assert cached == [0, 8]


def test_drives_alike_hold_the_same_before_the_run(engine: ModuleType) -> None:
    """The second drive of a sheet is filled by the first write to the first; the times of a run are those of one."""
    pair = Bench(placement="steady")
    twin = SolidStateDrive(pair.p, SimpleNamespace(name="e", part=pair.part, last=False))
    alone = Bench(placement="steady")
    for bench, drives in ((alone, (alone.drive,)), (pair, (pair.drive, twin))):
        for drive in drives:
            bench.drive = drive
            bench.thread("write", 3, at=0)
            bench.thread("read", 0, 5, 77, at=1000)
    assert sorted(pair.times(engine)) == sorted(2 * alone.times(engine))


def test_independent_planes_read_at_once(engine: ModuleType) -> None:
    """Sectors 0 and 20 are on the two planes of one die, in different rows."""
    slow, fast = (Bench(independent=independent, command_time="0 s") for independent in (False, True))
    for bench in (slow, fast):
        bench.thread("read", 0)
        bench.thread("read", 20)
    rest = 4 + SECTOR_MOVES + DECODE
    assert max(slow.times(engine)) == pytest.approx(60 + rest, abs=0.01)
    # Both are ready at once, and share the channel.
    assert max(fast.times(engine)) == pytest.approx(30 + rest + SECTOR_MOVES, abs=0.01)


def test_neighbouring_sectors_of_a_row_are_one_array_read(engine: ModuleType) -> None:
    bench = Bench()
    bench.thread("read", 0, size=4 * KIB4)
    assert bench.times(engine) == pytest.approx([CONTROL + 30 + 2 + 40 + DECODE], abs=0.01)


def test_nothing_is_read_of_what_was_never_written(engine: ModuleType) -> None:
    bench = Bench(placement="empty")
    bench.thread("read", 100)
    assert bench.times(engine) == [CONTROL]


def test_what_is_in_the_buffer_needs_no_flash(engine: ModuleType) -> None:
    bench = Bench()
    bench.thread("write", 7)
    bench.thread("read", 7, at=1000)
    assert bench.times(engine) == [CONTROL, CONTROL]


def test_a_read_suspends_a_program_unless_it_may_not(engine: ModuleType) -> None:
    """24 sectors are one unit, whose transfer of six pages of 42 us and program begin when the last has come."""
    for suspensions, waits in ((4, 7), (0, None)):
        bench = Bench(suspensions=suspensions, placement="empty", command_time="0 s", command_latency="0 s")
        bench.thread("write", 0, size=24 * KIB4)
        bench.thread("write", 24, size=24 * KIB4, at=1000)
        # The first unit is on die 0, the second on die 1; a third keeps die 0 programming.
        bench.thread("write", 48, size=24 * KIB4, at=1000)
        bench.thread("read", 0, at=1500)
        took = bench.times(engine)[-1]
        left = 1000 + 6 * 42 + PROGRAM - 1500
        assert took == pytest.approx((waits or left) + 30 + SECTOR_MOVES + DECODE, abs=0.01)


def test_a_suspended_program_ends_later(engine: ModuleType) -> None:
    """A write that waits for the unit, for room in the buffer, waits longer by suspension, read and resumption."""
    took = []
    for reads in (0, 1):
        bench = Bench(capacity="30 MiB", buffer="192 KiB", command_time="0 s", command_latency="0 s", channels=1)
        bench.thread("write", 0, 24, size=24 * KIB4)
        bench.thread("write", 48, at=700, size=24 * KIB4)
        if reads:
            bench.thread("read", 24 * 100, at=300)
        took.append(max(bench.times(engine)))
    assert took[1] - took[0] == pytest.approx(7 + 30 + 5, abs=0.01)


def test_writes_beyond_the_buffer_go_at_the_rate_of_programs(engine: ModuleType) -> None:
    bench = Bench(placement="empty", command_time="0 s", command_latency="0 s")
    bench.thread("write", *range(0, 4800, 24), size=24 * KIB4)
    end = bench.run(engine).end / US
    # Two dies, each with six pages of 42 us over a channel of its own, and then the program.
    units = 200 - 10
    assert end == pytest.approx(units / 2 * (6 * 42 + PROGRAM), rel=0.05)


def test_all_dies_program_where_the_buffer_has_little_more_than_a_unit_of_each(engine: ModuleType) -> None:
    bench = Bench(
        placement="empty", dies=8, blocks=40, buffer="1920 KiB", channel_rate="40.96 GB/s", channel_overhead="0 s",
        command_time="0 s", command_latency="0 s",
    )  # fmt: skip
    bench.thread("write", *range(0, 4800, 24), size=24 * KIB4)
    end = bench.run(engine).end / US
    # Sixteen dies, with room for twenty units of 96 KiB; a unit takes 2.4 us on a channel.
    units = 200 - 20
    assert end == pytest.approx(units / 16 * (2.4 + PROGRAM), rel=0.1)


def test_a_die_that_waits_for_its_channel_does_not_work(engine: ModuleType) -> None:
    bench = Bench(placement="empty", channels=1, dies=4, blocks=120, command_time="0 s", command_latency="0 s")
    bench.thread("write", *range(0, 4800, 24), size=24 * KIB4)
    outcome = bench.run(engine)
    worked, carried = (int(outcome.state[bench.drive.state + word]) / US for word in (WORKED, CARRIED))
    units = int(outcome.state[bench.drive._tables + HOST_SECTORS]) // 24
    # Four dies that take 600 us each are more than a channel of 252 us a unit keeps at work: 1008 us for four units.
    assert outcome.end / US == pytest.approx((units - 1) * 6 * 42, rel=0.1)
    assert carried == pytest.approx(units * 6 * 42, rel=0.05)
    assert worked == pytest.approx(units * (6 * 42 + PROGRAM), rel=0.05)


def test_reads_take_the_channels_for_their_sectors(engine: ModuleType) -> None:
    bench = Bench()
    bench.thread("read", 0, 8, 16)
    outcome = bench.run(engine)
    assert outcome.state[bench.drive.state + CARRIED] == 3 * SECTOR_MOVES * US


def amplification(spare: float) -> float:
    """Write amplification of greedy collection under uniform random writes.

    L. Xiang and B. M. Kurkoski, An Improved Analytical Expression for Write Amplification in NAND Flash (ICNC 2012;
    arXiv:1110.4245), for large blocks; `spare` is what there is beyond the capacity, as a share of it.
    """
    alpha = 1 + spare
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if middle * exp(-middle) < alpha * exp(-alpha) else (low, middle)
    return alpha / (alpha - low)


@pytest.mark.parametrize("blocks", [264, 304, 400])
def test_write_amplification_is_that_of_theory(blocks: int) -> None:
    """10%, 27% and 67% of spare space, less what holds no data: a free stripe and two that are half full."""
    assert amplification(0.3) == pytest.approx(2.36, abs=0.005), "as published"
    capacity = 240 * 2 * 24 * 2 * 16384
    bench = Bench(blocks=blocks, block_pages=24, capacity=f"{capacity} B", placement="steady", command_time="0 s")
    stripe, logical = 2 * 192, capacity // KIB4
    bench.random_writes(logical, logical)
    state = bench.run(compiled).state
    tables = bench.drive._tables
    host, moved = int(state[tables + HOST_SECTORS]), int(state[tables + MOVED_SECTORS])
    spare = (blocks - RESERVED - 1) * stripe / logical - 1
    assert (host + moved) / host == pytest.approx(amplification(spare), rel=0.04)


def test_a_cache_in_slc_mode_takes_writes_first_and_is_emptied_later(engine: ModuleType) -> None:
    """Units of the cache are programmed in three times 100 us; afterwards all of them are moved out."""
    bench = Bench(
        placement="empty", cache="3 MiB", cache_program="100 us", cache_read="20 us", buffer="384 KiB",
        command_time="0 s", command_latency="0 s",
    )  # fmt: skip
    bench.thread("write", *range(0, 24 * 20, 24), size=24 * KIB4)
    bench.thread("read", 0, at=200_000)
    assert bench.run(engine).end / US == pytest.approx(200_000 + 30 + SECTOR_MOVES + DECODE, abs=0.01)


@pytest.mark.parametrize("placement", ["empty", "filled", "steady", "written"])
def test_engines_agree_on_reads_beside_writes(placement: str) -> None:
    outcomes = []
    for engine in (reference, compiled):
        bench = Bench(
            placement=placement, capacity="6 MiB", blocks=28, buffer="256 KiB", cache="192 KiB",
            cache_program="100 us", cache_read="20 us", suspensions=2, independent=True,
            fragment_time="1 us",
        )  # fmt: skip
        bench.random_writes(3000, 1536)
        place = bench.p.uniform("read place", 0, 1500)
        with bench.p.thread("reader"), bench.p.loop(300):
            sector = bench.p.register()
            bench.p.draw(sector, place)
            bench.drive.read(sector, 9 * KIB4, bench.interface)
        outcomes.append(bench.run(engine))
    assert outcomes[0].differences(outcomes[1]) == []


def flushing(engine: ModuleType, writes: int, **values: object) -> int:
    """Time in us from the last of some writes of a sector, to one die after the other, to the end of a flush."""
    bench = Bench(volatile_cache=True, flush_time="100 us", **values)
    p = bench.p
    with p.thread("writer"):
        sector, begun = p.register(0), p.register()
        with p.loop(writes):
            bench.drive.write(sector, KIB4, bench.interface)
            sector.set(sector + 1)
        p.let(begun, "SINCE", 0)
        bench.drive.flush()
        p.let(begun, "SINCE", begun)
        p.mark(bench.took, begun)
    return bench.times(engine)[0]


def test_a_flush_programs_what_does_not_fill_a_unit(engine: ModuleType) -> None:
    # A page of four sectors on each of two planes and three bits goes over the channel, filler and all.
    pages = 6 * (2 + 4 * 10)
    assert flushing(engine, 1) == CONTROL + pages + PROGRAM + 100


def test_a_flush_of_an_empty_buffer_stores_the_mapping_only(engine: ModuleType) -> None:
    assert flushing(engine, 0) == CONTROL + 100


def test_in_slc_mode_a_flush_programs_the_pages_that_are_needed(engine: ModuleType) -> None:
    cache = {"cache": "1 MiB", "cache_program": "200 us", "cache_read": "30 us"}
    assert flushing(engine, 1, **cache) == CONTROL + 2 * (2 + 4 * 10) + 200 + 100
    assert flushing(engine, 9, **cache) == CONTROL + 4 * (2 + 4 * 10) + 400 + 100


def test_a_flush_waits_for_what_came_before_it_and_not_for_what_comes_after(engine: ModuleType) -> None:
    bench = Bench(volatile_cache=True, placement="empty")
    p, done = bench.p, bench.took
    with p.thread("writer"):
        sector = p.register(0)
        with p.loop(2000):
            bench.drive.write(sector, KIB4, bench.interface)
            sector.set(sector + 1)
    with p.thread("flusher", start=1000 * US):
        bench.drive.flush()
        p.mark(done, p.now())
    (time,) = bench.times(engine)
    # 166 sectors came in 1 ms, seven units for two dies, of which the last is filled up.
    assert 1000 < time < 1000 + 5 * (PROGRAM + 6 * 42)
