"""A drive that sleeps until it has a command, and ends all that it has together; times are worked by hand."""

from __future__ import annotations

from types import ModuleType

import pytest
from ssd_bench import CONTROL, DECODE, SECTOR_MOVES, Bench

ALONE = CONTROL + 30 + SECTOR_MOVES + DECODE


def test_the_first_command_wakes_the_drive_and_the_next_one_after_a_pause_again(engine: ModuleType) -> None:
    bench = Bench(wake_time="20 us")
    bench.thread("read", 0, 0)
    bench.thread("read", 0, at=1000)
    assert bench.times(engine) == pytest.approx([20 + ALONE] * 3, abs=0.01)


def test_commands_end_together_when_none_is_left(engine: ModuleType) -> None:
    """Three reads at once: the controller takes 20 us and 1 us for each, and the last one's page comes behind two.

    A fourth, of the other die, comes 10 us later, wakes nobody, and ends with them.
    """
    bench = Bench(wake_time="20 us")
    for sector in (0, 1, 2):
        bench.thread("read", sector)
    bench.thread("read", 24, at=10)
    end = 20 + 1 + 4 + 3 * 30 + SECTOR_MOVES + DECODE
    assert sorted(bench.times(engine)) == pytest.approx([end - 10, end, end, end], abs=0.01)


def test_a_write_ends_with_what_came_with_it(engine: ModuleType) -> None:
    """The write, which has woken the drive, takes the controller behind the read, and is done long before it."""
    bench = Bench(wake_time="20 us")
    bench.thread("write", 0)
    bench.thread("read", 8)
    written, read = sorted(bench.times(engine))
    assert written == read == pytest.approx(20 + CONTROL + 40 + SECTOR_MOVES + DECODE, abs=0.01)


def test_both_engines_agree_on_commands_that_come_at_any_time() -> None:
    from simio.engines import compiled, reference

    outcomes = []
    for each in (reference, compiled):
        bench = Bench(wake_time="20 us", fragment_time="2 us")
        for at in range(0, 900, 7):
            bench.thread("read", at % 31, 5, size=(1 + at % 9) * 4096, at=at)
        outcomes.append(bench.run(each))
    assert outcomes[0].differences(outcomes[1]) == []
