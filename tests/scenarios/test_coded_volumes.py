"""RAIDZ and erasure codes over disks, on both engines: with all members, without one, and while a spare is filled."""

from __future__ import annotations

import pytest
from test_faults import Ran, run

POOL = """
title: a pool
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters: {scsi: {model: adapters/aic-7899, bus: pci}}
disks:
  d: {model: disks/atlas-10k, count: 5, write_cache: false}
  spare: {model: disks/atlas-10k}
volumes:
  pool: {KIND}
links: [{model: links/scsi-ultra160, between: [server.scsi, d, spare], length: 3 m}]
workload:
  reader: {host: server, from: pool, block: 16 KiB, size: 1 MiB, pattern: random, depth: 2}
  writer: {host: server, to: pool, block: 64 KiB, size: 512 KiB, depth: 2}
run: {warm_up: 0 s}
"""
KINDS = [
    "kind: raidz1, of: d, record: 32 KiB",
    "kind: raidz2, of: d",
    "kind: erasure, of: d, unit: 16 KiB, parity: 2",
]
LOSSES = [
    "",
    "faults: [{kind: failed, of: d2}]\n",
    "faults: [{kind: failed, of: d2, at: 20 ms, timeout: 5 ms, spare: spare, chunk: 64 KiB, extent: 512 KiB}]\n",
]


def pool(kind: str, more: str = "") -> Ran:
    return run(POOL.replace("KIND", kind) + more)


@pytest.mark.parametrize("loss", LOSSES, ids=["whole", "without one", "rebuilt"])
@pytest.mark.parametrize("kind", KINDS)
def test_all_is_delivered_whoever_is_lost(kind: str, loss: str) -> None:
    ran = pool(kind, loss)
    assert ran.delivered() == 3 * 2**19
    if "spare" in loss:
        assert ran.counted("pool", "rebuilt") == 512 * 1024


def test_the_cpu_takes_the_rate_of_codes_for_what_has_several_parities() -> None:
    """Whole stripes of three units of 16 KiB: with two parities six products of each byte of a unit."""
    text = """
title: stripes
hosts: {server: {model: hosts/server-2023-2s, cpu: {coding: 1 GB/s}}}
disks: {d: {model: disks/datacentre-tlc-2023, capacity: 1 GB, placement: empty, count: 5}}
volumes: {pool: {kind: erasure, of: d, unit: 16 KiB, parity: 2}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload: {writer: {host: server, to: pool, block: 48 KiB, size: 48 KiB}}
run: {warm_up: 0 s}
"""
    slow, fast = (run(text, f"hosts.server.cpu.coding={rate}").outcome.end for rate in ("1 GB/s", "2 GB/s"))
    assert slow - fast == pytest.approx(6 * 16384 * 1e12 * (1e-9 - 0.5e-9), rel=1e-3)
