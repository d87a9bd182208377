"""The bound of volumes of a service: what is provisioned, with what full buckets let pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_case

SCENARIO = """
title: Volumes of a service
hosts: {vm: {model: hosts/server-2023-2s}}
disks:
  d:
    {model: disks/cloud-volume, count: 4, requests: 300 /s, burst_requests: none, credits: 0, rate: 25 MB/s,
     unit: 256 KiB, latency: 500 us, spread: 0 s}
links: [{model: links/nvme, between: [vm.nvme, d], length: 0 m}]
volumes: {v: {kind: stripe, of: d, unit: 64 KiB}}
workload:
  work: {kind: KIND, host: vm, DIRECTION: FROM, access: raw, block: BLOCK, size: SIZE, pattern: random, depth: DEPTH}
run: {replications: 1, warm_up: 0 s}
"""


def run(
    tmp_path: Path, block: str, size: str, *settings: str, of: str = "v", depth: int = 16, writes: bool = False
) -> CaseResult:
    kind, direction = ("writer", "to") if writes else ("reader", "from")
    text = SCENARIO.replace("KIND", kind).replace("DIRECTION", direction).replace("FROM", of)
    path = tmp_path / "case.yaml"
    path.write_text(text.replace("BLOCK", block).replace("SIZE", size).replace("DEPTH", str(depth)))
    return run_case(load(str(path), settings).cases[0])


@pytest.mark.parametrize(
    ("block", "size", "settings", "writes", "rate"),
    [
        # Of four volumes together: 300 requests a second of 4 KiB each, and 25 MB/s each.
        ("4 KiB", "16 MiB", (), False, 4 * 300 * 4096),
        ("1 MiB", "256 MiB", (), False, 4 * 25e6),
        # Each has a copy of all; a small write of RAID 5 reads and writes two of them.
        ("4 KiB", "4 MiB", ("volumes.v.kind=mirror", "volumes.v.unit=none"), True, 300 * 4096),
        ("4 KiB", "4 MiB", ("volumes.v.kind=raid5",), True, 300 * 4096),
    ],
)
def test_provisioned_rates_set_the_bound(
    tmp_path: Path, block: str, size: str, settings: tuple[str, ...], writes: bool, rate: float
) -> None:
    case = run(tmp_path, block, size, *settings, writes=writes)
    assert case.bound is not None
    assert float(case.bound) == pytest.approx(rate, rel=0.05)
    assert "provisioned" in case.bound_by
    assert float(case.rate) > 0.85 * float(case.bound)


def test_credits_pass_before_the_bound_is_that_of_what_is_provisioned(tmp_path: Path) -> None:
    credits = "disks.d.burst_requests=1000 /s", "disks.d.credits=200"
    # 200 credits and 312 requests of what fills meanwhile: the burst lasts for less than a second.
    case = run(tmp_path, "4 KiB", "2 MiB", *credits, of="d1", depth=4)
    assert float(case.rate) > 1.3 * 300 * 4096
    assert case.bound is not None
    assert case.rate <= case.bound <= 1000 * 4096 * 1.05


def test_provisioned_requests_limit_where_hardly_any_waits(tmp_path: Path) -> None:
    # One takes 0.5 ms alone, and two at a time are served 3000 a second, of 4000 that they could ask for.
    case = run(tmp_path, "4 KiB", "16 MiB", "disks.d.requests=3000 /s", of="d1", depth=2)
    assert (case.limiter.kind, case.limiter.name) == ("resource", "d1 provisioned requests")
