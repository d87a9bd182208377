"""The wiring as an inline SVG, each box coloured by how busy its part was; the colours are in the page's style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import networkx as nx

from simio.report.html.text import shown
from simio.report.wiring import geometry
from simio.report.wiring.layout import Layout, layout
from simio.result.model import CaseResult, ResourceUse
from simio.wording import lock_marked

_SHADES = 10
"""Classes u0 to u10 are shades of utilisation."""
_TOP = 30
"""Pixels above the uppermost frame that the layout leaves for a title, and the page does not need."""


@dataclass(frozen=True)
class BoxUse:
    """The use of a box: its share, whether that is a lock being `held`, its resources, and whether it limits."""

    share: float | None
    held: bool
    uses: tuple[ResourceUse, ...]
    limits: bool


def box_uses(graph: nx.Graph, case: CaseResult) -> dict[str, BoxUse]:
    """The use of each node of a wiring: that of its busiest resource, and of a lock only if it has nothing else.

    The lock of a disk is its mechanism, which works while it is held.
    """
    found: dict[str, list[ResourceUse]] = {name: [] for name in graph.nodes}
    for use in case.resources:
        for name in _owners(graph, use.name):
            found[name].append(use)
    uses = {}
    for name, own in found.items():
        working = [use for use in own if not use.lock or graph.nodes[name]["category"] == "disk"]
        share = max((use.utilisation for use in working or own), default=None)
        limits = any(use.name == case.limiter.name for use in own)
        uses[name] = BoxUse(share, not working, tuple(sorted(own, key=lambda use: -use.utilisation)), limits)
    return uses


def _owners(graph: nx.Graph, resource: str) -> Iterable[str]:
    """The nodes that a resource belongs to: of its name, beginning with it, or links with such a direction."""
    source, arrow, rest = resource.partition(">")
    if arrow:
        ends = {source, rest.partition(" ")[0]}
        return [
            name for name, node in graph.nodes(data=True) if node["category"] == "link" and ends <= set(graph[name])
        ]
    parts = [name for name in graph.nodes if resource == name or resource.startswith(f"{name} ")]
    return [max(parts, key=len)] if parts else []


def topology(graph: nx.Graph, case: CaseResult) -> str:
    """The SVG; the hint of a box has its model and all its uses."""
    plan = layout(graph)
    across, down = geometry.width(plan), geometry.height(plan)
    centres = {name: geometry.centre(*place) for name, place in plan.places.items()}
    uses = box_uses(graph, case)
    inside = [*_frames(graph, plan, centres), *_lines(graph, centres)]
    inside += [_box(graph, name, centres[name], uses[name]) for name in graph.nodes]
    return (
        f'<svg class="topology" xmlns="http://www.w3.org/2000/svg" viewBox="0 {_TOP} {across} {down - _TOP:g}" '
        f'style="max-width:{across}px;min-width:{min(across, 640)}px" role="img" '
        f'aria-label="wiring, coloured by utilisation">{"".join(inside)}</svg>'
    )


def _frames(graph: nx.Graph, plan: Layout, centres: dict[str, tuple[float, float]]) -> Iterable[str]:
    for host in plan.hosts:
        corners = geometry.frame(plan, host, centres)
        yield _rectangle(corners, 14, "host") + _label(corners[0] + 12, corners[1] + 18, host, "name")
    for volume, corners in geometry.volume_frames(graph, plan, centres):
        kind = str(graph.graph["volumes"][volume].title).partition(",")[0]
        label = _label(corners[0] + 6, corners[1] + 12, _short(f"{volume} {kind}", 24), "small")
        yield _rectangle(corners, 10, "volume") + label


def _lines(graph: nx.Graph, centres: Mapping[str, tuple[float, float]]) -> Iterable[str]:
    for one, other in graph.edges:
        points = " ".join(f"{x:g},{y:g}" for x, y in geometry.curve(centres[one], centres[other]))
        yield f'<polyline class="line" points="{points}"/>'


def _box(graph: nx.Graph, name: str, centre: tuple[float, float], use: BoxUse) -> str:
    node = graph.nodes[name]
    (x, y), (width, height) = centre, geometry.BOX
    corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    shade = "none" if use.share is None or use.held else f"u{round(use.share * _SHADES)}"
    hints = [f"{name}: {node['title']}"]
    hints += [f"{lock_marked(each.name, each.lock)}: {each.utilisation:.1%}" for each in use.uses[:12]]
    label = name.removeprefix(f"{node['host']}.") if node["host"] else name
    share = "" if use.share is None else f"{'held ' if use.held else ''}{use.share:.0%}"
    second = " · ".join(filter(None, [_short(geometry.model_of(node), 18 - len(share)), share]))
    radius = height / 2 if node["category"] == "link" else 8
    return (
        f'<g class="box {shade}{" limit" if use.limits else ""}"><title>{shown(chr(10).join(hints))}</title>'
        f"{_rectangle(corners, radius, 'part')}"
        f"{_label(x, y - 4, _short(label, 18), 'name middle')}{_label(x, y + 13, second, 'small middle')}</g>"
    )


def _rectangle(corners: tuple[float, float, float, float], radius: float, kind: str) -> str:
    left, top, right, bottom = corners
    return (
        f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}" '
        f'rx="{radius:g}"/>'
    )


def _label(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{shown(text)}</text>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
