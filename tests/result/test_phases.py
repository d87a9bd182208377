"""A run says so where some of its work ended long before the rest, and where its runs differ."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from simio.loading import load
from simio.result.model import Throughput
from simio.result.phases import unlike
from simio.running import run_case

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
