"""I/O schedulers: requests that they let into a drive, the cost of a request's page, the instant of delivery."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

BESIDE = """
title: A reader beside writers
hosts:
  server: {model: hosts/nvme-icpe24}
disks:
  d: {model: disks/samsung-980-pro-1tb, placement: written, buffer: 2 MiB, commands: 64}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
workload:
  reader: {kind: direct, host: server, to: d, registered: true}
  writer: {kind: direct, host: server, to: d, registered: true, reads: 0 %, depth: 64, processes: 4, first_core: 1}
run: {until: 20 ms, warm_up: 5 ms, replications: 1}
"""
PLAIN = """
title: Reads of several pages
hosts:
  server: {model: hosts/nvme-icpe24}
disks:
  d: {model: disks/optane-cheops23, count: 2, stall_time: 0 s, lag: none}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
workload:
  direct: {host: server, to: d1, interface: psync, registered: true}
run: {until: 1 ms, warm_up: 0 s, replications: 1}
"""


def run(folder: Path, text: str, *sets: str, engine: str = "compiled") -> CaseResult:
    path = folder / "drive.yaml"
    path.write_text(text)
    return run_scenario(load(str(path), sets), sets, RunOptions(engine)).cases[0]


def mean(result: CaseResult, workload: str) -> float:
    return next(seen.mean for seen in result.observations if seen.name == f"{workload}: request")


def units(result: CaseResult, ending: str) -> set[int]:
    return {use.units for use in result.resources if use.name.endswith(ending)}


def test_writes_that_wait_for_room_keep_reads_out_of_a_drive_unless_the_scheduler_holds_them_back(
    tmp_path: Path,
) -> None:
    """256 writes, of which 64 are all that the drive's controller works on.

    Three quarters of a queue of 64 requests, shared by five processes, are 10 writes each: 40 are in the drive.
    """
    times = {
        name: mean(run(tmp_path, BESIDE, f"hosts.server.kernel.scheduler={name}", *more), "reader")
        for name, more in (("none", ()), ("mq-deadline", ()), ("bfq", ("hosts.server.kernel.nr_requests=64",)))
    }
    assert times["mq-deadline"] > 0.5 * times["none"]
    assert times["bfq"] < 0.5 * times["none"]


def test_kyber_has_tokens_for_reads_and_for_writes(tmp_path: Path) -> None:
    kyber = "hosts.server.kernel.scheduler=kyber"
    result = run(tmp_path, BESIDE, kyber)
    tokens = {use.name: use for use in result.resources if "tokens" in use.name}
    assert {name: use.units for name, use in tokens.items()} == {
        "server: kyber's read tokens of d": 256,
        "server: kyber's write tokens of d": 128,
    }
    # 256 writes are outstanding; those without a token wait before the drive.
    assert 100 < tokens["server: kyber's write tokens of d"].longest_line <= 128
    assert tokens["server: kyber's read tokens of d"].waits == 0
    # More places in the drive than tokens: a read is never kept out.
    roomy = "disks.d.commands=256"
    assert mean(run(tmp_path, BESIDE, kyber, roomy), "reader") < 0.5 * mean(run(tmp_path, BESIDE, kyber), "reader")


def test_bfq_gives_each_process_its_share_of_a_queue(tmp_path: Path) -> None:
    bfq = "hosts.server.kernel.scheduler=bfq"
    result = run(tmp_path, BESIDE, bfq, "run.until=6 ms")
    # Five processes share 256 requests, of which writes have three quarters: 38.4 each, and reads 51.2.
    assert units(result, "writes of writer 1 of d") == {38}
    assert units(result, "reads of reader of d") == {51}
    # A driver in user space is no user of the scheduler.
    result = run(tmp_path, BESIDE, bfq, "run.until=6 ms", "workload.reader.interface=spdk")
    assert units(result, "writes of writer 1 of d") == {48}
    many = run(tmp_path, BESIDE, bfq, "run.until=6 ms", "hosts.server.kernel.nr_requests=2")
    assert units(many, "writes of writer 1 of d") == {1}


@pytest.mark.parametrize(("scheduler", "requests", "depth"), [("kyber", 256, 64), ("bfq", 16, 8)])
def test_both_engines_agree_where_requests_wait_for_the_scheduler(
    tmp_path: Path, scheduler: str, requests: int, depth: int
) -> None:
    sets = (f"hosts.server.kernel.scheduler={scheduler}", f"hosts.server.kernel.nr_requests={requests}")
    sets += (f"workload.direct.depth={depth}", "workload.direct.processes=5", "workload.direct.interface=io_uring")
    sets += ("disks.d.read_time=300 us", "run.until=700 us")
    found = [run(tmp_path, PLAIN, *sets, engine=engine) for engine in ("compiled", "simpy")]
    assert any(use.longest_line for use in found[0].resources if "read tokens" in use.name or "reads of" in use.name)
    assert found[0].observations == found[1].observations
    assert found[0].resources == found[1].resources


@pytest.mark.parametrize(("block", "pages"), [("4 KiB", 0), ("8 KiB", 1), ("64 KiB", 15)])
def test_each_further_page_of_a_request_is_mapped(tmp_path: Path, block: str, pages: int) -> None:
    sets = ("hosts.server.cpu.clock=2.4 GHz", f"workload.direct.block={block}")
    times = [
        seen.p50
        for time in (0, 1)
        for seen in run(tmp_path, PLAIN, *sets, f"hosts.server.kernel.page_map={time} us").observations
        if seen.name == "direct: request"
    ]
    assert times[1] - times[0] == pages * 10**6


def test_each_request_is_delivered_when_it_is_done(tmp_path: Path) -> None:
    # A thread that has read from one of two drives has delivered that block, though not yet one of the other.
    result = run(tmp_path, PLAIN, "workload.direct.to=d")
    served = next(seen.count for seen in result.observations if seen.name == "direct: request")
    assert result.throughput.deliveries == served
    assert result.throughput.amount % 8192 == (0 if served % 2 == 0 else 4096)
