"""Coordinates of boxes, frames and lines in a picture of the wiring, in pixels from its upper left corner."""

from __future__ import annotations

from typing import Any

import networkx as nx

from simio.report.wiring.layout import WiringLayout
from simio.topology import volumes_around

_COLUMN = 190
_ROW = 78
BOX = (140, 48)
MARGIN = 40
HEAD = 62
_PAD = 22
_INSET = 7
LABEL = 17
_MOST_FRAMES = 3


def width(plan: WiringLayout) -> int:
    """Width of the picture."""
    return 2 * MARGIN + (plan.columns - 1) * _COLUMN + BOX[0]


def height(plan: WiringLayout) -> float:
    """Height of the picture."""
    return HEAD + MARGIN + _PAD + (plan.rows - 1) * _ROW + BOX[1]


def centre(column: float, row: float) -> tuple[float, float]:
    """Middle of the box at a place of the layout."""
    return MARGIN + column * _COLUMN + BOX[0] / 2, HEAD + _PAD + row * _ROW + BOX[1] / 2


def curve(one: tuple[float, float], other: tuple[float, float]) -> list[tuple[float, float]]:
    """A line that leaves and reaches its boxes level, so that lines from one box are distinct."""
    (x, y), (u, v) = sorted((one, other))
    if x == u or y == v:
        return [(x, y), (u, v)]
    x, u = x + BOX[0] / 2, u - BOX[0] / 2
    steps = [number / 32 for number in range(33)]
    return [(x + (u - x) * t, y + (v - y) * t * t * (3 - 2 * t)) for t in steps]


def frame(
    plan: WiringLayout, host: str, centres: dict[str, tuple[float, float]]
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of the frame of a host."""
    inside = [centres[name] for name in plan.hosts[host]]
    half = (BOX[0] / 2 + _PAD * 0.6, BOX[1] / 2 + _PAD * 0.6)
    left, right = min(x for x, _ in inside) - half[0], max(x for x, _ in inside) + half[0]
    top, bottom = min(y for _, y in inside) - half[1] - 18, max(y for _, y in inside) + half[1]
    return left, top, right, bottom


def volume_frames(
    graph: nx.Graph, plan: WiringLayout, centres: dict[str, tuple[float, float]]
) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Each volume with left, top, right and bottom of its frame, or frames where its disks are in two columns."""
    frames = []
    for name, disks in plan.volumes.items():
        levels = min(max(len(volumes_around(graph, disk)) for disk in disks), _MOST_FRAMES)
        level = max(levels - len(volumes_around(graph, name)), 1)
        for x in sorted({centres[disk][0] for disk in disks}):
            ys = [centres[disk][1] for disk in disks if centres[disk][0] == x]
            aside, below = BOX[0] / 2 + _INSET * level, BOX[1] / 2 + _INSET * level
            top = min(ys) - BOX[1] / 2 - LABEL * level
            frames.append((name, (x - aside, top, x + aside, max(ys) + below)))
    return frames


def model_of(node: dict[str, Any]) -> str:
    """The title of a node without the folder of its model."""
    before, _, model = str(node["title"]).rpartition("/")
    count = before.rpartition(" x ")[0]
    return f"{count} x {model}" if count else model
