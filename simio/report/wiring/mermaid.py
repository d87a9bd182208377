"""The wiring as a Mermaid flowchart: text that many editors and code hosts draw."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from simio.report.wiring.layout import layout

_SHAPES = {
    "bus": ('{{"', '"}}'),
    "adapter": ('[/"', '"/]'),
    "link": ('(["', '"])'),
    "switch": ('[["', '"]]'),
    "disk": ('[("', '")]'),
}
_PLAIN = ('["', '"]')
_ALLOWED = frozenset(" .,:_-+*/()=")


def mermaid(graph: nx.Graph) -> str:
    """A flowchart of the wiring, from left to right, each host a subgraph, each node with its model below its name.

    Names stand in labels only, escaped; nodes and hosts are numbered in the order of the graph, so that equal
    systems give equal text.
    """
    numbers = {name: f"n{number}" for number, name in enumerate(graph.nodes)}
    hosts = list(dict.fromkeys(host for _, host in graph.nodes(data="host") if host))
    lines = ["flowchart LR"]
    for number, host in enumerate(hosts):
        lines.append(f'  subgraph h{number}["{_escaped(host)}"]')
        lines += [f"  {line}" for line in _nodes(graph, numbers, host)]
        lines.append("  end")
    lines += _others(graph, numbers)
    lines += [f"  {numbers[one]} --- {numbers[other]}" for one, other in _edges(graph)]
    return "\n".join(lines) + "\n"


def _nodes(graph: nx.Graph, numbers: dict[str, str], host: str) -> Iterator[str]:
    for name, node in graph.nodes(data=True):
        if node["host"] == host:
            yield f"  {_node(graph, numbers, name)}"


def _node(graph: nx.Graph, numbers: dict[str, str], name: str) -> str:
    node = graph.nodes[name]
    opening, closing = _SHAPES.get(node["category"], _PLAIN)
    shown = name.removeprefix(f"{node['host']}.") if node["host"] else name
    return f"{numbers[name]}{opening}{_escaped(shown)}<br/>{_escaped(node['title'])}{closing}"


def _others(graph: nx.Graph, numbers: dict[str, str]) -> Iterator[str]:
    """The nodes without a host, with each volume as a subgraph around its members."""
    volumes = graph.graph.get("volumes", {})
    inside = {member for frame in volumes.values() for member in frame.members}
    for name in volumes:
        if name not in inside:
            yield from _volume(graph, numbers, name, "  ")
    for name, node in graph.nodes(data=True):
        if not node["host"] and name not in inside:
            yield f"  {_node(graph, numbers, name)}"


def _volume(graph: nx.Graph, numbers: dict[str, str], name: str, indent: str) -> Iterator[str]:
    volumes = graph.graph["volumes"]
    frame = volumes[name]
    number = list(volumes).index(name)
    yield f'{indent}subgraph v{number}["{_escaped(name)}<br/>{_escaped(frame.title)}"]'
    for member in frame.members:
        if member in volumes:
            yield from _volume(graph, numbers, member, indent + "  ")
        else:
            yield f"{indent}  {_node(graph, numbers, member)}"
    yield f"{indent}end"


def _edges(graph: nx.Graph) -> list[tuple[str, str]]:
    """Edges from left to right as `layout` has them, for Mermaid ranks nodes by the direction of edges.

    They stand in the order of the nodes, so that the text does not depend on the order of insertion.
    """
    number = {name: number for number, name in enumerate(graph.nodes)}
    columns = layout(graph).places
    place = {name: (columns[name][0], number[name]) for name in graph.nodes}
    ends = [sorted(edge, key=place.__getitem__) for edge in graph.edges]
    return sorted(((one, other) for one, other in ends), key=lambda edge: (number[edge[0]], number[edge[1]]))


def _escaped(text: str) -> str:
    """Text for a label: all but letters, digits and harmless signs as Mermaid's numbered characters."""
    return "".join(c if c.isalnum() or c in _ALLOWED else f"#{ord(c)};" for c in text)
