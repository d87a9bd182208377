"""Files that are read more than once: from the cache, or from the device again."""

from __future__ import annotations

from pathlib import Path

import pytest
from storage_bench import Bench

from simio.components.files.cached import MappedFile
from simio.components.files.looped import LoopedFile
from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_case

SCENARIO = """\
title: A file is read several times
hosts: {{h: {{model: hosts/server-2023-2s, kernel: kernels/linux-6.3}}}}
disks:
  d: {{model: disks/datacentre-tlc-2023, count: {count}, file_system: {{model: filesystems/ext4, cache: 3 MiB}}}}
links: [{{model: links/nvme, between: [h.nvme, d]}}]
workload: {{{workload}}}
run: {{warm_up: 0 s, replications: 1}}
"""


def ran(folder: Path, workload: str, count: int = 1, engine: str = "compiled") -> CaseResult:
    path = folder / "passes.yaml"
    path.write_text(SCENARIO.format(workload=workload, count=count))
    return run_case(load(path).cases[0], RunOptions(engine))


def fetched(case: CaseResult) -> int:
    """Times that the drives looked up where something is, which reads of the device make them do."""
    return sum(tally.value for tally in case.tallies if tally.what == "fetches")


@pytest.mark.parametrize("access", ["buffered", "nocopy", "mmap"])
@pytest.mark.parametrize(
    ("keys", "count", "from_device"),
    [
        ("size: 2 MiB", 1, 1),
        # Twice what the cache holds, together or on one drive; and blocks of which each pass has others.
        ("size: 2 MiB", 2, 3),
        ("size: 6 MiB", 1, 3),
        ("size: 2 MiB, pattern: random", 1, 3),
    ],
)
def test_a_later_pass_finds_in_the_cache_what_fits(
    access: str, keys: str, count: int, from_device: int, tmp_path: Path
) -> None:
    reader = f"reader: {{host: h, from: d, access: {access}, block: 64 KiB, passes: PASSES, {keys}}}"
    once, thrice = (ran(tmp_path, reader.replace("PASSES", passes), count) for passes in "13")
    assert thrice.throughput.amount == 3 * once.throughput.amount
    assert fetched(thrice) == pytest.approx(from_device * fetched(once), rel=0.02)


def test_mapped_pages_in_the_cache_are_minor_faults() -> None:
    bench = Bench()
    p = bench.p
    file = MappedFile(bench.mount, ("program", 1))
    with p.thread("reader"):
        at = p.register(0)
        file.read(at, 4000, 4000, 4000, cached=True)
        p.mark(bench.done, 4000)
    found = bench.run()
    # Mapping 50, four faults of 7 each, unmapping 50.
    assert found["reads"] == []
    assert found["done"] == [(128, 4000)]


@pytest.mark.parametrize(("size", "block", "read"), [(12_000, 1000, 12), (10_000, 3000, 3), (2_000, 1000, 2)])
def test_a_looped_file_comes_from_the_device_in_each_pass(size: int, block: int, read: int) -> None:
    bench = Bench()
    p = bench.p
    file = LoopedFile(bench.mount, "reader", (0, size), sequential=True)
    with p.thread("reader"):
        at = p.register()
        file.open()
        file.rewind()
        with p.loop(3):
            at.set(0)
            with p.loop(read):
                file.read(at, block, block, copy=True)
                p.mark(bench.done, block)
                at.set(at + block)
    found = bench.run()
    assert sum(amount for _, amount in found["done"]) == 3 * read * block
    first = [place for _, place in found["reads"]]
    assert first == first[: len(first) // 3] * 3


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
@pytest.mark.parametrize(
    ("job", "again"),
    [
        ("size: 1m, bs: 64k", "loops: 3"),
        ("size: 1m, bs: 64k", "io_size: 3m"),
        ("size: 1m, bs: 48k", "loops: 3"),
        ("size: 512k, bs: 64k, numjobs: 2", "loops: 3"),
    ],
)
def test_fio_reads_a_file_in_order_through_the_cache_again_and_again(
    job: str, again: str, engine: str, tmp_path: Path
) -> None:
    fio = "fio: {host: h, storage: d, options: {filename: f, ioengine: psync, direct: 0, rw: read, OPTIONS}}"
    once, thrice = (ran(tmp_path, fio.replace("OPTIONS", each), engine=engine) for each in (job, f"{job}, {again}"))
    assert thrice.status == "done"
    assert thrice.throughput.amount == 3 * once.throughput.amount
    assert fetched(thrice) >= 2.9 * fetched(once)
