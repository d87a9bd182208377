"""simio's side of `linux_series.py`: the same flows over the same path, which start together within some ms."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from simio.loading import load
from simio.result.model import CaseResult
from simio.running import run_scenario

KEPT = Path(__file__).parent / "linux-series.json"
DOCS = Path(__file__).parents[2] / "docs"
MSS = 1448
TOGETHER = 0.1, 24
"""ms within which both flows start, in turns: of eight pairs of iperf3, four began to send within 0.1 ms, four within
4 to 24 ms (first segments of data, seen at the router)."""
LATE = 0.1
"""Most ms by which the relay is late: round trips of 1500 datagrams alone had 0.11 ms from the first to the last
decile, as have the sums of two numbers that are even up to this. Without it, runs that differ by microseconds end
alike (S. Floyd and V. Jacobson, "Traffic phase effects in packet-switched gateways", CCR 21(2), 1991)."""
Group = tuple[tuple[str, ...], bool]
"""Congestion controls of flows at once, and whether they are paced."""
Runs = list[list[dict[str, Any]]]
"""Of each run, its flows."""


def kept() -> tuple[dict[str, Any], dict[Group, Runs]]:
    """Linux's measurements: the conditions, and the runs of each group."""
    series = json.loads(KEPT.read_text(encoding="utf-8"))
    groups: dict[Group, Runs] = {}
    for run in series["runs"]:
        controls = tuple(flow["control"] for flow in run["flows"])
        groups.setdefault((controls, run["paced"]), []).append(run["flows"])
    return series, groups


def title(group: Group) -> str:
    """Short name of a group."""
    controls, paced = group
    names = [control.upper() if control != "reno" else "Reno" for control in controls]
    return " beside ".join(names) + (" alone" if len(names) == 1 else "") + (", paced" if paced else "")


def simulated(group: Group, series: dict[str, Any], count: int) -> Iterator[list[dict[str, Any]]]:
    """As many runs of a group, each with starts of its own, as `linux_series.py` keeps them."""
    for seed in range(1, count + 1):
        case = _run(group, series, seed)
        yield [_flow(case, number, control, series) for number, control in enumerate(group[0])]


def _run(group: Group, series: dict[str, Any], seed: int) -> CaseResult:
    controls, paced = group
    numbers = range(len(controls))
    stacks = [f"congestion_control: {control}, pacing: {str(paced).lower()}" for control in controls]
    hosts = "\n".join(f"  h{at}: {{model: hosts/linux-namespace, stack: {{{stacks[at]}}}}}" for at in numbers)
    links = "\n".join(f"  - {{model: links/emulated, between: [h{at}.eth, near], delay: 0 s}}" for at in numbers)
    work = "\n".join(
        f"  w{at}: {{kind: ttcp, from: h{at}, to: server, size: 128 KiB, start_within: {TOGETHER[seed % 2]} ms}}"
        for at in numbers
    )
    text = f"""
title: Flows of Linux
hosts:
{hosts}
  server: {{model: hosts/linux-namespace}}
switches: {{near: {{model: switches/ideal-ethernet}}, router: {{model: switches/ideal-ethernet}}}}
links:
{links}
  - {{model: links/emulated, between: [near, router], delay: {series["trip"] / 2} ms, jitter: {LATE} ms}}
  - model: links/emulated
    between: [router, server.eth]
    rate: {series["rate"]} Mbit/s
    burst: 3200 B
    queue: {series["queue"]} B
workload:
{work}
run: {{until: {series["seconds"]} s, warm_up: {series["warm_up"]} s, replications: 1, seed: {seed}}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flows.yaml"
        file.write_text(text)
        return run_scenario(load(str(file))).cases[0]


def _flow(case: CaseResult, number: int, control: str, series: dict[str, Any]) -> dict[str, Any]:
    rate = next(float(each.rate) for each in case.streams if each.name == f"w{number}: sent") * 8e-6
    return {"control": control, "goodput": rate, "windows": _windows(case, number, series)}


def _windows(case: CaseResult, number: int, series: dict[str, Any]) -> Sequence[float]:
    """The congestion window of a flow, in segments, at the end of each interval."""
    timeline, name = case.timeline, f"w{number} at h{number}"
    [level] = [each for each in timeline.levels if each.name == name and each.what == "congestion window"]
    count = round(series["seconds"] / series["every"])
    ends = [(at + 1) * series["every"] for at in range(count)]
    rows = [time * 1e-12 for time in timeline.times]
    return [level.values[min(range(len(rows)), key=lambda at: abs(rows[at] - end))] / MSS for end in ends]  # noqa: B023
