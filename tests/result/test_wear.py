"""The wear of flash drives: bytes of their hosts, write amplification, and years of rated endurance."""

from __future__ import annotations

from pathlib import Path

import pytest

from simio.loading import load
from simio.report import casetables
from simio.running import run_case

DRIVES = """
title: Writes to drives
hosts:
  server: {model: hosts/server-2023-2s, kernel: kernels/linux-6.3}
disks: {d: {model: disks/datacentre-tlc-2023, count: COUNT, placement: empty, endurance: ENDURANCE}}
volumes: {v: {kind: KIND, of: d, unit: 64 KiB}}
links: [{model: links/nvme, between: [server.nvme, d]}]
workload: {w: {kind: WORK, host: server, WHERE: v, access: direct, block: 64 KiB, size: 8 MiB, depth: 8}}
run: {replications: 1, warm_up: 0 s}
"""


def run(folder: Path, kind: str = "stripe", work: str = "writer", endurance: str = "1 PB"):
    path = folder / "case.yaml"
    text = DRIVES.replace("COUNT", "4").replace("KIND", kind).replace("WORK", work)
    text = (
        text.replace(", unit: 64 KiB", "" if kind == "mirror" else ", unit: 64 KiB")
        .replace("WHERE", "to" if work == "writer" else "from")
        .replace("ENDURANCE", endurance)
    )
    path.write_text(text.replace("1 PB", "1000 TB"))
    return run_case(load(path).cases[0])


@pytest.mark.parametrize(("kind", "copies"), [("stripe", 1), ("mirror", 4), ("raid10", 2)])
def test_drives_are_written_all_copies(tmp_path: Path, kind: str, copies: int) -> None:
    result = run(tmp_path, kind)
    assert [each.name for each in result.wear] == ["d1", "d2", "d3", "d4"]
    assert sum(each.rate for each in result.wear) == pytest.approx(copies * float(result.rate))
    for each in result.wear:
        # An empty drive has nothing to collect.
        assert each.amplification == 1
        assert each.years == pytest.approx(1000e12 / each.rate / (365 * 86400))


def test_a_table_has_the_years_and_what_is_not_known(tmp_path: Path) -> None:
    for endurance, rated, lasts in (("1 PB", "1,000", "years"), ("none", "not known", "")):
        result = run(tmp_path, endurance=endurance)
        (row,) = casetables.wear(result, "MB/s").rows
        assert row[0] == "d1 and 3 alike"
        assert row[2:4] == ["1.00", rated]
        assert lasts in row[4]
        assert bool(row[4]) == bool(lasts)


def test_reads_wear_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, work="reader").wear == ()
