"""The chart of throughput against a varied value: which lines there are, where points stand, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.report.chart import HEIGHT, WIDTH, Line, svg

SCENARIO = """
title: Packets
hosts:
  challenge: {model: hosts/sgi-challenge-l}
  onyx: {model: hosts/sgi-onyx}
links:
  - {model: links/hippi-800, between: [challenge.hippi, onyx.hippi], length: 10 m}
workload:
  blast: {from: challenge, to: onyx, size: 64 KiB, packets: 20}
vary:
"""
SPACE = "{http://www.w3.org/2000/svg}"


def drawn(tmp_path: Path, vary: str, *more: str, key: str = "workload.blast.size") -> tuple[Result, Path]:
    scenario, out = tmp_path / "packets.yaml", tmp_path / "out.svg"
    scenario.write_text(SCENARIO + vary, encoding="utf-8")
    command = ["plot", str(scenario), "--against", key, "-o", str(out), *more]
    return CliRunner().invoke(main, command), out


def test_a_line_for_each_combination_and_a_point_for_each_value(tmp_path: Path) -> None:
    done, out = drawn(
        tmp_path,
        "  - {workload.blast.size: [64 KiB, 1 KiB, 16 KiB], workload.blast.processes: [1, 2]}\n"
        "  - {workload.blast.size: [2 MiB], workload.blast.sink: [false]}\n",
    )
    assert (done.exit_code, done.output) == (0, "")
    root = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    # The case of 2 MiB differs in `sink`, too, so that it is no point of a line.
    assert len(root.findall(f"{SPACE}polyline")) == 2
    spots = root.findall(f"{SPACE}circle")
    assert len(spots) == 6
    across = [float(spot.get("cx", "")) for spot in spots[:3]]
    # On a logarithmic axis, from left to right: 16 and 4 times as much are 4 and 2 doublings.
    assert (across[1] - across[0]) / (across[2] - across[1]) == pytest.approx(2, rel=0.01)
    heights = [float(spot.get("cy", "")) for spot in spots[:3]]
    assert heights == sorted(heights, reverse=True)
    told = [spot.findtext(f"{SPACE}title") or "" for spot in spots]
    assert re.match(r"packets, processes 1, 1 KiB: [\d.]+ MB/s; blast: sink on onyx", told[0])


@pytest.mark.parametrize(
    ("vary", "key", "said"),
    [
        ("  workload.blast.size: [1 KiB, 4 KiB]\n", "workload.blast.siz",
         "--against: 'packets' does not vary 'workload.blast.siz'; did you mean 'workload.blast.size'?"),
        ("  workload.blast.sink: [true, false]\n", "workload.blast.sink", "found 'true'; expected a number"),
        ("  - {workload.blast.size: [1 KiB], workload.blast.processes: [1]}\n"
         "  - {workload.blast.size: [2 KiB], workload.blast.processes: [2]}\n", "workload.blast.size",
         "'packets' has no two cases that differ in 'workload.blast.size' alone"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_told(tmp_path: Path, vary: str, key: str, said: str) -> None:
    done, out = drawn(tmp_path, vary, key=key)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not out.exists()


def test_labels_keep_clear_of_one_another_and_text_is_shown_as_it_is() -> None:
    lines = [Line(f"a <b> & c{n}", 0, n, (("1", 5.0, "x"), ("2", 10.0 + n / 100, "<y>"))) for n in range(4)]
    root = ElementTree.fromstring(svg("A & B <C>", lines, "run.seed", "MB/s"))
    assert root.findtext(f"{SPACE}title") == "A & B <C>"
    places = [float(text.get("y", "")) for text in root.findall(f"{SPACE}text") if "a <b> & c" in (text.text or "")]
    assert len(places) == 4
    assert all(below - above >= 13 for above, below in zip(places, places[1:], strict=False))
    for spot in root.findall(f"{SPACE}circle"):
        assert 0 < float(spot.get("cx", "")) < WIDTH
        assert 0 < float(spot.get("cy", "")) < HEIGHT


def test_the_chart_loads_nothing_and_knows_a_dark_ground() -> None:
    text = svg("t", [Line("a", 0, 0, (("1", 1.0, ""), ("2", 2.0, "")))], "k", "MB/s")
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in text
