"""Packets that an adapter with queues drops, and connections to drives over one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simio.errors import RunError
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

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


def test_a_connection_to_drives_has_no_adapter_with_queues(written: Callable[[str], str]) -> None:
    text = "  - {name: far, model: links/nvme-tcp-nvmet, between: [client.remote, d]}\n"
    loaded = load(
        written(f"{text}workload: {{direct: {{host: client, to: d, block: 4 KiB}}}}\nrun: {{until: 1 ms}}\n")
    )
    with pytest.raises(RunError, match="over an adapter with queues on 'server' is not modelled") as raised:
        lower(loaded.cases[0].system)
    assert raised.value.at == "links.far"
