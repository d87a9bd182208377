"""Bounds of what goes through an adapter: the bus that it sits on counts, at either end."""

from __future__ import annotations

from pathlib import Path

import pytest

import simio
from simio.result.model import CaseResult

HOST = "hosts/xeon-gold-6128-4s, stack: {receive_space: 3 MiB}"
TCP = f"""
title: TCP at an adapter in a narrow slot
hosts:
  a: {{model: {HOST}, adapters: {{nic: {{model: adapters/connectx-5, bus: pcie}}}}}}
  b: {{model: {HOST}, adapters: {{nic: {{model: adapters/connectx-5, bus: pcie}}}}}}
links: [{{model: links/ethernet-100g-jumbo, between: [a.nic, b.nic], length: 2 m}}]
workload: {{iperf3: {{from: a, to: b, streams: 4}}}}
run: {{until: 6 ms, warm_up: 3 ms, replications: 1}}
report: {{unit: Gbit/s}}
"""
RDMA = """
title: RDMA at an adapter in a narrow slot
hosts:
  a: {model: hosts/server-2023-2s, adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot}}}
  b: {model: hosts/server-2023-2s, adapters: {roce: {model: adapters/connectx-5-rdma, bus: slot}}}
links: [{model: links/ethernet-100g-jumbo, between: [a.roce, b.roce], length: 3 m}]
workload: {rdma: {from: a, to: b, size: 64 KiB, depth: 8}}
run: {until: 500 us, warm_up: 100 us}
report: {unit: Gbit/s}
"""
UDP = """
title: Datagrams at an adapter in a narrow slot
hosts: {a: {model: hosts/server-2023-2s}, b: {model: hosts/server-2023-2s}}
links: [{model: links/ethernet-100g, between: [a.eth, b.eth]}]
workload: {d: {kind: datagrams, from: a, to: b, size: 1472 B, count: 44000, batch: 44, streams: 4}}
run: {until: 600 us, warm_up: 100 us}
report: {unit: Gbit/s}
"""
PCI = """
title: TCP at Gigabit cards on PCI of 32 bits and 33 MHz
hosts:
  a:
    model: hosts/linux-2002-dual-p3
    buses: {pci: buses/pci-32-33}
    stack: stacks/linux-2.4
    adapters: {eth: {model: adapters/gigabit-pc, bus: pci}}
  b: {like: a}
links: [{model: links/ethernet-1000-jumbo, between: [a.eth, b.eth], length: 20 m}]
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 200}}
run: {warm_up: 0 s}
report: {unit: MB/s}
"""
WALKS = """
title: Writes to a drive whose pages are mapped for each
hosts:
  s:
    model: hosts/server-2023-2s
    root: {iommu: true, iommu_entries: 64, iommu_walks: 1, iommu_walk: 4 us, iommu_page: 4 KiB}
    buses: {slot: buses/pcie-3-x4}
    adapters: {nvme: {model: adapters/nvme-linux, bus: slot}}
disks: {d: {model: disks/samsung-980-pro-1tb}}
links: [{model: links/nvme, between: [s.nvme, d], length: 0 m}]
workload: {w: {kind: writer, host: s, to: d, access: direct, block: 64 KiB, size: 32 MiB, depth: 8}}
"""
NARROW = "buses/pcie-3-x8"


def _run(folder: Path, text: str, *sets: str) -> CaseResult:
    path = folder / "case.yaml"
    path.write_text(text)
    return simio.load(path, sets).run().cases[0]


@pytest.mark.parametrize(("text", "bus"), [(TCP, "pcie"), (RDMA, "slot"), (UDP, "slot")])
@pytest.mark.parametrize(("host", "way"), [("a", "down"), ("b", "up")])
def test_a_narrow_slot_sets_the_bound(tmp_path: Path, text: str, bus: str, host: str, way: str) -> None:
    # A receiver's packets go up, those of a sender come down.
    case = _run(tmp_path, text, f"hosts.{host}.buses.{bus}={NARROW}")
    assert case.bound_by == f"{host}.{bus} {way}"
    assert case.bound is not None
    assert 0.9 * case.bound < case.rate <= case.bound


@pytest.mark.parametrize("text", [TCP, RDMA, UDP])
def test_a_wide_slot_leaves_the_bound_to_the_link(tmp_path: Path, text: str) -> None:
    case = _run(tmp_path, text)
    assert ">" in (case.bound_by or "")
    # Where more is sent than arrives, the sender's slot is as busy.
    assert text != UDP or case.limiter.name == case.bound_by


def test_what_is_read_crosses_the_slot_of_the_host_that_has_it(tmp_path: Path) -> None:
    case = _run(tmp_path, RDMA, "workload.rdma.verb=read", f"hosts.b.buses.slot={NARROW}")
    assert case.bound_by == "b.slot down"
    assert case.bound is not None
    assert 0.9 * case.bound < case.rate <= case.bound


def test_a_parallel_bus_sets_the_bound_of_the_cards_on_it(tmp_path: Path) -> None:
    # 133 MB/s, less the cycles before each burst; the line would carry 124 MB/s.
    case = _run(tmp_path, PCI)
    assert case.bound_by in ("a.pci", "b.pci")
    assert case.bound is not None
    assert 0.9 * case.bound < case.rate <= case.bound


@pytest.mark.parametrize(("walk", "walks", "rate"), [("4 us", 1, 1024), ("2 us", 1, 2048), ("4 us", 2, 2048)])
def test_walks_for_pages_that_each_read_has_mapped_set_the_bound(
    tmp_path: Path, walk: str, walks: int, rate: int
) -> None:
    # A page of 4096 bytes a walk.
    case = _run(tmp_path, WALKS, f"hosts.s.root.iommu_walk={walk}", f"hosts.s.root.iommu_walks={walks}")
    assert case.bound_by == case.limiter.name == "s IOMMU walkers"
    assert float(case.bound or 0) == pytest.approx(rate * 1e6, rel=1e-3)
    assert case.rate > 0.95 * case.bound


def test_pages_that_stay_mapped_may_need_no_walk(tmp_path: Path) -> None:
    # Of a page in halves, no transfer maps a whole one.
    assert _run(tmp_path, WALKS, "workload.w.block=2 KiB", "workload.w.size=1 MiB").bound_by != "s IOMMU walkers"
