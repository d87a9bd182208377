"""Draw how flows of Linux, and of simio, share a queue over time, and print what spans their shares have.

    python benchmarks/peers/linux_shares.py

reads what `linux_series.py` has measured, simulates as many runs with starts of their own, and writes
docs/linux-shares.svg. Flows have the same path, so that the share of a flow is that of its congestion window.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import fmean, median, quantiles
from typing import Any

import linux_flows
from linux_figure import LINUX, SIMIO, legend, place

from simio.report.svg import Picture, Scale

FIGURE = linux_flows.DOCS / "linux-shares.svg"
STEP = 5
"""Intervals of the series in a point of the figure."""
COUNT = 48
"""Runs of simio: four times those of Linux, as they are cheap."""


def main() -> None:
    """Write the figure, and print a row for each pair of flows: the share of goodput of the first."""
    series, groups = linux_flows.kept()
    pairs = [group for group in groups if len(group[0]) > 1]
    panels = []
    for group in pairs:
        sides = groups[group], list(linux_flows.simulated(group, series, COUNT))
        same = len(set(group[0])) == 1
        shares = [[share([flow["goodput"] for flow in run], same) for run in side] for side in sides]
        both = [fmean(sum(flow["goodput"] for flow in run) for run in side) for side in sides]
        print(f"{linux_flows.title(group):26} {told(shares[0])} | {told(shares[1])}   both Mbit/s "
              f"{both[0]:.1f} | {both[1]:.1f}")  # fmt: skip
        panels.append((linux_flows.title(group), [[over_time(run, same) for run in side] for side in sides]))
    text = figure(panels, series)
    FIGURE.write_text(text, encoding="utf-8")


def share(amounts: Sequence[float], same: bool) -> float:
    """Percent of the first of two; of the larger where both are the same."""
    return 100 * (max(amounts) if same else amounts[0]) / sum(amounts)


def told(values: Sequence[float]) -> str:
    """How many there are, least, quartiles and most."""
    spans = [min(values), *quantiles(values, method="inclusive"), max(values)]
    return f"{len(values)} runs " + " ".join(f"{value:.1f}" for value in spans)


def over_time(run: Sequence[dict[str, Any]], same: bool) -> list[float]:
    """The share of the first flow's window over time; of the flow with more goodput where both are the same."""
    first, second = (flow["windows"] for flow in run)
    if same and run[1]["goodput"] > run[0]["goodput"]:
        first, second = second, first
    starts = range(0, min(len(first), len(second)) - STEP + 1, STEP)
    sums = [(sum(first[at : at + STEP]), sum(second[at : at + STEP])) for at in starts]
    return [100 * one / (one + other) for one, other in sums]


def figure(panels: Sequence[tuple[str, Sequence[Sequence[list[float]]]]], series: dict[str, Any]) -> str:
    """A panel for each pair, two in a row: bands from the least to the most share, with medians."""
    rows = -(-len(panels) // 2)
    picture = Picture(820, 30 + rows * 206, "Shares of flows of Linux and of simio",
                      about="Percent of the first flow over seconds: median, and from least to most.")  # fmt: skip
    legend(picture, "Share of the first flow in % over seconds: medians, least and most")
    for number, (name, sides) in enumerate(panels):
        across, up = place(picture, number, name, 100, series["seconds"], partial(Scale, 0))
        for runs, colour in zip(sides, (LINUX, SIMIO), strict=True):
            columns = list(zip(*runs, strict=False))
            times = [across.place((at + 0.5) * STEP * series["every"]) for at in range(len(columns))]
            for of, dash in ((min, "3 3"), (median, ""), (max, "3 3")):
                values = [up.place(of(column)) for column in columns]
                picture.lines(list(zip(times, values, strict=True)), colour, dash=dash)
    return picture.whole()


if __name__ == "__main__":
    main()
