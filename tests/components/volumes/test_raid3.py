"""RAID 3: equal shares in lockstep, and parity that is computed while it is written."""

from __future__ import annotations

import pytest
from volume_bench import NoParity, Request, outcome_of, plain, recorders, run, volume

from simio.components.volumes import make_volume
from simio.errors import RunError
from simio.program.builder import Builder


def test_reads_take_an_equal_share_of_every_data_member() -> None:
    asked, ends = run(plain("raid3", 5, fixed=10, per=1), [Request("read", 64 * 1024, 32 * 1024, 32 * 1024)])
    assert asked == [[(0, f"m{i}", "read", 16 * 1024, 8 * 1024) for i in range(4)]]
    assert ends == [10 + 8 * 1024]


@pytest.mark.parametrize(("xor", "end"), [(50, 110), (500, 500)], ids=["quick", "slow"])
def test_a_write_takes_as_long_as_the_slower_of_disks_and_parity(xor: int, end: int) -> None:
    asked, ends = run(plain("raid3", 3, fixed=110, xor=xor), [Request("write", 4096, 2048, 1024)])
    assert asked == [[*((0, f"m{i}", "write", 2048, 1024) for i in range(3)), (0, "parity", "xor", 2, 1024)]]
    assert ends == [end]


def test_one_request_at_a_time() -> None:
    p = Builder()
    device = make_volume(p, volume("raid3", 5), recorders(p, 5, fixed=100), NoParity(p))
    with p.thread("process", count=7), p.loop(3):
        device.read(p.register(0), 2048, 2048)
    outcome = outcome_of(p)
    assert outcome.end == 7 * 3 * 100
    # A process waits for the turn, so that no member ever has a second request waiting.
    assert outcome.resources[:5, 3].tolist() == [0] * 5


def test_a_unit_makes_the_grain_larger() -> None:
    p = Builder()
    device = make_volume(p, volume("raid3", 3, 4096), recorders(p, 3, capacity=10_000), NoParity(p))
    assert device.sector == 2 * 4096
    assert device.capacity == 2 * 8192


def test_its_sector_is_one_of_each_data_member() -> None:
    p = Builder()
    device = make_volume(p, volume("raid3", 5), recorders(p, 5, capacity=100 * 512 + 9), NoParity(p))
    assert device.sector == 2048
    assert device.capacity == 400 * 512
    with pytest.raises(RunError) as error, p.thread("t"):
        device.read(p.register(0), 5120, 5120)
    assert str(error.value) == (
        "volume 'v' is made of sectors of 2 KiB: blocks of 5 KiB at multiples of 5 KiB cannot be read or written; "
        "make both a multiple of 2 KiB"
    )
