"""The wiring as a file: a page that needs nothing else, or a picture."""

from __future__ import annotations

import os
import re

import networkx as nx

from simio.report.html.text import asset, shown
from simio.report.render import rendered
from simio.report.wiring.geometry import MARGIN
from simio.report.wiring.inline import TOP, topology

_KINDS = {"cpu": "CPU"}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="simio">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}main, header {{ max-width: 1500px; }}
</style>
</head>
<body>
<header><h1>{title}</h1></header>
<main><figure><div class="wide" tabindex="0">{picture}</div>
<figcaption class="legend">{legend}</figcaption></figure></main>
</body>
</html>
"""


def page(graph: nx.Graph) -> str:
    """The picture as a web page, as wide as its window."""
    kinds = dict.fromkeys(category for _, category in graph.nodes(data="category"))
    legend = " ".join(f'<span class="kind is-{kind}">{shown(_KINDS.get(kind, kind))}</span>' for kind in kinds)
    title = shown(graph.graph.get("title", ""))
    return _PAGE.format(
        title=title, style=asset("page.css", "simio.report.html"), picture=topology(graph), legend=legend
    )


def image(graph: nx.Graph, path: str | os.PathLike[str]) -> str | bytes:
    """The content of a picture's file, .svg, .png or .pdf. Raises SimioError as `rendered` does."""
    inside = topology(graph)
    found = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', inside)
    assert found
    width, height = float(found[1]), float(found[2]) + TOP
    # Outside a page, the picture has a size, a style, a ground and a title of its own; in a file it is light.
    size = f' viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" data-theme="light"'
    head, _, body = re.sub(r' viewBox="[^"]*" style="[^"]*"', size, inside, count=1).partition(">")
    title = f'<text x="{MARGIN}" y="{MARGIN * 0.7:g}" class="title">{shown(graph.graph.get("title", ""))}</text>'
    style = f"<style><![CDATA[{asset('page.css', 'simio.report.html')}]]></style>"
    whole = f'{head}>{style}<rect class="ground" width="{width:g}" height="{height:g}"/>{title}{body}'
    return rendered(path, whole, width, height)
