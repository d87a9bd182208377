"""A controller that stands still now and then, against hand-worked times and Pollaczek and Khinchine's formula."""

from __future__ import annotations

from types import ModuleType

import pytest
from pydantic import ValidationError
from ssd_bench import CONTROL, DECODE, SECTOR_MOVES, US, Bench, sheet

ALONE = CONTROL + 30 + SECTOR_MOVES + DECODE


def test_a_read_takes_its_time_or_a_stall_longer(engine: ModuleType) -> None:
    """Of 2000 reads one after the other a quarter meets a stall of 24 us, within four standard deviations."""
    bench = Bench(stall_time="24 us", stall_every=4)
    bench.thread("read", *[0] * 2000)
    times = bench.times(engine)
    assert {round(time, 2) for time in times} == {ALONE, ALONE + 24}
    assert sum(time > ALONE + 1 for time in times) == pytest.approx(500, abs=78)


def test_each_command_can_stall(engine: ModuleType) -> None:
    bench = Bench(stall_time="24 us", stall_every=1)
    bench.thread("read", 0)
    assert bench.times(engine) == pytest.approx([ALONE + 24], abs=0.01)


def test_what_comes_behind_a_stall_waits_for_its_end(engine: ModuleType) -> None:
    """Two reads of different dies at once: the second has the first one's stall before its own."""
    bench = Bench(stall_time="24 us", stall_every=2)
    for at in range(0, 100_000, 1000):
        bench.thread("read", 0, at=at)
        bench.thread("read", 24, at=at)
    times = {round(time, 2) for time in bench.times(engine)}
    assert times == {ALONE, ALONE + 24, ALONE + 1, ALONE + 1 + 24, ALONE + 1 + 48}


def test_reads_of_several_pages_meet_stalls_too(engine: ModuleType) -> None:
    bench = Bench(stall_time="24 us", stall_every=2, fragment_time="2 us")
    bench.thread("read", *[2] * 50, size=4 * 4096)
    first, second = sorted({round(time, 2) for time in bench.times(engine)})
    assert second - first == pytest.approx(24)


def test_waiting_behind_stalls_is_that_of_theory(engine: ModuleType) -> None:
    """Commands that come at random wait a E[S^2] / 2 (1 - a E[S]) for a controller of 2 us, one of 100 with 24 more.

    Sectors that were never written need no flash, so that the rest of a command is the same always.
    """
    count, gap, busy = 60_000, 4.0, 2.0
    bench = Bench(placement="empty", command_time="2 us", stall_time="24 us", stall_every=100, commands=1024)
    p = bench.p
    gaps = p.exponential("gap", int(gap * US))
    with p.thread("arrivals"), p.loop(count):
        wait = p.register()
        p.draw(wait, gaps)
        p.wait(wait)
        with p.fork("read"):
            sector, begun = p.register(0), p.register()
            p.let(begun, "SINCE", 0)
            bench.drive.read(sector, 4096, bench.interface)
            p.let(begun, "SINCE", begun)
            p.mark(bench.took, begun)
    times = bench.times(engine)
    service = busy + 24 / 100
    square = busy**2 * 0.99 + (busy + 24) ** 2 / 100
    waited = square / gap / 2 / (1 - service / gap)
    rest = min(times) - busy
    assert sum(times) / count == pytest.approx(waited + service + rest, rel=0.04)


def test_a_time_without_a_number_of_commands_is_refused() -> None:
    with pytest.raises(ValidationError) as refused:
        sheet(stall_time="24 us")
    (problem,) = refused.value.errors()
    assert problem["ctx"]["field"] == "stall_every"
