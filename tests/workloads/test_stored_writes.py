"""Writers whose writes have to be stored before they count, past the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.running import run_case

SCENARIO = """\
title: Writes that are stored
hosts:
  h:
    model: hosts/server-2023-2s
    kernel: kernels/linux-6.3
    buses: {b: buses/pcie-3-x4}
    adapters: {sata: {model: adapters/ahci, bus: b}}
disks: {d: {model: disks/exos-x18-18tb, KEYS}}
links: [{model: links/sata-6, between: [h.sata, d], length: 1 m}]
workload: {writer: {host: h, to: d, access: direct, block: 4 KiB, size: 80 KiB, sync: SYNC}}
run: {warm_up: 0 s}
"""
REVOLUTION = 60 * 10**12 / 7200
CACHE, FILES = "write_cache: {}", ", file_system: filesystems/ext4"


@pytest.mark.parametrize(
    ("keys", "sync", "revolutions"),
    [
        # Each write behind the last has missed its place: a revolution. A cache takes it, and is flushed after it.
        (CACHE.format("false"), "false", 1),
        (CACHE.format("false"), "true", 1),
        (CACHE.format("true"), "true", 1),
        (CACHE.format("true"), "false", 0),
        # And then two writes of the journal in the middle of the disk, with seeks there and back: four in all.
        (CACHE.format("true") + FILES, "true", 4),
        (CACHE.format("false") + FILES, "true", 4),
    ],
)
def test_a_write_past_the_cache_is_stored_before_it_counts(
    keys: str, sync: str, revolutions: int, tmp_path: Path
) -> None:
    path = tmp_path / "stored.yaml"
    path.write_text(SCENARIO.replace("KEYS", keys).replace("SYNC", sync))
    case = run_case(load(path).cases[0])
    (seen,) = case.observations
    assert seen.count == 20
    assert seen.p50 == pytest.approx(revolutions * REVOLUTION, rel=0.05, abs=0.1 * REVOLUTION)
