"""Positions of the nodes of a wiring in a picture: hosts to the left and right, links and switches between.

Columns count from the left: CPU and memory of a left host, its buses, its adapters, then links and switches by
their distance from there, and the right side mirrored. Disks stand on the far side of the links that lead to
them. Rows follow the wiring, so that lines seldom cross; nothing is random.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from simio.topology import volumes_around

_DEPTH = {"cpu": 0, "memory": 0, "bus": 1, "adapter": 2}
_MIDDLE = ("link", "switch")
_HOST_GAP = 1.0


@dataclass(frozen=True)
class WiringLayout:
    """Column and row of every node (rows grow downward, from 0), the hosts with the nodes inside, and the volumes
    with the disks inside, those around others first.
    """

    places: dict[str, tuple[float, float]]
    hosts: dict[str, list[str]]
    columns: int
    rows: float
    volumes: dict[str, list[str]]


def layout(graph: nx.Graph) -> WiringLayout:
    """Columns and rows for all nodes; the same graph always gives the same."""
    hosts: dict[str, list[str]] = {}
    for name, host in graph.nodes(data="host"):
        if host:
            hosts.setdefault(host, []).append(name)
    right = _right_side(graph, list(hosts))
    columns = _columns(graph, right)
    rows = _rows(graph, hosts, right, columns)
    top = min(rows.values(), default=0.0)
    places = {name: (float(columns[name]), rows[name] - top) for name in graph.nodes}
    height = max((row for _, row in places.values()), default=0.0) + 1
    return WiringLayout(places, hosts, max(columns.values(), default=0) + 1, height, _volumes(graph))


def _volumes(graph: nx.Graph) -> dict[str, list[str]]:
    """The disks of each volume; a volume comes before those inside it."""
    found: dict[str, list[str]] = {}
    for name, category in graph.nodes(data="category"):
        if category == "disk":
            for volume in volumes_around(graph, name):
                found.setdefault(volume, []).append(name)
    return found


def _networks(graph: nx.Graph) -> list[tuple[list[str], list[str], list[str]]]:
    """Links and switches that hang together, with the hosts and the disks at their ends."""
    place = {name: number for number, name in enumerate(graph.nodes)}
    middle = [name for name, category in graph.nodes(data="category") if category in _MIDDLE]
    found = []
    for component in nx.connected_components(graph.subgraph(middle)):
        inside = sorted(component, key=place.__getitem__)
        ends = sorted({end for name in inside for end in graph[name]} - component, key=place.__getitem__)
        hosts = list(dict.fromkeys(graph.nodes[end]["host"] for end in ends if graph.nodes[end]["host"]))
        found.append((inside, hosts, [end for end in ends if graph.nodes[end]["category"] == "disk"]))
    return sorted(found, key=lambda network: place[network[0][0]])


def _right_side(graph: nx.Graph, hosts: list[str]) -> set[str]:
    """Hosts and disks that stand to the right: across a network from its first host, or from all hosts if it has
    disks.
    """
    side: dict[str, bool] = {}
    for _, ends, disks in _networks(graph):
        known = [side[host] for host in ends if host in side]
        first = known[0] if known else False
        for number, host in enumerate(ends):
            # With disks on it, a network has its hosts on one side.
            across = not disks and (bool(known) or number > 0)
            side.setdefault(host, first != across)
        side.update(dict.fromkeys(disks, not first))
    side.update(
        {name: True for name, category in graph.nodes(data="category") if category == "disk" and name not in side}
    )
    return {name for name in (*hosts, *side) if side.get(name, False)}


def _columns(graph: nx.Graph, right: set[str]) -> dict[str, int]:
    inner = _DEPTH["adapter"]
    columns = {name: inner + 1 for name, category in graph.nodes(data="category") if category in _MIDDLE}
    for inside, _, _ in _networks(graph):
        columns.update(_distances(graph, inside, right, inner))
    # The mirrored side begins beyond the last link or switch.
    far = max(columns.values(), default=inner) + 1 + inner
    for name, node in graph.nodes(data=True):
        if node["category"] not in _MIDDLE:
            depth = _DEPTH.get(node["category"], inner)
            columns[name] = far - depth if (node["host"] or name) in right else depth
    lowest = min(columns.values(), default=0)
    return {name: column - lowest for name, column in columns.items()}


def _distances(graph: nx.Graph, inside: list[str], right: set[str], inner: int) -> dict[str, int]:
    """Columns of one network: steps from the ends on its left, or where it has none, from those on its right."""

    def side(end: str) -> bool:
        return (graph.nodes[end]["host"] or end) in right

    ends = [end for name in inside for end in graph[name] if end not in inside]
    sources = {end for end in ends if not side(end)} or set(ends)
    # Distances within the network only: a way through a host is none.
    web = graph.subgraph([*inside, *sources])
    steps = nx.multi_source_dijkstra_path_length(web, sources) if sources else {}
    return {name: inner + int(steps[name]) for name in inside if name in steps}


def _rows(graph: nx.Graph, hosts: dict[str, list[str]], right: set[str], columns: dict[str, int]) -> dict[str, float]:
    blocks = dict(hosts) | {name: [name] for name in _disks(graph)}
    rows = _stack(graph, blocks, [name for name in blocks if name not in right])
    opposite = _opposite(graph, rows)
    # Neighbours of the upper hosts on the left stand high on the right.
    others = _together(graph, [name for name in blocks if name in right], opposite)
    rows |= _stack(graph, blocks, others)
    middle = [name for name in graph.nodes if name not in rows]
    fixed = frozenset(rows)
    for column in sorted({columns[name] for name in middle}, reverse=True):
        _place(graph, [name for name in middle if columns[name] == column], fixed, columns, rows)
    return rows


def _disks(graph: nx.Graph) -> list[str]:
    """The disks, those of a volume together."""
    disks = [name for name, category in graph.nodes(data="category") if category == "disk"]
    place = {name: number for number, name in enumerate(disks)}
    around = {name: volumes_around(graph, name) for name in disks}
    first: dict[tuple[str, ...], int] = {}
    for name in disks:
        for depth in range(len(around[name])):
            first.setdefault(around[name][: depth + 1], place[name])
    # First places of the volumes around a disk, from the outermost, then of the disk itself.
    return sorted(
        disks,
        key=lambda name: (*(first[around[name][: n + 1]] for n in range(len(around[name]))), place[name]),
    )


def _together(graph: nx.Graph, names: list[str], opposite: dict[str, float]) -> list[str]:
    """Hosts and disks by what is opposite, but the disks of an outermost volume where its first one is."""
    rows: dict[str, float] = {}
    for name in names:
        outermost = (volumes_around(graph, name) or (name,))[0]
        row = opposite.get(name, 0.0)
        rows[outermost] = min(rows.get(outermost, row), row)
    return sorted(names, key=lambda name: rows[(volumes_around(graph, name) or (name,))[0]])


def _opposite(graph: nx.Graph, left: dict[str, float]) -> dict[str, float]:
    """The mean row, for hosts and disks, of what is across the networks that they are on."""
    found: dict[str, list[float]] = {}
    for inside, ends, disks in _networks(graph):
        across = [left[end] for name in inside for end in graph[name] if end in left]
        for name in (*ends, *disks):
            found.setdefault(name, []).extend(across)
    return {name: sum(rows) / len(rows) for name, rows in found.items() if rows}


def _stack(graph: nx.Graph, blocks: dict[str, list[str]], names: list[str]) -> dict[str, float]:
    """Hosts and disks of one side one below the other, their ports about row 0."""
    rows: dict[str, float] = {}
    top, before = 0.0, ""
    for name in names:
        inside = blocks[name]
        alone = inside == [name]
        like = alone and blocks.get(before) == [before]
        if before and not (like and volumes_around(graph, name) == volumes_around(graph, before)):
            top += _HOST_GAP
        placed = {name: top} if alone else _inside_host(graph, inside, top)
        rows |= placed
        top, before = max(placed.values()) + 1, name
    ports = [row for name, row in rows.items() if graph.nodes[name]["category"] in ("adapter", "disk")]
    middle = sum(ports) / len(ports) if ports else 0.0
    return {name: row - middle for name, row in rows.items()}


def _inside_host(graph: nx.Graph, inside: list[str], top: float) -> dict[str, float]:
    """CPU above memory, buses beside memory and adapters beside their buses."""
    by_category = {category: [n for n in inside if graph.nodes[n]["category"] == category] for category in _DEPTH}
    order = {bus: number for number, bus in enumerate(by_category["bus"])}
    adapters = sorted(
        by_category["adapter"], key=lambda n: min((order[b] for b in graph[n] if b in order), default=0)
    )
    height = max(2, len(adapters), len(by_category["bus"]))
    rows: dict[str, float] = {}
    for group in (by_category["cpu"] + by_category["memory"], by_category["bus"], adapters):
        spare = height - len(group)
        # In a host of two rows, components on the memory stand level with it.
        start = top + (spare if height == 2 else spare / 2)
        rows |= {name: start + number for number, name in enumerate(group)}
    return rows


def _place(
    graph: nx.Graph,
    members: list[str],
    fixed: frozenset[str],
    columns: dict[str, int],
    rows: dict[str, float],
) -> None:
    """Rows for the nodes of a middle column: level with the ports beside them, else with what is right of them."""
    wanted = {}
    for name in members:
        column = columns[name]
        known = [other for other in graph[name] if other in rows]
        ports = [other for other in known if other in fixed]
        beside = [other for other in ports if abs(columns[other] - column) == 1]
        beyond = [other for other in known if columns[other] > column]
        near = [rows[other] for other in beside or ports or beyond or known]
        wanted[name] = sum(near) / len(near) if near else 0.0
    ordered = sorted(wanted, key=lambda name: wanted[name])
    placed: list[float] = []
    for name in ordered:
        placed.append(max(wanted[name], placed[-1] + 1) if placed else wanted[name])
    # Pushing down only would tilt the picture.
    drift = (sum(placed) - sum(wanted.values())) / len(placed)
    rows.update({name: row - drift for name, row in zip(ordered, placed, strict=True)})
