"""Flows: arrivals by load, sizes by distribution, one connection after another, and what is told of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from simio.engines import compiled, reference
from simio.engines.outcome import Options
from simio.errors import RunError, ScenarioError
from simio.loading import load
from simio.lower import lower
from simio.result.fairness import fairness
from simio.result.model import CaseResult, StreamRate
from simio.running import run_case
from simio.workloads.common.sizes import TABLES, SizeDistribution, mean

US = 10**6
SCENARIO = """
title: Flows over one link
hosts: {a: {model: hosts/linux-namespace}, b: {model: hosts/linux-namespace}}
links: [{model: links/ethernet-1000, between: [a.eth, b.eth], delay: 10 us}]
workload: {flows: {from: a, to: b, count: 40, window: 64 KiB, WHAT}}
run: {warm_up: 0 s, replications: 1, until: 20 s}
"""
EXPONENTIAL = "sizes: {distribution: exponential, mean: 500 kB}"


def case(folder: Path, what: str, *sets: str):
    path = folder / "flows.yaml"
    path.write_text(SCENARIO.replace("WHAT", what))
    return load(str(path), [f"workload.flows.{text}" for text in sets]).cases[0]


def seen(result: CaseResult, what: str):
    [found] = [each for each in result.observations if each.name == f"flows: {what}"]
    return found


def test_engines_agree_where_connections_are_used_again_and_segments_are_lost(tmp_path: Path) -> None:
    lossy = SCENARIO.replace("links/ethernet-1000", "links/emulated").replace(
        "delay: 10 us", "delay: 10 us, loss: 1 %"
    )
    path = tmp_path / "flows.yaml"
    path.write_text(lossy.replace("WHAT", f"{EXPONENTIAL}, arrivals: {{rate: 200 /s}}, connections: 3"))
    program = lower(load(str(path)).cases[0].system)
    found = [engine.run(program, Options(seed=5, until=10**13)) for engine in (compiled, reference)]
    assert found[0].marks.tolist() == found[1].marks.tolist()
    # Three connections carry forty flows, each with all its bytes.
    assert sum(1 for row in found[0].marks if program.marks[row[1]].name == "flows: flow") == 40


def test_each_flow_alone_takes_what_a_new_connection_takes(tmp_path: Path) -> None:
    # One segment: SYN there, SYN-ACK back, data there; 1500 bytes and 38 of framing at 8 ns are 12.304 us, an ACK
    # of 52 + 38 is 0.72 us and a SYN no longer than that in the model.
    result = run_case(case(tmp_path, "size: 1448 B, arrivals: {rate: 100 /s, process: constant}, connections: 1"))
    flow = seen(result, "flow")
    assert flow.count == 40
    assert flow.least == flow.most
    assert flow.most == pytest.approx(30 * US + 12.304 * US + 2 * 0.7 * US, rel=0.02)
    assert 950 <= seen(result, "slowdown").most <= 1050


def test_the_mean_time_is_that_of_a_processor_that_flows_share(tmp_path: Path) -> None:
    # M/G/1-PS: E[T] = (E[S] / C) / (1 - rho), whatever the distribution (L. Kleinrock, 1976, section 4.4), with rho
    # as the run had it. A window each in one queue gives shares that are equal.
    result = run_case(case(tmp_path, f"{EXPONENTIAL}, load: 50%", "count=3000"))
    flow = seen(result, "flow")
    [link] = [use for use in result.resources if use.name == "a.eth>b.eth"]
    carried = float(result.rate) / flow.count * (result.throughput.until - result.throughput.since)
    alone = carried * 1538 / 1448 * 8000 / 10**12
    assert flow.mean == pytest.approx(alone / (1 - link.utilisation), rel=0.06)


def test_times_and_slowdowns_are_told_by_class(tmp_path: Path) -> None:
    result = run_case(
        case(tmp_path, "size: {10 kB: 3, 1 MB: 1}, load: 20%, classes: [10 kB, 100 kB]")
    )  # fmt: skip
    names = [each.name for each in result.observations]
    assert "flows: slowdown, up to 10 kB" in names
    assert seen(result, "up to 10 kB").count + seen(result, "above 100 kB").count == 40
    assert "flows: 10 kB to 100 kB" not in names
    assert seen(result, "up to 10 kB").most < seen(result, "above 100 kB").least


def test_a_load_is_a_share_of_the_link_that_has_most(tmp_path: Path) -> None:
    star = """
