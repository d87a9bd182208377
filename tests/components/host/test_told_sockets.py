"""A run tells of adapters on a far socket, and of drives with more lanes than their forms have."""

from __future__ import annotations

from pathlib import Path

from simio.loading import load
from simio.lower import lower

DRIVES = """
title: Drives on a bus of the far socket
hosts:
  server:
    model: hosts/server-2023-2s
    buses: {other: {model: buses/pcie-5-x4, socket: 1}}
    adapters: {nvme2: {model: adapters/nvme-linux, bus: BUS}}
disks: {d: {model: disks/datacentre-tlc-2023, lanes: none}}
links: [{model: links/nvme, between: [server.nvme2, d]}]
workload: {reader: {host: server, from: d, block: 128 KiB, size: 1 MiB}}
"""


def told(folder: Path, bus: str) -> list[str]:
    path = folder / "case.yaml"
    path.write_text(DRIVES.replace("BUS", bus))
    return list(lower(load(path).cases[0].system).told)


def test_a_far_socket_is_told_where_nothing_knows_it(tmp_path: Path) -> None:
    (note,) = told(tmp_path, "other")
    assert note.startswith("server.nvme2 on socket 1: data, CPUs and memory are taken to be near in any case")
    assert told(tmp_path, "pcie") == []


def test_drives_with_more_than_four_lanes_each_are_told(tmp_path: Path) -> None:
    wide, far = told(tmp_path, "far")
    assert wide.startswith("each NVMe drive behind server.nvme2 has 16 lanes for itself, as its bus server.far has: ")
    assert far.startswith("server.nvme2 on socket 1")
    assert told(tmp_path, "slot") == [wide.replace("server.far", "server.slot")]
