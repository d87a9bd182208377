"""NFS over TCP between hosts whose adapters have queues and whose stacks take time."""

from __future__ import annotations

from pathlib import Path

import pytest

import simio

SCENARIO = """
title: NFS over 100 Gbit/s
hosts: {{client: {{model: hosts/xeon-gold-6128-4s}}, server: {{like: client}}}}
links: [{{model: links/ethernet-100g-jumbo, between: [client.nic, server.nic], length: 5 m}}]
workload:
  nfs: {{from: client, to: server, transport: tcp, version: 4, size: 8 MiB, programs: 4, nconnect: 2, {more}}}
"""


@pytest.mark.parametrize("more", ["read_ahead: 4 MiB", "access: write", "access: write, block: 8 KiB"])
def test_a_reader_and_a_writer_of_a_connection_take_turns_at_its_socket(tmp_path: Path, more: str) -> None:
    # A thread that writes calls meets the one that reads replies at the same socket, and has to wait for it.
    path = tmp_path / "nfs.yaml"
    path.write_text(SCENARIO.format(more=more))
    (case,), (other,) = (simio.load(path).run(engine).cases for engine in ("compiled", "simpy"))
    assert case.rate == other.rate
    assert case.throughput.amount > 16 * 2**20
    owners = [each for each in case.resources if each.name.endswith("owner")]
    assert len(owners) == 4
    assert any(each.waits for each in owners)
