"""The wiring as a picture: boxes for components, frames for hosts, lines for connections."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any

import networkx as nx

from simio.errors import SimioError
from simio.files import write_whole
from simio.report.wiring.geometry import (
    BOX,
    LABEL,
    MARGIN,
    centre,
    curve,
    frame,
    height,
    model_of,
    volume_frames,
    width,
)
from simio.report.wiring.layout import Layout, layout

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

CONFIG = {"displaylogo": False, "showSendToCloud": False, "displayModeBar": False}
"""Plotly's settings wherever the picture is shown: nothing that would upload it."""

_INK = "#1f2937"
_SOFT = "#5b6675"
_LINE = "#94a3b8"
_FILLS = {
    "cpu": "#fde8c8",
    "memory": "#fdf3c8",
    "bus": "#dcefd9",
    "adapter": "#cfe6f5",
    "link": "#ffffff",
    "switch": "#e3defa",
    "disk": "#f8d9dd",
}
_WORDS = {"cpu": "CPU"}
_FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="generator" content="simio">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; background: #ffffff; overflow-x: auto; }}
.picture {{ width: max-content; margin: 0 auto; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #14181f; }}
  .picture {{ filter: invert(0.92) hue-rotate(180deg); }}
}}
</style>
</head>
<body>
<div class="picture">
{picture}
</div>
</body>
</html>
"""


def figure(graph: nx.Graph) -> Figure:
    """A Plotly figure of the wiring; one unit of its axes is a pixel, and hovering over a box tells its model."""
    import plotly.graph_objects as go

    plan = layout(graph)
    across, down = width(plan), height(plan)
    centres = {name: centre(*place) for name, place in plan.places.items()}
    picture = go.Figure(_lines(go, graph, centres))
    picture.add_trace(_hovers(go, graph, centres))
    picture.update_layout(
        width=across,
        height=down,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis={"range": [0, across], "visible": False, "fixedrange": True},
        yaxis={"range": [down, 0], "visible": False, "fixedrange": True},
        shapes=_frames(graph, plan, centres) + [_box(graph, name, *at) for name, at in centres.items()],
        annotations=_texts(graph, plan, centres),
        font={"family": _FONT, "color": _INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        hoverlabel={"align": "left", "bgcolor": _INK, "font": {"family": _FONT, "color": "#ffffff"}},
        dragmode=False,
    )
    return picture


def page(graph: nx.Graph) -> str:
    """The picture as a web page that needs nothing else, online or beside it."""
    inside = figure(graph).to_html(
        full_html=False, include_plotlyjs=True, config=CONFIG, div_id="wiring", default_width=None
    )
    return _PAGE.format(title=html.escape(graph.graph.get("title", "")), picture=inside)


def write_html(graph: nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write `page` to a file. Raises SimioError where that cannot be written."""
    write_whole(path, page(graph))


def write_image(graph: nx.Graph, path: str | os.PathLike[str]) -> None:
    """Write the picture as .png or .svg. Raises SimioError where kaleido or a browser for it is missing."""
    form = os.path.splitext(path)[1].removeprefix(".").lower()
    picture = figure(graph).update_layout(paper_bgcolor="white")
    try:
        image = picture.to_image(format=form, scale=2)
    except Exception as error:
        # Without kaleido plotly raises one thing, without a browser kaleido another, and it varies by version.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise SimioError(
            f"cannot draw '.{form}': that needs the package kaleido and a Chrome or Chromium, "
            f"while .html needs neither ({reason[:200]})"
        ) from error
    write_whole(path, image)


def _shown(text: str) -> str:
    """Text that is not taken for the few tags that Plotly knows."""
    return html.escape(text, quote=False)


def _lines(go: Any, graph: nx.Graph, centres: dict[str, tuple[float, float]]) -> list[Any]:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for one, other in graph.edges:
        for x, y in curve(centres[one], centres[other]):
            xs.append(x)
            ys.append(y)
        xs.append(None)
        ys.append(None)
    return [go.Scatter(x=xs, y=ys, mode="lines", line={"color": _LINE, "width": 2}, hoverinfo="skip")]


