"""Frames, credits and switches against closed forms from the standard's framing."""

from __future__ import annotations

from fractions import Fraction

import pytest

from simio.running import run_case

BYTE = Fraction(10 * 10**12, 2_125_000_000)
"""ps a byte at 2.125 Gbaud with ten line bits a byte."""


@pytest.fixture
def disks(load):
    """The raw read scenario with so many disks and overrides; its only case."""

    def loaded(count: int, *sets: str):
        scenario = load(
            "linux-fc-raw.yaml",
            f"disks.d.count={count}",
            "workload.reader.access=raw",
            "run.until=1 s",
            *sets,
        )
        assert len(scenario.cases) == 1
        return scenario.cases[0]

    return loaded


def test_eight_disks_fill_the_port_to_the_efficiency_of_its_frames(disks):
    # A command of 128 KiB is 64 frames of 2048 + 36 + 24 bytes and a response frame of 24 + 36 + 24.
    result = run_case(disks(8))
    line = 131072 * 10**12 / ((64 * 2108 + 84) * BYTE)
    assert float(result.bound) == pytest.approx(float(line), rel=1e-4)
    assert float(result.rate) == pytest.approx(float(line), rel=2e-3)
    assert result.limiter.name == "fabric>server.fc"


def test_larger_frames_carry_more(disks):
    # The kernel's own work would keep memory busy, and frames waiting there.
    small = run_case(disks(8, "disks.d.frame_payload=512 B", "hosts.server.kernel.memory_share=none"))
    assert float(small.rate) == pytest.approx(float(512 * 10**12 / (572 * BYTE)), rel=2e-3)


def test_a_credit_of_one_over_a_long_link_throttles_to_a_frame_a_round_trip(disks):
    # 10 km are 50 us each way. The frame's own time, the way there, 4.44 us of PCI for 2048 bytes (296 clocks of
    # 66.66 MHz), and the way back of the signal that the buffer is free; after 64 of them a response frame, whose 24
    # bytes take 13 clocks of PCI.
    result = run_case(disks(2, "links.link1.length=10 km", "hosts.server.adapters.fc.credit=1", "run.until=4 s"))
    clock = Fraction(10**12, 66_660_000)
    cycle = 2108 * BYTE + 2 * 50_000_000 + 296 * clock
    response = 84 * BYTE + 2 * 50_000_000 + 13 * clock
    assert float(result.rate) == pytest.approx(float(131072 * 10**12 / (64 * cycle + response)), rel=0.002)
    assert result.bound_by == "fabric>server.fc credit"


def test_enough_credit_hides_the_length_of_the_link(disks):
    # 100 us there and back and some 15 us of frame and DMA need 12 credits; 16 hide it all.
    result = run_case(disks(8, "links.link1.length=10 km", "hosts.server.adapters.fc.credit=16"))
    assert float(result.rate) == pytest.approx(float(run_case(disks(8)).rate), rel=0.005)


def test_disks_share_the_port_alike(disks):
    result = run_case(disks(8))
    shares = [
        use.utilisation for use in result.resources if use.name.endswith(">fabric") and use.name.startswith("d")
    ]
    assert len(shares) == 8
    assert max(shares) - min(shares) < 0.01


def test_one_disk_streams_at_its_media_rate(disks):
    # 520 sectors of 512 bytes a track, a track in 4 ms of rotation and 700 us of skew.
    result = run_case(disks(1))
    assert float(result.rate) == pytest.approx(520 * 512 / 4.7e-3, rel=0.005)
    assert result.bound_by == "d media"


def test_think_time_and_place_are_random_and_repeatable(load):
    scenario = load("random-reads.yaml", "run.until=500 ms", "run.replications=3")
    first, again = (run_case(scenario.cases[0]) for _ in range(2))
    assert first == again
    assert first.seeds == (1, 2, 3)
    assert first.half_width > 0
    other = load("random-reads.yaml", "run.until=500 ms", "run.replications=3", "run.seed=4")
    assert run_case(other.cases[0]).rate != first.rate


def test_random_reads_take_the_time_of_their_parts(load):
    # Without think time a read is seek (mean 3.6 ms), half a revolution (2 ms), 16 sectors of about 8 us, 0.2 ms of
    # controller and some 60 us of host and wire.
    scenario = load("random-reads.yaml", "workload.reader.think=0 s", "run.until=10 s", "run.replications=1")
    latency = run_case(scenario.cases[0]).observations[0]
    assert latency.mean == pytest.approx((3.6 + 2.0 + 0.13 + 0.2 + 0.06) * 1e9, rel=0.02)


def test_one_disk_of_a_group_can_be_read_alone(disks):
    alone = run_case(disks(8, "workload.reader.from=d3"))
    assert [use.name for use in alone.threads] == ["reader: reader of d3"]
    assert float(alone.rate) == pytest.approx(float(run_case(disks(1)).rate), rel=0.005)
