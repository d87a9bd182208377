"""The wiring as an SVG, each box coloured by how busy its part was; the colours are in the page's style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from simio.report.html.text import shown
from simio.report.wiring import geometry
from simio.report.wiring.alike import condensed
from simio.report.wiring.layout import WiringLayout, layout
from simio.result.model import CaseResult, ResourceUse
from simio.wording import lock_marked

_SHADES = 10
"""Classes u0 to u10 are shades of utilisation."""
_NAME = 18
"""Characters of a name in large type."""
_MOST_NAMES = 16
"""Names in a hint."""
_LEAST = 0.6
"""Least size of the picture, as a share of its own; on a smaller screen it scrolls."""
TOP = 30
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
    """The nodes that a resource belongs to: of its name, beginning with it, a core's CPUs, or links with its ends."""
    source, arrow, rest = resource.partition(">")
    if arrow:
        target, *more = rest.split(" ")
        # Of links between the same ends, the members of a bond, each has the wires with its number.
        return [
            name
            for name, node in graph.nodes(data=True)
            if node["category"] == "link"
            and {source, target} <= set(graph[name])
            and ("member" not in node or node["member"] in more)
        ]
    host, _, own = resource.partition(".")
    if own.startswith(("core ", "polling core ")):
        return [name for name in graph.nodes if name == f"{host}.cpu"]
    parts = [name for name in graph.nodes if resource == name or resource.startswith(f"{name} ")]
    return [max(parts, key=len)] if parts else []


def topology(graph: nx.Graph, case: CaseResult | None = None) -> str:
    """The SVG, with alike parts drawn once; the hint of a box has its model and all its uses.

    Boxes are coloured by their use in a case; without one, by what they are.
    """
    uses = box_uses(graph, case) if case else {}
    small = condensed(graph, {name: use.share for name, use in uses.items()})
    plan = layout(small)
    across, down = geometry.width(plan), geometry.height(plan)
    centres = {name: geometry.centre(*place) for name, place in plan.places.items()}
    inside = [*_frames(small, plan, centres), *_lines(small, centres)]
    inside += [
        _box(small, name, centres[name], [uses[each] for each in _names(small, name) if uses]) for name in small
    ]
    label = f"wiring of {graph.graph.get('title', '')}" + (", coloured by utilisation" if case else "")
    about = f"<desc>{shown(case.limiter.sentence)}</desc>" if case else ""
    return (
        '<svg class="topology" xmlns="http://www.w3.org/2000/svg" data-generator="simio" '
        f'viewBox="0 {TOP} {across} {down - TOP:g}" '
        f'style="max-width:{across}px;min-width:{round(across * _LEAST)}px" role="img" '
        f'aria-label="{shown(label)}">{about}{"".join(inside)}</svg>'
    )


def _names(graph: nx.Graph, name: str) -> tuple[str, ...]:
    """The nodes that a node of a condensed graph stands for."""
    names: tuple[str, ...] = graph.nodes[name]["names"]
    return names


def _hosts(graph: nx.Graph, host: str) -> int:
    """The number of hosts that a host of a condensed graph stands for."""
    return min(len(names) for name, names in graph.nodes(data="names") if graph.nodes[name]["host"] == host)


def _frames(graph: nx.Graph, plan: WiringLayout, centres: dict[str, tuple[float, float]]) -> Iterable[str]:
    for host in plan.hosts:
        corners = geometry.frame(plan, host, centres)
        number = _hosts(graph, host)
        idle = [name.removeprefix(f"{host}.") for name in graph.graph["idle"].get(host, ())]
        unused = ", ".join(idle)
        hint = f"<title>{shown(f'joined to nothing: {unused}')}</title>" if idle else ""
        label = _label(corners[0] + 12, corners[1] + 18, alike(host, number), "name")
        if idle:
            # A character of the name is about eight pixels wide.
            beside = corners[0] + 24 + 8 * len(alike(host, number))
            room = int((corners[2] - beside) / 6)
            text = f"not drawn: {unused if len(unused) + 11 < room else f'{len(idle)} unused'}"
            label += _label(beside, corners[1] + 18, text, "small soft")
        yield f"<g>{hint}{_behind(corners, 14, 'host', number)}{_rectangle(corners, 14, 'host')}{label}</g>"
    for volume, corners in geometry.volume_frames(graph, plan, centres):
        title = str(graph.graph["volumes"][volume].title)
        kind = title.partition(",")[0]
        label = _label(corners[0] + 6, corners[1] + 12, _short(f"{volume} {kind}", 24), "small")
        hint = f"<title>{shown(f'{volume}: {title}')}</title>"
        yield f"<g>{hint}{_rectangle(corners, 10, 'volume')}{label}</g>"


def _lines(graph: nx.Graph, centres: Mapping[str, tuple[float, float]]) -> Iterable[str]:
    for one, other in graph.edges:
        points = " ".join(f"{x:g},{y:g}" for x, y in geometry.curve(centres[one], centres[other]))
        yield f'<polyline class="line" points="{points}"/>'


def _box(graph: nx.Graph, name: str, centre: tuple[float, float], uses: Sequence[BoxUse]) -> str:
    node, names = graph.nodes[name], _names(graph, name)
    (x, y), (width, height) = centre, geometry.BOX
    corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    share, classes = _share(uses), ["box", f"is-{node['category']}"]
    if uses:
        most = max((use.share for use in uses if use.share is not None and not use.held), default=None)
        classes.append("none" if most is None else f"u{round(most * _SHADES)}")
    if any(use.limits for use in uses):
        classes.append("limit")
    hints = [f"{', '.join(names[:_MOST_NAMES])}{' …' if len(names) > _MOST_NAMES else ''}: {node['title']}"]
    hints += [
        f"{lock_marked(each.name, each.lock)}: {each.utilisation:.1%}" for use in uses[:1] for each in use.uses[:12]
    ]
    label = name.removeprefix(f"{node['host']}.") if node["host"] else name
    # The frame of a host that stands for several says so once for all that is in it.
    number = len(names) // (_hosts(graph, node["host"]) if node["host"] else 1)
    label = alike(label, number)
    second = " · ".join(filter(None, [_short(geometry.model_of(node), 18 - len(share)), share]))
    radius = height / 2 if node["category"] == "link" else 8
    behind = _behind(corners, radius, "part", number)
    size = "name middle" if len(label) <= _NAME else "name small middle"
    return (
        f'<g class="{" ".join(classes)}"><title>{shown(chr(10).join(hints))}</title>'
        f"{behind}{_rectangle(corners, radius, 'part')}"
        f"{_label(x, y - 4, _short(label, _NAME + 4), size)}{_label(x, y + 13, second, 'small middle')}</g>"
    )


def _share(uses: Sequence[BoxUse]) -> str:
    """The share of a box as text; from the least to the most of those it stands for."""
    shares = [use.share for use in uses if use.share is not None]
    if not shares:
        return ""
    least, most = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return f"{'held ' if all(use.held for use in uses) else ''}{most if least == most else f'{least[:-1]}–{most}'}"


def alike(name: str, number: int) -> str:
    """A name that stands for several alike."""
    return name if number == 1 else f"{name} and {number - 1} alike"


def _behind(corners: tuple[float, float, float, float], radius: float, kind: str, number: int) -> str:
    """The edge of a second box behind one that stands for several."""
    shift = 4
    left, top, right, bottom = corners
    return _rectangle((left + shift, top + shift, right + shift, bottom + shift), radius, kind) if number > 1 else ""


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
