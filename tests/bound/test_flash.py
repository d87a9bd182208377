"""The bound counts the commands that volumes and targets make of flash drives."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.bound import bound
from simio.loading import load
from simio.lower import lower
from simio.running import run_case

DRIVES = """
title: Drives as one volume
hosts:
  server:
    model: hosts/server-2023-2s
disks: {d: {model: disks/datacentre-tlc-2023, count: 8, command_time: 1 us}}
volumes: {v: {kind: KIND, of: d, unit: 64 KiB}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload:
  w: {kind: writer, host: server, to: v, access: direct, block: BLOCK, size: 4 MiB, pattern: random, depth: 64}
"""

TARGET = """
title: Drives of a target
hosts:
  target: {model: hosts/storage-target-2023}
  client: {model: hosts/storage-client-2023}
disks: {d: {model: disks/datacentre-tlc-2023, count: 4, command_time: 10 us}}
links:
  - {model: links/nvme, between: [target.nvme, d]}
  - {model: links/ethernet-100g, between: [target.eth, client.eth]}
  - {model: links/nvme-tcp-nvmet, between: [client.remote, d]}
workload:
  r: {kind: reader, host: client, from: d, access: direct, block: 4 KiB, size: 1 MiB, pattern: random, depth: 32}
"""


def case(folder: Path, text: str):
    path = folder / "case.yaml"
    path.write_text(text)
    return load(path).cases[0]


@pytest.mark.parametrize(
    ("kind", "block", "commands"),
    [
        ("stripe", "4 KiB", 1),
        ("raid10", "4 KiB", 2),
        ("raid5", "4 KiB", 4),
        ("raid6", "4 KiB", 6),
        ("raid10", "64 KiB", 2),
        ("raid5", "64 KiB", 4),
    ],
)
def test_a_write_is_at_least_so_many_commands_of_the_members(
    tmp_path: Path, kind: str, block: str, commands: int
) -> None:
    # Of a RAID 5 or 6: old data and parities are read and written. 1 us a command, on eight controllers.
    tried = case(tmp_path, DRIVES.replace("KIND", kind).replace("BLOCK", block))
    program = lower(tried.system)
    time = max(each.time for each in bound(program).limits if each.name.startswith("d1 controller and"))
    requests = 4 * 2**20 // (4096 if block == "4 KiB" else 65536)
    assert time == requests * commands * 10**6 // 8
    result = run_case(tried)
    assert result.rate <= result.bound


def test_each_command_of_a_target_takes_the_controller_of_its_drive(tmp_path: Path) -> None:
    tried = case(tmp_path, TARGET)
    program = lower(tried.system)
    (limit,) = (each for each in bound(program).limits if each.name == "d1 controller")
    # 1 MiB in commands of 4 KiB, 10 us each.
    assert limit.time == 256 * 10 * 10**6
    result = run_case(tried)
    assert result.rate <= result.bound
    assert result.rate >= 0.8 * result.bound
