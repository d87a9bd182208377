"""Devices that hosts cannot reach, or not in that way, are refused by name where the scenario is read or lowered."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

BASE = """
title: a scenario with a fault
hosts:
  server:
    model: hosts/linux-2002-dual-p3
    adapters:
      scsi: {{model: adapters/aic-7899, bus: pci}}
      other: {{model: adapters/aic-7899, bus: pci}}
      hippi: {{model: adapters/iris-hippi, bus: pci}}
disks:
  d: {{model: {disk}, count: {count}}}
  e: {{model: disks/atlas-10k, count: 4}}
{volumes}
links:
  - {{model: {link}, between: [server.{port}, d], length: 3 m}}
  - {{model: links/scsi-ultra160, between: [server.other, e], length: 3 m}}
workload:
  reader: {{host: server, from: {target}, block: {block}, size: {size}, access: {access}}}
"""  # fmt: skip
GOOD = {
    "disk": "disks/atlas-10k", "count": "2", "volumes": "", "link": "links/scsi-ultra160", "port": "scsi",
    "target": "d", "block": "64 KiB", "size": "1 MiB", "access": "raw",
}  # fmt: skip


def told(tmp_path: Path, *sets: str, **changes: str) -> tuple[int, str]:
    path = tmp_path / "s.yaml"
    path.write_text(BASE.format(**(GOOD | changes)))
    args = ["run", str(path), *(part for each in sets for part in ("--set", each))]
    done = CliRunner().invoke(main, args)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


def test_the_scenario_without_a_fault_runs(tmp_path: Path):
    assert told(tmp_path)[0] == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"access": "buffered"}, ("'reader'", "'d1'", "no file_system")),
        ({"access": "mmap"}, ("'reader'", "'d1'", "no file_system")),
        ({"count": "16"}, ("links.link1.between", "17 ends", "at most the 16 devices")),
        ({"size": "10 TB"}, ("'reader'", "10 TB", "'d1'", "holds")),
        ({"block": "1000 B", "size": "100 kB"}, ("'reader'", "1 kB", "whole sectors of 512 B")),
        (
            {
                "volumes": "volumes: {v: {kind: stripe, of: [d, e], unit: 64 KiB, "
                "controller: controllers/pci-raid-2000}}",
                "target": "v",
            },
            ("'v'", "several adapters", "controllers/pci-raid-2000"),
        ),
        (
            {"volumes": "volumes: {v: {kind: stripe, of: d, unit: 1000 B}}", "target": "v"},
            ("volumes.v.unit", "1 kB", "a multiple of the sector of 'd1', 512 B"),
        ),
        ({"volumes": "volumes: {v: {kind: raid5, of: d, unit: 64 KiB}}", "target": "v"}, ("volumes.v", "3")),
        ({"link": "links/hippi-800", "port": "hippi"}, ("links.link1", "hippi", "scsi")),
        ({"link": "links/hippi-800"}, ("links.link1", "hippi")),
        ({"disk": "disks/fc-15k-2002"}, ("links.link1", "fibre-channel", "scsi")),
    ],
)
def test_faults_are_told_with_names_and_status_2(tmp_path: Path, changes: dict[str, str], words):
    status, text = told(tmp_path, **changes)
    assert status == 2, text
    assert all(word in text for word in words), text
    assert "Traceback" not in text


def test_a_scsi_bus_that_is_too_long_is_refused(tmp_path: Path):
    status, text = told(tmp_path, "links.link1.length=13 m")
    assert status == 2
    assert "SCSI bus 'link1' is 13 m long; it works up to 12 m" in text


def test_a_run_without_time_for_a_delivery_says_so(tmp_path: Path):
    status, text = told(tmp_path, "run.until=1 us")
    assert status == 0
    assert "0 MB/s nothing was delivered within 1 us: the first delivery comes after 6.486 ms" in text
