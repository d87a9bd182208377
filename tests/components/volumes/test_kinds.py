"""Volumes that cannot be, and the engines of parity."""

from __future__ import annotations

from fractions import Fraction

import pytest
from volume_bench import NoParity, Recorder, outcome_of, recorders, volume

from simio.components.site import Site
from simio.components.volumes import ControllerParity, make_volume
from simio.engines import compiled
from simio.engines.outcome import Options, Status
from simio.errors import RunError
from simio.program.builder import MAX_REGISTERS, Builder


@pytest.mark.parametrize(
    ("kind", "members", "unit", "message"),
    [
        ("raid7", 4, 512, "volume 'v' is of kind 'raid7'; there are stripe, concat, mirror, raid3, raid5, raid6, "
         "erasure, raidz1, raidz2, raidz3, cached"),
        ("stripe", 1, 512, "volume 'v' of kind 'stripe' has 1 of the 2 members or more that it needs"),
        ("mirror", 1, None, "volume 'v' of kind 'mirror' has 1 of the 2 members or more that it needs"),
        ("raid5", 2, 512, "volume 'v' of kind 'raid5' has 2 of the 3 members or more that it needs"),
        ("raid3", 2, None, "volume 'v' of kind 'raid3' has 2 of the 3 members or more that it needs"),
        ("concat", 0, None, "volume 'v' of kind 'concat' has 0 of the 1 members or more that it needs"),
        ("stripe", 2, None, "volume 'v' of kind 'stripe' needs a stripe unit"),
        (
            "raid5", 3, 700,
            "the stripe unit of volume 'v', 700 B, is not a multiple of its members' sectors of 512 B",
        ),
        ("stripe", 2, 2**50, "volume 'v' holds nothing: a member is smaller than a stripe unit"),
    ],
)  # fmt: skip
def test_volumes_that_cannot_be(kind: str, members: int, unit: int | None, message: str) -> None:
    p = Builder()
    with pytest.raises(RunError) as error:
        make_volume(p, volume(kind, members, unit), recorders(p, members), NoParity(p))
    assert str(error.value) == message


def test_parity_needs_something_that_computes_it() -> None:
    p = Builder()
    with pytest.raises(RunError) as error:
        make_volume(p, volume("raid3", 3), recorders(p, 3))
    assert str(error.value) == "volume 'v' of kind 'raid3' has nothing that computes its parity"


def test_members_have_one_sector_size() -> None:
    p = Builder()
    devices = [Recorder(p, "a", 10**6), Recorder(p, "b", 10**6, sector=2048)]
    with pytest.raises(RunError) as error:
        make_volume(p, volume("mirror", 2), devices)
    assert str(error.value) == "the members of volume 'v' have sectors of different size: 512 B and 2 KiB"


def test_the_engine_of_a_controller_takes_one_parity_at_a_time() -> None:
    # 4 sources of 1000 bytes at 100 MB/s are 40 us; three of them one after the other.
    p = Builder()
    engine = ControllerParity(p, "c", Fraction(100_000_000))
    with p.thread("t", count=3):
        engine.xor(4, 1000)
    assert outcome_of(p).end == 3 * 40 * 10**6


def over_drives(load, count: int, make) -> tuple[float, int]:
    """MiB/s of reads of 1 MiB, one after the other, from a volume over the disks of linux-fc-raw; registers used."""
    site = Site(load("linux-fc-raw.yaml", f"disks.d.count={count}").cases[0].system)
    p = site.p
    device = make(p, [site.device("server", name) for name in site.system.disks])
    with p.thread("t"):
        at = p.register(0)
        with p.loop(50):
            device.read(at, 2**20, 2**20)
            p.let(at, "ADD", at, 2**20)
    program = p.build()
    outcome = compiled.run(program, Options())
    assert outcome.status == Status.DONE
    return 50 / (outcome.end / 10**12), program.registers


def test_a_stripe_over_the_drives_of_a_real_path(load) -> None:
    # A disk alone gives 53.9 MiB/s. Each share of 256 KiB waits for the slowest of the four, so less than four times
    # that; but more than twice.
    rate, _ = over_drives(load, 4, lambda p, disks: make_volume(p, volume("stripe", 4, 128 * 1024), disks))
    assert 2 * 53.9 < rate < 4 * 53.9


def test_volumes_of_volumes_over_drives_leave_registers_to_the_caller(load) -> None:
    # Striped RAID 5 of six disks: four data disks.
    def make(p: Builder, disks):
        inner = [
            make_volume(p, volume("raid5", 3, 64 * 1024, f"r{i}"), disks[3 * i : 3 * i + 3], NoParity(p))
            for i in range(2)
        ]
        return make_volume(p, volume("stripe", 2, 128 * 1024), inner)

    rate, registers = over_drives(load, 6, make)
    assert 2 * 53.9 < rate < 4 * 53.9
    assert registers <= MAX_REGISTERS - 6
