"""Volumes with more than one parity that have lost a disk: the rest of it makes up for what others cannot read."""

from __future__ import annotations

import pytest
from test_disk_faults import BLOCK, faults, total
from test_faults import Ran, run

VOLUMES = {
    "raid6": "{kind: raid6, of: [d1, d2, d3, d4, d5], unit: 32 KiB}",
    "erasure 2": "{kind: erasure, parity: 2, of: [d1, d2, d3, d4, d5], unit: 32 KiB}",
    "erasure 3": "{kind: erasure, parity: 3, of: [d1, d2, d3, d4, d5, d6], unit: 32 KiB}",
    "raidz2": "{kind: raidz2, of: [d1, d2, d3, d4, d5]}",
}
POOL = """
title: a pool with several parities
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks: {d: {model: disks/atlas-10k, count: 7, write_cache: false}}
volumes: {pool: VOLUME}
links: [{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}]
workload: {reader: {host: server, from: pool, block: 64 KiB, size: 3 MiB, passes: 2}}
"""
UNREADABLE = "kind: read_errors, of: d4, unreadable: [1034, 1098, 1162, 1226, 1290], command_retries: 0"
"""A sector in each of five units in a row, so that some of them have data."""
ERRORS = "commands ended by a medium error"


def pool(kind: str, *lines: str) -> Ran:
    return run(POOL.replace("VOLUME", VOLUMES[kind]) + faults(*lines))


@pytest.mark.parametrize("kind", VOLUMES)
@pytest.mark.parametrize("when", ["", ", at: 20 ms, timeout: 10 ms"])
def test_what_a_disk_cannot_read_is_made_of_the_others_and_repaired(kind: str, when: str) -> None:
    ran = pool(kind, f"kind: failed, of: d2{when}", UNREADABLE)
    assert [size for _, size in ran.marks("reader: pool")] == [BLOCK] * 96
    assert not [tally for tally in ran.program.tallies if tally.what == "failed" and ran.outcome.state[tally.at]]
    # The second pass reads what the first has written there.
    assert 0 < total(ran, ERRORS) <= 5


@pytest.mark.parametrize("kind", VOLUMES)
@pytest.mark.parametrize("window", ["", ", window: 256 KiB"])
def test_a_rebuild_loses_nothing_that_another_disk_cannot_read(kind: str, window: str) -> None:
    lines = f"kind: failed, of: d2, spare: d7, extent: 1 MiB, chunk: 64 KiB{window}", UNREADABLE
    ran = run(
        POOL.replace("VOLUME", VOLUMES[kind]).replace("size: 3 MiB, passes: 2", "size: 64 KiB") + faults(*lines)
    )
    assert ran.counted("pool", "chunks that could not be rebuilt") == 0
    assert ran.counted("pool", "rebuilt") == 2**20
    assert 0 < total(ran, ERRORS) <= 5


def test_chunks_under_way_when_a_second_disk_dies_are_rebuilt() -> None:
    lines = (
        "kind: failed, of: d2, spare: d7, extent: 4 MiB, chunk: 64 KiB, window: 1 MiB",
        "kind: failed, of: d4, at: 100 ms, timeout: 50 ms",
    )
    ran = pool("raid6", *lines)
    assert ran.counted("pool", "chunks that could not be rebuilt") == 0
    assert ran.counted("pool", "rebuilt") == 4 * 2**20