def _hovers(go: Any, graph: nx.Graph, centres: dict[str, tuple[float, float]]) -> Any:
    # Markers are as high as a box; three of them cover its width.
    across = (BOX[1] / 2 - BOX[0] / 2, 0, BOX[0] / 2 - BOX[1] / 2)
    hints = [
        f"<b>{_shown(name)}</b><br>{_WORDS.get(node['category'], node['category'])}: {_shown(node['title'])}"
        for name, node in graph.nodes(data=True)
    ]
    return go.Scatter(
        x=[centres[name][0] + shift for name in graph.nodes for shift in across],
        y=[centres[name][1] for name in graph.nodes for _ in across],
        mode="markers",
        marker={"size": BOX[1], "symbol": "square", "opacity": 0},
        hovertext=[text for text in hints for _ in across],
        hoverinfo="text",
    )


def _frames(graph: nx.Graph, plan: Layout, centres: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    grey = "rgba(148,163,184,0.12)"
    return [
        _shape(frame(plan, host, centres), radius=14, fill=grey, line=_LINE, dash="dot") for host in plan.hosts
    ] + [
        _shape(corners, radius=10, fill=grey, line=_SOFT, dash="dash")
        for _, corners in volume_frames(graph, plan, centres)
    ]


def _box(graph: nx.Graph, name: str, x: float, y: float) -> dict[str, Any]:
    category = graph.nodes[name]["category"]
    half_width, half_height = BOX[0] / 2, BOX[1] / 2
    corners = (x - half_width, y - half_height, x + half_width, y + half_height)
    return _shape(
        corners, radius=half_height if category == "link" else 8, fill=_FILLS.get(category, "#ffffff"), line=_SOFT
    )


def _shape(
    corners: tuple[float, float, float, float], radius: float, fill: str, line: str, dash: str = "solid"
) -> dict[str, Any]:
    """A rectangle with rounded corners."""
    left, top, right, bottom = corners
    r = radius
    path = (
        f"M {left + r},{top} L {right - r},{top} Q {right},{top} {right},{top + r} L {right},{bottom - r} "
        f"Q {right},{bottom} {right - r},{bottom} L {left + r},{bottom} Q {left},{bottom} {left},{bottom - r} "
        f"L {left},{top + r} Q {left},{top} {left + r},{top} Z"
    )
    layer = "above" if dash == "solid" else "below"
    return {
        "type": "path", "path": path, "fillcolor": fill, "layer": layer,
        "line": {"color": line, "width": 1, "dash": dash},
    }  # fmt: skip


def _texts(graph: nx.Graph, plan: Layout, centres: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    # A character of the title is about nine pixels wide.
    title = _short(str(graph.graph.get("title", "")), width(plan) // 9 - MARGIN // 5)
    texts = [_text(f"<b>{title}</b>", MARGIN, MARGIN * 0.65, 16, "left")]
    for host in plan.hosts:
        left, top, _, _ = frame(plan, host, centres)
        texts.append(_text(f"<b>{_shown(host)}</b>", left + 14, top + 15, 13, "left"))
    for name, (left, top, _, _) in volume_frames(graph, plan, centres):
        label = f"<b>{_short(name, 20)}</b> {_short(_kind_of(graph, name), 22 - min(len(name), 20))}"
        hint = f"<b>{_shown(name)}</b><br>{_shown(graph.graph['volumes'][name].title)}"
        texts.append({**_text(label, left + 6, top + LABEL / 2, 11, "left"), "hovertext": hint})
    for name, node in graph.nodes(data=True):
        shown = name.removeprefix(f"{node['host']}.") if node["host"] else name
        label = f"<b>{_short(shown, 20)}</b><br><span style='font-size:11px'>{_short(model_of(node), 22)}</span>"
        texts.append(_text(label, *centres[name], 13, "center"))
    return texts


def _kind_of(graph: nx.Graph, volume: str) -> str:
    """Kind and unit of a volume, without the models that hovering tells."""
    return str(graph.graph["volumes"][volume].title).partition(",")[0]


def _short(text: str, most: int) -> str:
    return _shown(text if len(text) <= most else f"{text[: most - 1]}…")


def _text(text: str, x: float, y: float, size: int, anchor: str) -> dict[str, Any]:
    return {
        "text": text, "x": x, "y": y, "showarrow": False, "align": anchor, "xanchor": anchor, "yanchor": "middle",
        "font": {"size": size, "color": _INK},
    }  # fmt: skip
