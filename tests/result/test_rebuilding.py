"""Notes on a rebuild that goes on when the run ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simio.loading import load
from simio.running import run_case

MIRROR = """title: A mirror that is rebuilt at a pace
hosts:
  server: {{model: hosts/linux-2002-dual-p3, adapters: {{scsi: {{model: adapters/aic-7899, bus: pci}}}}}}
disks: {{d: {{model: disks/atlas-10k, count: 3, write_cache: false}}}}
volumes: {{pair: {{kind: mirror, of: [d1, d2]}}}}
links: [{{model: links/scsi-ultra160, between: [server.scsi, d], length: 3 m}}]
faults: [{{kind: failed, of: d2, spare: d3, rate: 1 MB/s{extent}}}]
workload: {{reader: {{host: server, from: pair, block: 64 KiB, size: 1 GiB}}}}
run: {{until: 4 s, warm_up: 2 s}}
"""


def notes(tmp_path: Path, extent: str) -> list[str]:
    path = tmp_path / "pair.yaml"
    path.write_text(MIRROR.format(extent=extent))
    return [note for note in run_case(load(path).cases[0]).notes if "is rebuilt at" in note]


def test_what_is_left_takes_as_long_as_at_the_rate_so_far(tmp_path: Path) -> None:
    (note,) = notes(tmp_path, ", extent: 100 MiB")
    rate, size, time = map(float, re.findall(r"([\d.]+) (?:MB/s|MB|s)\b", note))
    # Of 104.9 MB a megabyte each second in 4 s.
    assert rate == pytest.approx(1, rel=0.06)
    assert size == pytest.approx(100.9, abs=0.3)
    assert time == pytest.approx(size / rate, rel=0.001)


def test_a_whole_disk_counts_without_an_extent(tmp_path: Path) -> None:
    (note,) = notes(tmp_path, "")
    assert re.search(r"the 9\.196 GB that are left take 157\.\d min", note)


def test_a_rebuild_that_is_done_has_no_note(tmp_path: Path) -> None:
    assert notes(tmp_path, ", extent: 1 MiB") == []


def test_a_rebuild_that_left_out_what_nobody_can_read_is_done(tmp_path: Path) -> None:
    extent = ", extent: 1 MiB}, {kind: read_errors, of: d1, unreadable: [200]"
    assert notes(tmp_path, extent) == []
    case = run_case(load(tmp_path / "pair.yaml").cases[0])
    counts = {tally.what: tally.value for tally in case.tallies if tally.owner == "pair"}
    assert counts["chunks that could not be rebuilt"] == 1
    assert counts["rebuilt"] < counts["to be rebuilt"]
