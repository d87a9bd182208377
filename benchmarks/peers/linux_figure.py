"""Draw congestion windows over time of Linux's flows and of simio's, and print how far simio is off.

    python benchmarks/peers/linux_figure.py

reads what `linux_series.py` has measured, simulates the same, and writes docs/linux-windows.svg.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from simio.loading import load
from simio.report.svg import COLOURS, Picture, Scale
from simio.result.model import CaseResult
from simio.running import run_scenario

HERE = Path(__file__).parent
FIGURE = HERE.parents[1] / "docs" / "linux-windows.svg"
MSS = 1448
LEFT, WIDTH, HEIGHT, GAP = 60, 340, 150, 56
LINUX, SIMIO = COLOURS[0], COLOURS[1]
Course = tuple[Sequence[float], Sequence[float]]
"""Seconds, and segments of the congestion window."""


def main() -> None:
    """Write the figure, and print a row for each flow: Linux's runs, simio, and the error against their mean."""
    kept = json.loads((HERE / "linux-series.json").read_text(encoding="utf-8"))
    groups: dict[tuple[str, ...], list[list[dict[str, Any]]]] = {}
    for run in kept["runs"]:
        groups.setdefault(tuple(flow["control"] for flow in run["flows"]), []).append(run["flows"])
    panels = []
    for controls, runs in groups.items():
        case = simulated(controls, kept)
        for number, control in enumerate(controls):
            flows = [run[number] for run in runs]
            name = f"{control}, flow {number + 1} of {len(controls)}" if len(controls) > 1 else f"{control} alone"
            own = course(case, number)
            rate = next(float(each.rate) for each in case.streams if each.name == f"w{number}: sent") * 8e-6
            print(f"{name:20} Mbit/s {told([flow['goodput'] for flow in flows], rate)}", end="   ")
            means = [late(flow["times"], flow["windows"], kept) for flow in flows]
            print(f"segments {told(means, late(*own, kept))}")
            panels.append((name, (flows[0]["times"], flows[0]["windows"]), own))
    text = figure(panels, kept["seconds"])
    FIGURE.write_text(text, encoding="utf-8")


def told(measured: Sequence[float], simulated: float) -> str:
    """Measured values, the simulated one, and its error against their mean."""
    seen = " ".join(f"{value:.1f}" for value in measured)
    return f"{seen} | {simulated:.1f} {simulated / fmean(measured) - 1:+.1%}"


def late(times: Sequence[float], windows: Sequence[float], kept: dict[str, Any]) -> float:
    """The mean window after the warm-up."""
    return fmean(window for time, window in zip(times, windows, strict=True) if time > kept["warm_up"])


def simulated(controls: Sequence[str], kept: dict[str, Any]) -> CaseResult:
    """The same flows over the same path."""
    hosts = "\n".join(
        f"  h{number}: {{model: hosts/linux-namespace, stack: {{congestion_control: {control}}}}}"
        for number, control in enumerate(controls)
    )
    links = "\n".join(
        f"  - {{model: links/emulated, between: [h{at}.eth, near], delay: 0 s}}" for at in range(len(controls))
    )
    work = "\n".join(
        f"  w{number}: {{kind: ttcp, from: h{number}, to: server, size: 128 KiB}}" for number in range(len(controls))
    )
    text = f"""
title: Flows of Linux
hosts:
{hosts}
  server: {{model: hosts/linux-namespace}}
switches: {{near: {{model: switches/ideal-ethernet}}, router: {{model: switches/ideal-ethernet}}}}
links:
{links}
  - {{model: links/emulated, between: [near, router], delay: {kept["trip"] / 2} ms}}
  - model: links/emulated
    between: [router, server.eth]
    rate: {kept["rate"]} Mbit/s
    burst: 3200 B
    queue: {kept["queue"]} B
workload:
{work}
run: {{until: {kept["seconds"]} s, warm_up: {kept["warm_up"]} s, replications: 1}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flows.yaml"
        file.write_text(text)
        return run_scenario(load(str(file))).cases[0]


def course(case: CaseResult, number: int) -> Course:
    """The congestion window of a flow over time."""
    timeline, name = case.timeline, f"w{number} at h{number}"
    [level] = [each for each in timeline.levels if each.name == name and each.what == "congestion window"]
    return [time * 1e-12 for time in timeline.times], [value / MSS for value in level.values]


def figure(panels: Sequence[tuple[str, Course, Course]], seconds: float) -> str:
    """A panel for each flow, two in a row, with both lines."""
    rows = -(-len(panels) // 2)
    picture = Picture(
        2 * (LEFT + WIDTH) + 20, 30 + rows * (HEIGHT + GAP), "Congestion windows of Linux and of simio",
        about="Segments over seconds, a panel for each flow.",
    )  # fmt: skip
    picture.text(LEFT, 18, "Congestion window in segments over seconds", kind="title")
    for at, (name, colour) in enumerate((("Linux 6.18", LINUX), ("simio", SIMIO))):
        picture.line(480 + 130 * at, 14, 504 + 130 * at, 14, colour=colour)
        picture.text(510 + 130 * at, 18, name)
    for number, (name, linux, own) in enumerate(panels):
        left, top = LEFT + number % 2 * (LEFT + WIDTH), 50 + number // 2 * (HEIGHT + GAP)
        across = Scale(0, seconds, left, left + WIDTH)
        up = Scale.from_zero(max(max(linux[1]), max(own[1])), top + HEIGHT, top)
        picture.text(left, top - 6, name)
        picture.levels(up, left, left + WIDTH)
        for second in range(0, round(seconds) + 1, 5):
            picture.text(across.place(second), top + HEIGHT + 16, str(second), "middle")
        for (times, windows), colour in ((linux, LINUX), (own, SIMIO)):
            points = [(across.place(t), up.place(w)) for t, w in zip(times, windows, strict=True)]
            picture.lines(points, colour)
    return picture.whole()


if __name__ == "__main__":
    main()
