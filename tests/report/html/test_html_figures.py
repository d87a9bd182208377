"""Curves, timelines and the coloured wiring against the results that they show."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from simio.report.html.cases import answer
from simio.report.html.curves import axis_of, curves, number
from simio.report.html.images import figures_of
from simio.report.html.timelines import STRETCHES, timelines
from simio.report.wiring.inline import box_uses, topology
from simio.result.compare import comparisons
from simio.running import run_scenario
from simio.topology import wire
from simio.wording import in_unit


@pytest.fixture(scope="module")
def hippi(load: Any) -> Any:
    return run_scenario(load("sgi-hippi-raw.yaml", "workload.blast.packets=2"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64 KiB", 65536.0),
        ("2", 2.0),
        ("1.5 ms", 1.5e9),
        ("true", None),
        ("raw", None),
        ("", None),
        ("10 km", 10_000.0),
    ],
)
def test_settings_are_numbers_in_base_units_or_words(text: str, value: float | None) -> None:
    assert number(text) == value


def test_a_curve_is_of_the_key_with_most_values_and_has_every_case_once(hippi: Any) -> None:
    assert axis_of(hippi) == "workload.blast.size"
    figure = curves(hippi)
    assert figure is not None
    assert figure["layout"]["xaxis"]["type"] == "log"
    points = {}
    for line in figure["data"]:
        if line["name"] != "measured":
            assert list(line["x"]) == sorted(line["x"])
            points[line["name"]] = dict(zip(line["x"], line["y"], strict=True))
    assert sum(map(len, points.values())) == len(hippi.cases)
    for case in hippi.cases:
        name = f"processes {case.settings['workload.blast.processes']}, sink {case.settings['workload.blast.sink']}"
        size = number(case.settings["workload.blast.size"])
        assert points[name][size] == pytest.approx(in_unit(float(case.rate), "MB/s"), rel=1e-4)


def test_measured_points_are_what_was_measured(hippi: Any) -> None:
    figure = curves(hippi)
    assert figure is not None
    marks = [line for line in figure["data"] if line["name"] == "measured"]
    told = sorted((x, y) for line in marks for x, y in zip(line["x"], line["y"], strict=True))
    rows = [
        (number(case.settings["workload.blast.size"]), row.row) for case in hippi.cases for row in comparisons(case)
    ]
    known = sorted((size, float(row.value)) for size, row in rows)
    assert told == [(size, pytest.approx(value, rel=1e-4)) for size, value in known]
    assert sum(bool(line["showlegend"]) for line in marks) == 1


def test_words_make_bars(load: Any) -> None:
    result = run_scenario(load("linux-fc-raw.yaml", "run.until=20 ms", "disks.d.count=2"))
    figure = curves(result)
    assert figure is not None
    assert {line["type"] for line in figure["data"]} == {"bar"}
    assert figure["data"][0]["x"] == ["raw", "direct"]


def test_a_single_case_has_no_curve(load: Any) -> None:
    assert curves(run_scenario(load("linux-fc-raw.yaml", "run.until=20 ms"), cases=[0])) is None


def integral(line: dict[str, Any], since: float, until: float) -> float:
    """Area below a line of steps between two of its instants."""
    steps = zip(line["x"], line["x"][1:], line["y"][1:], strict=False)
    return sum((end - begin) * value for begin, end, value in steps if since <= begin and end <= until)


@pytest.mark.parametrize("name", ["linux-fc-raw.yaml", "sgi-hippi-raw.yaml", "slac-64k-windows.yaml"])
def test_the_mean_of_the_curve_over_the_measured_span_is_the_throughput(load: Any, name: str) -> None:
    case = run_scenario(load(name), cases=[0]).cases[0]
    title = "Throughput (MiB/s)"
    rate, mean, *_ = timelines(case, "MiB/s")[title]["data"]
    since, until = mean["x"]
    assert integral(rate, since, until) / (until - since) == pytest.approx(mean["y"][0], rel=2e-3)
    assert mean["y"][0] == pytest.approx(in_unit(float(case.rate), "MiB/s"), rel=1e-4)


def test_blocks_that_end_together_make_no_peak_above_the_bound(load: Any) -> None:
    case = run_scenario(load("linux-fc-raw.yaml"), cases=[0]).cases[0]
    rate = timelines(case, "MiB/s")["Throughput (MiB/s)"]["data"][0]
    assert max(rate["y"]) <= 1.001 * in_unit(float(case.bound or 0), "MiB/s")
    assert min(rate["y"]) > 0


def test_timelines_add_up_to_the_result(load: Any) -> None:
    case = run_scenario(load("slac-64k-windows.yaml", "workload.ttcp.window=64 KiB", "run.until=200 ms",
                             "run.warm_up=0 s"), cases=[0]).cases[0]  # fmt: skip
    plots = timelines(case, "Mbit/s")
    rate, mean, *_ = plots["Throughput (Mbit/s)"]["data"]
    assert integral(rate, 0, rate["x"][-1]) == pytest.approx(8e-6 * case.progress.totals[-1] * 1e3, rel=0.01)
    assert rate["x"][-1] == pytest.approx(case.throughput.until / 1e9, rel=1e-5)
    assert len(rate["x"]) <= 2 * STRETCHES
    busy = {line["name"]: line for line in plots["Utilisation (%)"]["data"]}
    assert all(0 <= value <= 100.01 for line in busy.values() for value in line["y"])
    (window,) = plots["Congestion window (bytes)"]["data"]
    assert window["y"] == sorted(window["y"])
    assert window["y"][-1] > 1448


def test_a_box_is_as_busy_as_its_busiest_resource(hippi: Any, load: Any) -> None:
    graph = wire(load("sgi-hippi-raw.yaml").cases[0].system)
    case = hippi.cases[-1]
    uses = box_uses(graph, case)
    known = {use.name: use.utilisation for use in case.resources}
    assert uses["challenge.memory"].share == known["challenge.memory"]
    assert uses["link1"].share == known["challenge.hippi>onyx.hippi"]
    # A resource that only orders others is told as held, and a part that nothing uses has no share.
    assert uses["challenge.hippi"].held
    assert uses["challenge.scsi0"].share is None
    # Each resource is somewhere.
    assert {use.name for each in uses.values() for use in each.uses} == known.keys()


def test_cpus_are_as_busy_as_their_busiest_core(load: Any) -> None:
    scenario = load("icpe24-one-core.yaml", "run.until=2 ms", "run.warm_up=1 ms")
    case = run_scenario(scenario, cases=[0]).cases[0]
    core = next(use for use in case.resources if use.name == "server.core 0")
    assert core.utilisation > 0.1
    assert box_uses(wire(scenario.cases[0].system), case)["server.cpu"].share == core.utilisation


def test_the_wiring_shows_each_box_with_its_share_and_what_limits(load: Any) -> None:
    scenario = load("linux-fc-raw.yaml", "run.until=300 ms")
    case = run_scenario(scenario, cases=[0]).cases[0]
    graph = wire(scenario.cases[0].system)
    text = topology(graph, case)
    # The disks, which are about equally busy, are one box with their links.
    assert text.count('<g class="box') == len(graph) - 14
    assert re.search(r"d1 and 7 alike</text><text[^>]*>fc-15k-2002 · \d\d–\d\d%<", text)
    (limit,) = re.findall(r'<g class="box is-link (u\d+) limit"><title>(\w+):', text)
    assert limit == ("u10", "link1")
    share = next(use.utilisation for use in case.resources if use.name == "server.pci")
    assert f"pci-64-66 · {share:.0%}" in text


def test_files_are_called_after_what_they_show(load: Any) -> None:
    result = run_scenario(load("linux-fc-raw.yaml", "run.until=20 ms"))
    names = set(figures_of(result))
    assert {
        "curves",
        "case1-throughput-mib-s",
        "case3-utilisation",
        "case1-queues-and-buffers-frames",
    } <= names
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in names)


def test_the_page_says_what_a_throughput_leaves_open(load: Any) -> None:
    case = run_scenario(load("linux-fc-raw.yaml", "run.until=20 ms"), cases=[0]).cases[0]
    told = answer(replace(case, notes=("a < b",)), "MiB/s")
    assert '<p class="warn">a &lt; b</p>' in told
    assert 'warn"' not in answer(replace(case, notes=()), "MiB/s")
