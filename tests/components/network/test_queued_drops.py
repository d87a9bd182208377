"""Packets that an adapter with queues drops or keeps in order, and connections to drives over one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simio.errors import RunError
from simio.loading import load
from simio.lower import lower
from simio.running import RunOptions, run_case

HOSTS = """
title: Eight streams into an adapter with queues
hosts:
  server:
    model: hosts/server-2023-2s
    kernel: kernels/linux-6.3
    adapters:
      nvme: {model: adapters/nvme-linux, bus: pcie}
      eth: {model: adapters/connectx-5, bus: slot, receive_ring: 64}
  client: {model: hosts/storage-client-2023, kernel: kernels/linux-6.3}
disks: {d: {model: disks/datacentre-tlc-2023}}
links:
  - {model: links/nvme, between: [server.nvme, d], length: 0 m}
  - {model: links/ethernet-100g, between: [server.eth, client.eth], length: 3 m}
"""

WRITES = """
title: Writes over a direct cable, on which nothing is lost
hosts:
  client: {model: hosts/xeon-gold-6128-4s, adapters: {remote: {model: adapters/nvme-tcp-linux, bus: pcie}}}
  target:
    model: hosts/xeon-gold-6128-4s
    buses: {x4: {model: buses/pcie-3-x4}}
    adapters: {nvme: {model: adapters/nvme-linux, bus: x4}}
disks: {d: {model: disks/datacentre-tlc-2023, count: 4, placement: empty}}
links:
  - {model: links/nvme, between: [target.nvme, d], length: 0 m}
  - {model: links/ethernet-100g-jumbo, between: [client.nic, target.nic], length: 5 m}
  - {name: far, model: links/nvme-tcp-nvmet, between: [client.remote, d]}
workload: {w: {kind: writer, host: client, to: d, block: 64 KiB, size: 64 MiB, depth: 16, access: direct}}
run: {until: 3 ms, warm_up: 1 ms, replications: 1}
"""


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], str]:
    def write(text: str) -> str:
        path = tmp_path / "s.yaml"
        path.write_text(HOSTS + text)
        return str(path)

    return write


def test_a_packet_that_a_full_ring_drops_leaves_the_memory_of_the_adapter(written: Callable[[str], str]) -> None:
    sets = ("workload.ttcp.writes=100", "run.until=1 s")
    loaded = load(
        written("workload: {ttcp: {from: client, to: server, size: 64 KiB, streams: 8, queue: 0, writes: 500}}\n"),
        sets,
    )
    found = run_case(loaded.cases[0])
    lost = {each.name: each.count for each in found.observations if each.name.endswith("dropped")}
    # More than the memory of 256 KiB held.
    assert lost["server.eth queue 0 dropped"] > 180
    assert found.status == "done"


def test_no_packet_of_a_flow_gets_ahead_of_a_longer_one(tmp_path: Path) -> None:
    # A packet of 9000 B crosses PCI Express in three parts, and the short end of a buffer in one: it must not get
    # ahead, since posted writes of a device do not pass each other (PCI Express Base 3.0, 2.4.1).
    path = tmp_path / "s.yaml"
    path.write_text(WRITES)
    found = run_case(load(path).cases[0])
    assert not [each.name for each in found.tallies if each.what == "sent again" and each.value]
    assert any(each.what == "of data went up" and each.value for each in found.tallies)


TRANSLATED = """
title: A sender whose packets wait for an IOMMU
hosts:
  a:
    model: hosts/xeon-gold-6128-4s
    root: {iommu: true, iommu_walk: 2 us, iommu_walks: 4}
    adapters: {nic: {model: adapters/connectx-5, bus: pcie}}
  b: {model: hosts/xeon-gold-6128-4s, adapters: {nic: {model: adapters/connectx-5, bus: pcie}}}
links: [{model: links/ethernet-100g-jumbo, between: [a.nic, b.nic], length: 2 m}]
workload: {iperf3: {from: a, to: b}}
run: {until: 3 ms, warm_up: 1 ms, replications: 1}
"""


def test_no_packet_gets_ahead_of_one_that_an_iommu_lacks_the_pages_of(tmp_path: Path) -> None:
    # A packet of 9000 B waits for the walks of two pages, and the short end of a buffer for none.
    path = tmp_path / "s.yaml"
    path.write_text(TRANSLATED)
    found = run_case(load(path).cases[0])
    assert not [each.name for each in found.tallies if each.what == "sent again" and each.value]
    assert any(each.owner == "a IOMMU" and each.what == "misses" and each.value for each in found.tallies)


DRIVES = """  - {{name: far, model: links/{kind}, between: [client.remote, d]}}
workload:
  w: {{kind: writer, host: client, to: d, block: 64 KiB, size: 512 KiB, depth: 4, access: direct}}
  r: {{kind: reader, host: client, from: d, block: 4 KiB, pattern: random, size: 64 KiB, depth: 4, access: direct}}
run: {{replications: 1}}
"""


@pytest.mark.parametrize("kind", ["nvme-tcp-nvmet", "iscsi-lio"])
def test_drives_are_reached_over_adapters_with_queues(written: Callable[[str], str], kind: str) -> None:
    # A command is written by one thread while another reads replies: they take turns at the socket.
    text = DRIVES.format(kind=kind)
    if kind == "iscsi-lio":
        text += "vary: {hosts.client.adapters.remote.model: [adapters/iscsi-linux]}\n"
    loaded = load(written(text), ["disks.d.placement=empty"])
    case, other = (run_case(loaded.cases[0], RunOptions(engine=engine)) for engine in ("compiled", "simpy"))
    assert case.status == "done"
    assert (case.throughput, case.observations) == (other.throughput, other.observations)
    assert {each.name for each in case.resources} >= {"server.core 0"}


@pytest.mark.parametrize(("kind", "who"), [("nvme-tcp-spdk", "cores that poll"), ("nvme-tcp-card", "a card")])
def test_cores_that_poll_share_no_packets_with_those_of_a_kernel(
    written: Callable[[str], str], kind: str, who: str
) -> None:
    loaded = load(written(DRIVES.format(kind=kind)))
    with pytest.raises(RunError, match=f"{who} .*whose adapter has queues .*nvme-tcp-nvmet") as raised:
        lower(loaded.cases[0].system)
    assert raised.value.at == "links.far"
