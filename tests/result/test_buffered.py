"""A run whose writes mostly fill the buffers of flash drives says so."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.running import run_case

DRIVE = """
title: Random writes of 4 KiB
hosts:
  server: {model: hosts/server-2023-2s, kernel: kernels/linux-6.3}
disks: {d: {model: disks/datacentre-tlc-2023, buffer: 8 MiB}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload: {direct: {host: server, to: d, reads: READS, depth: 32, requests: REQUESTS}}
run: {replications: 1}
"""
NOTE = "of what was written only filled the write buffer of d: a longer run shows what the flash keeps up"


def notes(folder: Path, requests: int, reads: int = 0) -> list[str]:
    path = folder / "case.yaml"
    text = DRIVE.replace("REQUESTS", str(requests)).replace("READS", f"{reads} %")
    path.write_text(text)
    return [note for note in run_case(load(path).cases[0]).notes if "write buffer" in note]


def test_writes_that_the_buffer_holds_are_told(tmp_path: Path) -> None:
    # 1000 writes are half of the buffer's 2048 sectors.
    assert notes(tmp_path, 1000) == [f"more than half {NOTE}"]


def test_writes_that_the_flash_has_to_store_are_not(tmp_path: Path) -> None:
    assert notes(tmp_path, 40_000) == []


def test_a_buffer_that_fills_for_a_good_part_of_the_run_is_told(tmp_path: Path) -> None:
    # The buffer has room for 2048 sectors of the 8000 that come.
    assert notes(tmp_path, 8000) == [f"more than a fifth {NOTE}"]


def test_a_few_writes_among_reads_are_not(tmp_path: Path) -> None:
    assert notes(tmp_path, 4000, reads=99) == []
