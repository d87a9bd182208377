"""The what-ifs on volumes, queues and memory against closed forms worked out from the datasheets."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
REVOLUTION = 60 / 10025
"""Of an Atlas 10K, in s; its first zone has 334 sectors a track, 6 heads, and skews of 1.129 and 2.025 ms."""
STREAM = 6 * 334 * 512 / (6 * REVOLUTION + 5 * 1.129e-3 + 2.025e-3)
"""Bytes a second that it reads in one go from its outermost cylinders."""


@cache
def cases(name: str, *sets: str) -> tuple[CaseResult, ...]:
    return run_scenario(load(str(SCENARIOS / name), sets), sets).cases


def some(name: str, numbers: tuple[int, ...], *sets: str) -> tuple[CaseResult, ...]:
    """Only these cases, counted from 1."""
    scenario = load(str(SCENARIOS / name), sets)
    wanted = tuple(case for case in scenario.cases if case.index + 1 in numbers)
    return run_scenario(replace(scenario, cases=wanted), sets).cases


def rates(name: str, *sets: str) -> list[float]:
    return [float(case.rate) for case in cases(name, *sets)]


def use(case: CaseResult, name: str) -> float:
    return next(resource.utilisation for resource in case.resources if resource.name == name)


READS = ("raid5-reads.yaml", "run.until=3 s", "run.warm_up=auto", "run.replications=1")
WRITES = ("raid5-writes.yaml", "run.until=2 s", "run.warm_up=auto", "run.replications=1")


def test_large_reads_of_raid5_give_what_its_data_disks_give():
    # Five arms go over five units for each four of data, so that data come at the rate of four disks at most.
    stripe, software, hardware = rates(*READS)[:3]
    assert stripe == pytest.approx(4 * STREAM, rel=0.01)
    assert software == pytest.approx(4 * STREAM, rel=0.03)
    assert hardware == pytest.approx(4 * STREAM, rel=0.06)
    assert max(software, hardware) <= 4 * STREAM


def test_random_reads_use_one_disk_each_whoever_issues_them():
    stripe, software, hardware = rates(*READS)[3:]
    assert software == pytest.approx(hardware, rel=0.03)
    assert 1.05 < software / stripe < 1.25


def test_a_small_write_of_raid5_waits_for_the_slower_read_and_a_revolution():
    # With one write at a time on drives that take commands as they come. A write to a stripe is a seek with its
    # settling, half a revolution and 16 sectors. RAID 5 first reads data and parity from two disks, waits for
    # the slower, and then writes the same sectors, which come by a revolution after they were read.
    alone = ("workload.writer.depth=1", "disks.d.scheduling=fifo", "run.until=10 s", "run.warm_up=0 s")
    stripe, software = some("raid5-writes.yaml", (5, 6), *alone)
    seek, half, transfer = 5.599e-3, REVOLUTION / 2, 16 / 290 * REVOLUTION
    assert 8192 / float(stripe.rate) == pytest.approx(seek + 0.487e-3 + half + transfer, rel=0.04)
    # The slower of two seeks is longer by half of their mean difference. That is a third of the range were they
    # spread evenly over it, and less as they are.
    longest = (10.828e-3 - 1.245e-3) / 6
    least = seek + half + transfer + REVOLUTION
    assert least < 8192 / float(software.rate) < least + longest + 1e-3


def test_raid5_divides_random_writes_by_the_visits_that_they_take():
    # Four visits on five disks against one on four: 16/5, less what the second visit to a disk saves, which needs
    # no seek.
    several = ("run.until=10 s", "run.warm_up=1 s", "run.replications=1")
    stripe, software = (float(case.rate) for case in some("raid5-writes.yaml", (5, 6), *several))
    assert 2 < stripe / software < 16 / 5


def test_parity_in_software_takes_the_processor():
    # A processor that waits for memory is busy longer: left out here.
    stripe, software, hardware, halves = cases(*WRITES, "hosts.server.kernel.memory_share=none")[:4]
    # A processor works through four bytes at 366 MiB/s for each four of data; two processors.
    parity = float(software.rate) / (366 * 2**20) / 2
    commands = use(software, "server.cpu") - parity - use(stripe, "server.cpu")
    assert 0 < commands < 0.02
    assert use(hardware, "server.cpu") < use(stripe, "server.cpu") * 1.3
    assert halves.rate < hardware.rate * 0.6


def test_a_queue_in_order_of_arrival_gains_nothing_and_ordered_ones_more_the_longer_they_are():
    short = ("run.until=8 s", "run.replications=1")
    found = rates("disk-queue.yaml", *short)
    fifo, elevator, shortest = found[:6], found[6:12], found[12:]
    read = 5.599e-3 + REVOLUTION / 2 + 16 / 290 * REVOLUTION
    assert fifo[1:] == pytest.approx([8192 / read] * 5, rel=0.05)
    assert max(fifo[1:]) < min(fifo[1:]) * 1.01
    assert elevator[1:] == sorted(elevator[1:])
    assert shortest[1:] == sorted(shortest[1:])
    assert all(e <= s * 1.001 for e, s in zip(elevator, shortest, strict=True))
    whole = [float(case.rate) for case in some("disk-queue.yaml", (6, 18), "run.replications=1")]
    # DiskSim's own random reads of 4 KiB on this drive: 114.4 a second in order of arrival, 228 with 32 outstanding.
    assert whole[1] / whole[0] == pytest.approx(228 / 114.4, rel=0.05)


def test_outstanding_reads_are_throughput_times_latency():
    # Little's law for a closed reader: `depth` requests are outstanding all the time.
    for case in cases("disk-queue.yaml", "run.until=8 s", "run.replications=1"):
        (latency,) = case.observations
        outstanding = float(case.throughput.rate) / 8192 * latency.mean / 1e12
        assert outstanding == pytest.approx(int(case.settings["workload.reader.depth"]), rel=0.05)


def test_memory_carries_what_is_copied_twice():
    # A block of 64 KiB stays in half of the processor's cache: DMA and the copy cross memory once each.
    # The kernel's own work, which keeps memory busy too, is left out.
    found = cases("copy-and-dma.yaml", "run.until=500 ms", "hosts.server.kernel.memory_share=none")
    for case in found:
        copies = 2 if case.settings["workload.copying.access"] == "buffered" else 1
        rate = {"1064 MB/s": 1064e6, "400 MB/s": 400e6}[case.settings["hosts.server.memory.rate"]]
        crossing = sum(
            float(stream.rate) * (copies if stream.name.startswith("copying") else 1) for stream in case.streams
        )
        assert use(case, "server.memory") == pytest.approx(crossing / rate, abs=0.03)
    streaming = [sum(float(s.rate) for s in case.streams if s.name.startswith("streaming")) for case in found]
    assert streaming[0] == pytest.approx(streaming[1], rel=0.02)
    assert streaming[2] < 0.75 * streaming[3]
