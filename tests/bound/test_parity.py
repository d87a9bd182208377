"""The bound on writes to volumes with parity counts what they read and write beside their data."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from simio.bound import bound
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

DRIVES = """
title: Writes to a volume of four drives
hosts: {server: {model: hosts/server-2023-2s}}
disks: {d: {model: disks/datacentre-tlc-2023, count: 4, capacity: 50 GB, placement: empty}}
volumes: {data: {kind: KIND, of: d, unit: 64 KiB}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload: {writer: {host: server, to: data, access: raw, pattern: random, block: BLOCK, size: 64 MiB, depth: 16}}
run: {replications: 1}
"""


def case(folder: Path, kind: str, block: str):
    path = folder / "volume.yaml"
    path.write_text(DRIVES.replace("KIND", kind).replace("BLOCK", block))
    return load(path).cases[0]


def lanes(folder: Path, kind: str, block: str, way: str) -> Fraction:
    """The rate that the lanes of all drives allow in a direction: up reads, down writes."""
    found = bound(lower(case(folder, kind, block).system))
    return next(cap.rate for cap in found.caps() if cap.name.startswith("d1 lanes") and f"lanes {way}" in cap.name)


@pytest.mark.parametrize(
    ("kind", "block", "written"),
    [
        # New data and new parity; a whole stripe has a unit of parity for three of data.
        ("raid5", "16 KiB", Fraction(2)),
        ("raid5", "192 KiB", Fraction(4, 3)),
        # The two of today; of four members two are parity.
        ("raid6", "128 KiB", Fraction(2)),
    ],
)
def test_parity_is_written_beside_the_data(tmp_path: Path, kind: str, block: str, written: Fraction) -> None:
    plain = lanes(tmp_path, "stripe", block, "down")
    assert float(plain / lanes(tmp_path, kind, block, "down")) == pytest.approx(float(written), rel=1e-3)


def test_old_data_and_parity_are_read_before_a_small_write(tmp_path: Path) -> None:
    down, up = (lanes(tmp_path, "raid5", "16 KiB", way) for way in ("down", "up"))
    # As many bytes go each way; completions of reads have shorter headers than posted writes.
    assert float(up / down) == pytest.approx(1, rel=0.02)
    # Of a whole stripe only requests go up, for data that the drives fetch.
    whole = [lanes(tmp_path, "raid5", "192 KiB", way) for way in ("down", "up")]
    assert whole[1] > 5 * whole[0]


@pytest.mark.parametrize(("kind", "block"), [("raid5", "16 KiB"), ("raid6", "16 KiB"), ("raid10", "16 KiB")])
def test_a_run_lies_under_it(tmp_path: Path, kind: str, block: str) -> None:
    result = run_case(case(tmp_path, kind, block))
    assert result.bound is not None
    assert result.rate <= result.bound
