"""The chart of throughput against a varied value: which lines there are, where points stand, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main
from simio.report.chart import WIDTH, ChartLine, ChartPoint, size, svg

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


def drawn(
    tmp_path: Path, vary: str, *more: str, key: str = "workload.blast.size", name: str = "out.svg"
) -> tuple[Result, Path]:
    scenario, out = tmp_path / "packets.yaml", tmp_path / name
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
    lines = [line for line in plotted(root, "polyline") if len((line.get("points") or "").split()) > 2]
    assert len(lines) == 2
    assert len({(line.get("class"), line.get("stroke-dasharray")) for line in lines}) == 2
    # Two lines of three, and the case of 2 MiB, which differs in `sink`, too, as a point of its own.
    spots = [spot for spot in plotted(root, "circle") if spot.findtext(f"{SPACE}title")]
    assert len(spots) == 7
    across = [float(spot.get("cx", "")) for spot in spots[:3]]
    # On a logarithmic axis, from left to right: 16 and 4 times as much are 4 and 2 doublings.
    assert (across[1] - across[0]) / (across[2] - across[1]) == pytest.approx(2, rel=0.01)
    heights = [float(spot.get("cy", "")) for spot in spots[:3]]
    assert heights == sorted(heights, reverse=True)
    told = [spot.findtext(f"{SPACE}title") or "" for spot in spots]
    assert re.match(r"processes 1, 1 KiB: [\d.]+ MB/s; blast: sink on onyx", told[0])
    assert root.findtext(f"{SPACE}title") == "Packets"
    assert "processes 1: at most" in (root.findtext(f"{SPACE}desc") or "")


def plotted(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return root.findall(f"{SPACE}{kind}")


def texts(root: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in plotted(root, "text")]


def test_a_list_of_values_varies_the_scenario(tmp_path: Path) -> None:
    sets = ("--set", "workload.blast.size=4 KiB,16 KiB,64 KiB", "--set", "workload.blast.packets=5")
    done, out = drawn(tmp_path, "  workload.blast.processes: [1, 2]\n", *sets)
    assert (done.exit_code, done.output) == (0, "")
    root = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    hints = [spot.findtext(f"{SPACE}title") for spot in plotted(root, "circle")]
    assert [hint.partition(":")[0] for hint in hints if hint] == [
        f"processes {processes}, {size} KiB" for processes in (1, 2) for size in (4, 16, 64)
    ]


@pytest.mark.parametrize("name", ["out.gif", "out", "out.html"])
def test_a_form_that_cannot_be_written_is_refused_before_anything_runs(tmp_path: Path, name: str) -> None:
    done, out = drawn(tmp_path, "  workload.blast.size: [nonsense]\n", name=name)
    assert done.exit_code == 2
    assert "expected a name that ends in .svg, .png or .pdf" in done.stderr
    assert not out.exists()


def test_what_was_measured_is_drawn_with_its_range() -> None:
    line = ChartLine(
        "a",
        (
            ChartPoint("1", 5.0, "x", 0.5, ((4.0, 6.0),)),
            ChartPoint("2", 8.0, "x", 0.0, ((7.5, 7.5),)),
            ChartPoint("3", 9.0),
        ),
    )
    root = ElementTree.fromstring(svg("t", [line], "k", "MB/s"))
    kinds = [path.get("class") for path in plotted(root, "path")]
    # A cross each, bars for the range and for the interval of what is random; the legend says what a cross is.
    assert sorted(kinds) == ["axis measured", "c0 interval", "c0 interval", "c0 measured", "c0 measured"]
    assert {"a", "measured"} <= set(texts(root))
    assert "measured 4 to 6 MB/s" in (plotted(root, "circle")[0].findtext(f"{SPACE}title") or "")


def test_texts_of_the_axis_do_not_overlap_and_none_is_cut() -> None:
    sizes = [f"{1 << n} KiB" for n in range(10)] + ["1000 KiB"]
    long = "servers 8, a key of a long name with a value of many words, transfer 32 KiB"
    lines = [ChartLine(f"{long} {n}", tuple(ChartPoint(size, 1.0 + n) for size in sizes)) for n in range(5)]
    title = "A title that takes more than one line since it says at length what the scenario is about, and why"
    root = ElementTree.fromstring(svg(title, lines, "workload.blast.size", "MB/s"))
    ticks = [text for text in plotted(root, "text") if (text.text or "").endswith("KiB") and text.get("text-anchor")]
    ticks = [text for text in ticks if text.get("text-anchor") == "middle"]
    edges = [(float(text.get("x", "")), len(text.text or "") * 3.5) for text in ticks]
    assert all(one[0] + one[1] < two[0] - two[1] for one, two in zip(edges, edges[1:], strict=False))
    assert ticks[0].text == "1 KiB"
    assert ticks[-1].text == "1000 KiB"
    assert {line.name for line in lines} <= set(texts(root))
    for text in plotted(root, "text"):
        if text.get("text-anchor") == "start":
            assert float(text.get("x", "")) + 7 * len(text.text or "") < WIDTH
    assert float(root.get("height", "")) == size(title, lines)[1]


def test_lines_have_a_look_each() -> None:
    lines = [ChartLine(f"l{n}", (ChartPoint("1", 1.0 + n), ChartPoint("2", 2.0 + n))) for n in range(24)]
    root = ElementTree.fromstring(svg("t", lines, "k", "MB/s"))
    looks = [(line.get("class"), line.get("stroke-dasharray")) for line in plotted(root, "polyline")[:24]]
    assert len(set(looks)) == 24
    assert all(one[0] != two[0] and one[1] != two[1] for one, two in zip(looks[:12], looks[1:12], strict=False))


@pytest.mark.parametrize(
    ("vary", "key", "said"),
    [
        ("  workload.blast.size: [1 KiB, 4 KiB]\n", "workload.blast.siz",
         "--against: 'packets' does not vary 'workload.blast.siz'; did you mean 'workload.blast.size'?"),
        ("  workload.blast.sink: [true, false]\n", "workload.blast.sink", "found 'true'; expected a number"),
        ("  workload.blast.size: [1 KiB, 4 KiB]\n", "run.seed=1..3",
         "it varies workload.blast.size; --set run.seed=VALUES --against run.seed does"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_told(tmp_path: Path, vary: str, key: str, said: str) -> None:
    done, out = drawn(tmp_path, vary, key=key)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not out.exists()


def test_values_keep_clear_of_one_another_and_text_is_shown_as_it_is() -> None:
    lines = [
        ChartLine(f"a <b> & c{n}", (ChartPoint("1", 5.0, "x"), ChartPoint("2", 10.0 + n / 100, "<y>")))
        for n in range(4)
    ]
    root = ElementTree.fromstring(svg("A & B <C>", lines, "run.seed", "MB/s"))
    assert root.findtext(f"{SPACE}title") == "A & B <C>"
    assert sum("a <b> & c" in text for text in texts(root)) == 4
    ends = [
        float(text.get("y", ""))
        for text in plotted(root, "text")
        if (text.text or "").startswith("10") and text.get("class", "").startswith("f")
    ]
    assert len(ends) == 4
    assert all(below - above >= 13 for above, below in zip(ends, ends[1:], strict=False))
    for spot in plotted(root, "circle"):
        assert 0 < float(spot.get("cx", "")) < WIDTH
        assert 0 < float(spot.get("cy", "")) < float(root.get("height", ""))


def test_the_chart_loads_nothing_and_knows_a_dark_ground() -> None:
    text = svg("t", [ChartLine("a", (ChartPoint("1", 1.0), ChartPoint("2", 2.0)))], "k", "MB/s")
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in text


def test_requests_and_bytes_are_not_drawn_on_one_axis(tmp_path: Path) -> None:
    """Requests a second would stand there as bytes a second, a million times too few."""
    vary = "  workload.blast.processes: [1, 2]\n"
    bytes_, requests = (tmp_path / name for name in ("bytes.yaml", "requests.yaml"))
    bytes_.write_text(SCENARIO + vary, encoding="utf-8")
    requests.write_text(SCENARIO + vary + "report: {unit: kIOPS}\n", encoding="utf-8")
    command = ["plot", "--against", "workload.blast.processes", "-o", str(tmp_path / "out.svg")]
    apart = CliRunner().invoke(main, [*command, str(bytes_), str(requests)])
    assert apart.exit_code == 2
    assert "'requests': found its answer in kIOPS" in apart.output
    assert "--set report.unit='MB/s'" in apart.output
    together = CliRunner().invoke(main, [*command, str(bytes_), str(requests), "--set", "report.unit=MB/s"])
    assert (together.exit_code, together.output) == (0, "")


def test_an_interrupted_plot_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simio.cli import charts

    begun, count = charts._combination, iter(range(100))

    def run(name: str, settings: dict[str, str]) -> object:
        result = begun(name, settings)
        return replace(result, complete=False) if next(count) == 2 else result

    monkeypatch.setattr(charts, "_combination", run)
    done, out = drawn(tmp_path, "  run.seed: [1]\n", "--set", "workload.blast.size=1KiB,2KiB,4KiB,8KiB")
    assert done.exit_code == 130
    assert "interrupted: only what had been run by then is in" in done.output
    root = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    assert len([spot for spot in plotted(root, "circle") if spot.findtext(f"{SPACE}title")]) == 2
