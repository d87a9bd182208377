"""Devices that no link leads to are refused in the words of the scenario."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.errors import RunError
from simio.loading import load
from simio.lower import lower

HEAD = """
title: t
hosts:
  s: {model: hosts/linux-2002-dual-p3, adapters: {h: {model: adapters/iris-hippi, bus: pci}}}
"""


def refused(tmp_path: Path, text: str) -> str:
    path = tmp_path / "scenario.yaml"
    path.write_text(HEAD + text)
    with pytest.raises(RunError) as error:
        lower(load(path).cases[0].system)
    return str(error.value)


def test_a_card_for_packets_does_not_reach_an_array(tmp_path: Path) -> None:
    told = refused(
        tmp_path,
        """
disks: {a: {model: disks/ipi-array-1994}}
links: [{model: links/hippi-800, between: [s.h, a]}]
workload: {reader: {host: s, from: a, block: 1 MiB, size: 1 MiB}}
""",
    )
    assert told.endswith(
        "workload.reader: 's.h' (adapters/iris-hippi) carries packets; a disk over HIPPI needs an adapter of kind "
        "'ipi-3-hippi'"
    )


def test_reading_through_the_cache_needs_a_file_system(tmp_path: Path) -> None:
    told = refused(
        tmp_path,
        """
disks: {d: {model: disks/fc-15k-2002}}
links: [{model: links/fc-2g, between: [s.fc, d]}]
workload: {reader: {host: s, from: d, access: buffered, block: 1 MiB, size: 1 MiB}}
""",
    )
    assert told.endswith(
        "workload.reader: workload 'reader' goes through the cache, and 'd' has no file_system; give it one, or use "
        "access: raw"
    )


def test_a_volume_without_controller_may_be_behind_two_adapters_and_one_with_may_not(tmp_path: Path) -> None:
    told = refused(
        tmp_path,
        """
  t: {model: hosts/linux-2002-dual-p3, adapters: {fc2: {model: adapters/qla2300, bus: pci}}}
disks: {d: {model: disks/fc-15k-2002, count: 2}}
volumes: {v: {kind: mirror, of: d, controller: controllers/pci-raid-2000}}
links:
  - {model: links/fc-2g, between: [t.fc, d1]}
  - {model: links/fc-2g, between: [t.fc2, d2]}
workload: {reader: {host: t, from: v, block: 1 MiB, size: 1 MiB}}
""",
    )
    assert "workload.reader: the members of volume 'v' are behind several adapters; its controller" in told
