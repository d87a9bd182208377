"""Draw congestion windows over time of Linux's flows and of simio's, and print how far simio is off.

    python benchmarks/peers/linux_figure.py

reads what `linux_series.py` has measured, simulates the same, and writes docs/linux-windows.svg: one run of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

import linux_flows

from simio.report.svg import COLOURS, Picture, Scale

FIGURE = linux_flows.DOCS / "linux-windows.svg"
LEFT, WIDTH, HEIGHT, GAP = 60, 340, 150, 56
LINUX, SIMIO = COLOURS[0], COLOURS[1]
MakeScale = Callable[[float, float, float], Scale]
COUNT = 12
"""Runs of simio of flows at once."""
SHARED = ("cubic", "cubic"), ("reno", "cubic")
"""Flows whose shares are by chance: one run says nothing of the others (see `linux_shares.py`)."""


def main() -> None:
    """Write the figure, and print a row for each flow: Linux's runs, simio's, and the error of the medians."""
    series, groups = linux_flows.kept()
    panels = []
    for group, runs in groups.items():
        if group[0] in SHARED:
            continue
        own = list(linux_flows.simulated(group, series, COUNT if len(group[0]) > 1 else 1))
        for number, control in enumerate(group[0]):
            name = linux_flows.title(group) if len(group[0]) == 1 else f"{control} of {linux_flows.title(group)}"
            flows = [run[number] for run in runs], [run[number] for run in own]
            rates = ([flow["goodput"] for flow in side] for side in flows)
            means = ([late(flow["windows"], series) for flow in side] for side in flows)
            print(f"{name:34} Mbit/s {told(*rates)}   segments {told(*means)}")
            panels.append((name, *(side[0]["windows"] for side in flows)))
    text = figure(panels, series)
    FIGURE.write_text(text, encoding="utf-8")


def told(linux: Sequence[float], simio: Sequence[float]) -> str:
    """Least, median and most of both, and the error of the median."""
    texts = [" ".join(f"{value:.1f}" for value in (min(side), median(side), max(side))) for side in (linux, simio)]
    return f"{texts[0]} | {texts[1]} {median(simio) / median(linux) - 1:+.1%}"


def late(windows: Sequence[float], series: dict[str, Any]) -> float:
    """The mean window after the warm-up."""
    return fmean(windows[round(series["warm_up"] / series["every"]) :])


def figure(panels: Sequence[tuple[str, Sequence[float], Sequence[float]]], series: dict[str, Any]) -> str:
    """A panel for each flow, two in a row, with both lines."""
    rows = -(-len(panels) // 2)
    picture = Picture(
        2 * (LEFT + WIDTH) + 20, 30 + rows * (HEIGHT + GAP), "Congestion windows of Linux and of simio",
        about="Segments over seconds, a panel for each flow.",
    )  # fmt: skip
    legend(picture, "Congestion window in segments over seconds")
    for number, (name, linux, own) in enumerate(panels):
        across, up = place(picture, number, name, max(*linux, *own), series["seconds"])
        for windows, colour in ((linux, LINUX), (own, SIMIO)):
            times = [(at + 1) * series["every"] for at in range(len(windows))]
            points = [(across.place(t), up.place(w)) for t, w in zip(times, windows, strict=True)]
            picture.lines(points, colour)
    return picture.whole()


def legend(picture: Picture, text: str) -> None:
    """The picture's title, and the name of each colour."""
    picture.text(LEFT, 18, text, kind="title")
    for at, (name, colour) in enumerate((("Linux 6.18", LINUX), ("simio", SIMIO))):
        picture.line(480 + 130 * at, 14, 504 + 130 * at, 14, colour=colour)
        picture.text(510 + 130 * at, 18, name)


def place(
    picture: Picture, number: int, name: str, most: float, seconds: float, scale: MakeScale = Scale.from_zero
) -> tuple[Scale, Scale]:
    """The scales of a panel, whose axes are drawn."""
    left, top = LEFT + number % 2 * (LEFT + WIDTH), 50 + number // 2 * (HEIGHT + GAP)
    across = Scale(0, seconds, left, left + WIDTH)
    up = scale(most, top + HEIGHT, top)
    picture.text(left, top - 6, name)
    picture.levels(up, left, left + WIDTH)
    for second in range(0, round(seconds) + 1, 5):
        picture.text(across.place(second), top + HEIGHT + 16, str(second), "middle")
    return across, up


if __name__ == "__main__":
    main()
