"""Disks and volumes as block devices of a host, from scenarios: what they do together, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import RunOptions, run_scenario

SCSI = """
title: a disk on a SCSI bus
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks:
  d: {model: disks/atlas-10k, count: 1, write_cache: false}
links:
  - {model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}
workload:
  writer: {host: server, to: d, block: 1 MiB, size: 4 MiB}
"""


@pytest.fixture
def run(tmp_path: Path):
    def run(text: str, *sets: str, engine: str = "compiled") -> CaseResult:
        path = tmp_path / "scenario.yaml"
        path.write_text(text)
        (case,) = run_scenario(load(str(path), sets), sets, RunOptions(engine)).cases
        return case

    return run


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 8])
def test_writes_in_a_row_share_a_segment_and_all_end(run, depth: int):
    # A raw request of 512 KiB is four commands of 128 KiB that continue one another in a segment of 187 KiB, so
    # that each waits for room. It takes one step to ask again, not one each 2 ps until the track is written.
    case = run(SCSI, f"workload.writer.depth={depth}", "run.step_budget=100000")
    assert case.status == "done"


def test_one_thread_that_reads_four_disks_through_the_cache_is_the_same_on_both_engines(run):
    # It needs more registers than any other: those of a file for each disk.
    text = SCSI.replace("write_cache: false", "file_system: filesystems/linux-block-device").replace(
        "writer: {host: server, to: d,", "reader: {host: server, from: d, threads: one, access: buffered,"
    )
    sets = ("disks.d.count=4", "workload.reader.size=512 KiB", "workload.reader.block=64 KiB")
    found = [run(text, *sets, engine=engine) for engine in ("compiled", "simpy")]
    assert found[0].status == "done"
    assert found[0].rate == found[1].rate
    assert found[0].steps == found[1].steps