title: All to all
hosts: {h1: {model: hosts/linux-namespace}, h2: {like: h1}, h3: {like: h1}}
switches: {s: {model: switches/ideal-ethernet}}
links:
  - {model: links/ethernet-1000, between: [h1.eth, s], length: 1 m}
  - {model: links/ethernet-1000, between: [h2.eth, s], length: 1 m}
  - {model: links/ethernet-1000, between: [h3.eth, s], length: 1 m}
workload: {flows: {from: [h1, h2, h3], to: [h1, h2, h3], size: 1448 B, load: 50%, count: 100, connections: 2}}
"""
    path = tmp_path / "star.yaml"
    path.write_text(star)
    [load_] = lower(load(str(path)).cases[0].system).loads
    # Each host sends a third of all: 1538 bytes of 8 ns a flow, half of the time, on three links.
    assert float(load_.rate) == pytest.approx(3 * 0.5 / (1538 * 8e-9), rel=1e-3)


@pytest.mark.parametrize(
    ("sizes", "average"),
    [
        ({"distribution": "exponential", "mean": "1 MB"}, 1e6),
        # L = 10 kB, H = 1 GB, a = 1.2: L^a a / (1 - (L/H)^a) (L^(1-a) - H^(1-a)) / (a - 1).
        ({"distribution": "pareto", "least": "10 kB", "most": "1 GB", "shape": 1.2}, 54_000),
        # Of the table, straight between its points: the sum of widths times middles.
        ({"distribution": "web-search"}, None),
        ({"distribution": "data-mining"}, None),
    ],
)
def test_sizes_have_the_mean_of_their_distribution(sizes: dict[str, object], average: float | None) -> None:
    if average is None:
        table = TABLES[str(sizes["distribution"])]
        average = sum((high[1] - low[1]) * (high[0] + low[0]) / 2 for low, high in pairwise(table))
    found = SizeDistribution.model_validate(sizes).weighted
    assert mean(found) == pytest.approx(average, rel=0.01)
    assert sorted(found) == found


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("load: 50%", "size"),
        (f"size: 1 kB, {EXPONENTIAL}, load: 50%", "both"),
        ("size: 1 kB", "arrivals"),
        ("size: 1 kB, load: 50%, arrivals: {rate: 1 /s}", "both"),
        ("size: 1 kB, load: 50%, classes: [10 kB, 1 kB]", "ascend"),
        ("sizes: {distribution: pareto, least: 1 kB, shape: 1.2}, load: 50%", "most"),
        ("sizes: {distribution: lognormal, median: 10 kB, p99: 5 kB}, load: 50%", "more than median"),
        ("sizes: {distribution: web-search, mean: 1 kB}, load: 50%", "mean, with web-search"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, what: str, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        case(tmp_path, what)


def test_flows_need_timestamps_and_an_end(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="0 pairs of hosts"):
        case(tmp_path, "size: 1 kB, load: 10%", "to=a")
    old = case(tmp_path, "size: 1 kB, load: 10%")
    path = tmp_path / "old.yaml"
    path.write_text(
        (tmp_path / "flows.yaml").read_text().replace("linux-namespace}", "linux-namespace, stack: {rfc1323: never}}")
    )
    with pytest.raises(RunError, match="timestamps"):
        lower(load(str(path)).cases[0].system)
    assert old


def test_jains_index_is_one_for_equal_rates_and_one_nth_for_one_that_has_all() -> None:
    def index(*rates: int) -> float | None:
        found = fairness([StreamRate(f"s {number}", rate) for number, rate in enumerate(rates)])  # type: ignore[arg-type]
        return found and found.index

    assert index(5, 5, 5) == 1
    assert index(8, 0, 0, 0) == 0.25
    assert index(1, 3) == pytest.approx(16 / 20)
    assert index(7) is None


def test_the_two_ends_of_cross_traffic_are_one_stream() -> None:
    def streams(*names: str) -> list[StreamRate]:
        return [StreamRate("delivered", Fraction(1), False), *(StreamRate(name, Fraction(5), True) for name in names)]

    assert fairness(streams("bulk: received", "bulk: sent")) is None
    two = fairness(streams("bulk: received", "bulk: sent", "other: sent"))
    assert two
    assert two.streams == 2
