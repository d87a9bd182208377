"""A run says so where some of its work ended early, where the use of a part changes, and where its runs differ."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from simio.loading import load
from simio.result.model import Throughput
from simio.result.phases import unlike
from simio.running import run_case

SCENARIOS = Path(__file__).parents[2] / "scenarios"

TWO = """
title: Two transfers, one of which is longer
hosts: {{a: {{model: hosts/storage-client-2023}}, b: {{like: a}}}}
links: [{{name: l, model: links/ethernet-10g-jumbo, between: [a.eth, b.eth]}}]
workload:
  down: {{kind: ttcp, from: a, to: b, size: 64 KiB, writes: {down}}}
  up: {{kind: ttcp, from: b, to: a, size: 64 KiB, writes: {up}}}
run: {{warm_up: {warm_up}}}
"""


def told(folder: Path, down: int, up: int, warm_up: str = "0 s") -> tuple[list[str], dict[str, float], float]:
    path = folder / "two.yaml"
    path.write_text(TWO.format(down=down, up=up, warm_up=warm_up))
    result = run_case(load(path).cases[0])
    rates = {stream.name: float(stream.rate) for stream in result.streams if not stream.sent}
    return [note for note in result.notes if "had delivered all" in note], rates, float(result.rate)


def test_work_that_ends_long_before_the_rest_is_told(tmp_path: Path) -> None:
    notes, rates, rate = told(tmp_path, 400, 100)
    (note,) = notes
    assert note.startswith("up had delivered all by ")
    assert note.endswith("of the part that is averaged: rates and use are means over all of it")
    assert list(rates) == ["down", "up"]
    assert sum(rates.values()) == rate


def test_work_that_ends_in_the_warm_up_is_told(tmp_path: Path) -> None:
    (note,), rates, _ = told(tmp_path, 400, 20, "10 ms")
    assert note.endswith(", before the part that is averaged: the throughput is without it")
    assert rates["up"] == 0


def test_equal_work_is_not_told(tmp_path: Path) -> None:
    assert told(tmp_path, 100, 100)[0] == []


def span(rate: int) -> Throughput:
    return Throughput(rate, 0, 10**12, 1)


def test_a_first_run_that_is_far_from_the_mean_is_told() -> None:
    assert span(100).rate == Fraction(100)
    (note,) = unlike((span(140), span(60), span(100)))
    assert note.startswith("the 3 runs differ, from 60% to 140% of their mean: what limits is of the first")
    assert "which carried 140%" in note
    assert unlike((span(124), span(76), span(100))) == []
    assert unlike((span(100), span(40), span(160))) == []
    assert unlike((span(0), span(0))) == []


DRIVE = """
title: Reads beside writes on a client drive
hosts: {{server: {{model: hosts/server-2023-2s}}}}
disks: {{d: {{model: disks/samsung-980-pro-1tb, placement: {placement}}}}}
links: [{{model: links/nvme, between: [server.nvme, d], length: 0 m}}]
workload:
  reads:
    {{kind: reader, host: server, from: d, arrivals: {{rate: 20000 /s}}, access: direct,
     block: 4 KiB, size: 64 GiB, pattern: random}}
  writes:
    {{kind: writer, host: server, to: d, arrivals: {{rate: {rate} /s}}, access: direct,
     block: 4 KiB, size: 64 GiB, pattern: random}}
run: {{until: 240 ms, warm_up: 40 ms, replications: 1}}
"""


def of_drive(folder: Path, placement: str, rate: int = 30000) -> tuple[list[str], str]:
    path = folder / "drive.yaml"
    path.write_text(DRIVE.format(placement=placement, rate=rate))
    notes = run_case(load(path).cases[0]).notes
    return [note for note in notes if note.startswith("no steady state")], " ".join(notes)


def test_a_cache_that_becomes_full_on_the_way_is_told(tmp_path: Path) -> None:
    (note,), others = of_drive(tmp_path, "steady")
    assert note.startswith("no steady state: d flash busy for ")
    first, second = (int(share) for share in re.findall(r"for (\d+)% of", note))
    assert second > 1.5 * first
    assert "each drive disks/samsung-980-pro-1tb begins with an empty cache in SLC mode" in others
    # 6 GB are as much smaller as what a run keeps of the drive.
    assert "the first 11.72 MB of them, as a run keeps 1/512 of the drive" in others


def test_a_new_drive_has_an_empty_cache_that_is_told_as_well(tmp_path: Path) -> None:
    assert "begins with an empty cache in SLC mode" in of_drive(tmp_path, "empty", 100)[1]


def test_a_drive_whose_cache_is_full_from_the_beginning_is_steady(tmp_path: Path) -> None:
    assert of_drive(tmp_path, "written") == ([], "")


@pytest.mark.parametrize(("until", "expected"), [("4 ms", True), ("500 ms", False)])
def test_a_direction_that_falls_silent_is_told_where_the_time_limit_ends_the_run(
    tmp_path: Path, until: str, expected: bool
) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(TWO.format(down=100, up=20, warm_up="0 s").replace("warm_up:", f"until: {until}, warm_up:"))
    result = run_case(load(path).cases[0])
    assert result.status == ("until" if expected else "done")
    told = [note for note in result.notes if note.startswith("no steady state: b.eth>a.eth busy for ")]
    assert len(told) == expected


def test_work_that_moves_between_alike_parts_is_steady() -> None:
    result = run_case(load(SCENARIOS / "linux-fc-threads.yaml").cases[0])
    assert result.status == "until"
    assert not [note for note in result.notes if note.startswith("no steady state")]
