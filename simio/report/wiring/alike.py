"""A wiring with its alike parts drawn once: disks on links of their own, or clients with all that is in them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import networkx as nx

from simio.topology import volumes_around

NEAR = 0.1
"""Parts whose shares differ by more than this are not drawn as one."""
CHAINS = 3
"""Least number of adapters of one host that are drawn as one."""
Shares = Mapping[str, float | None]


def condensed(graph: nx.Graph, shares: Shares | None = None) -> nx.Graph:
    """A copy in which a node of a kind stands for all alike, without the adapters that no link joins.

    Parts are alike if they have the same model, role in the workloads, volume and neighbours, and nearly the same
    share of utilisation, where `shares` has it. A node has as `names` all that it stands for; the graph has as `idle`
    the adapters left out, by host.
    """
    small = graph.copy()
    nx.set_node_attributes(small, {name: (name,) for name in small}, "names")
    idle: dict[str, list[str]] = {}
    for name, node in graph.nodes(data=True):
        if node["category"] == "adapter" and not any(graph.nodes[end]["category"] == "link" for end in graph[name]):
            idle.setdefault(node["host"], []).append(name)
            small.remove_node(name)
    small.graph["idle"] = idle
    while groups := _groups(small, shares or {}):
        for group in groups:
            _merge(small, group)
    return small


Unit = tuple[str, ...]
"""Nodes that hang together, in an order in which those of alike units correspond."""


def _merge(graph: nx.Graph, group: list[Unit]) -> None:
    """Keep the first unit of a group, and let it stand for the others."""
    first, *others = group
    for unit in others:
        for kept, gone in zip(first, unit, strict=True):
            graph.nodes[kept]["names"] += graph.nodes[gone]["names"]
        graph.remove_nodes_from(unit)


def _groups(graph: nx.Graph, shares: Shares) -> list[list[Unit]]:
    """Units of which others are alike, each with those; they have no node in common."""
    colours = _colours(graph)
    times: dict[int, int] = {}
    for colour in colours.values():
        times[colour] = times.get(colour, 0) + 1
    left = {name for name in graph if times[colours[name]] > 1}
    order = {name: place for place, name in enumerate(graph)}
    found = []
    while left:
        alike: dict[tuple[tuple[int, ...], frozenset[str]], list[Unit]] = {}
        for component in nx.connected_components(graph.subgraph(left)):
            unit = tuple(sorted(component, key=lambda name: (colours[name], order[name])))
            around = frozenset(end for name in unit for end in graph[name]) - component
            alike.setdefault((tuple(colours[name] for name in unit), around), []).append(unit)
        for (shape, around), units in alike.items():
            units.sort(key=lambda unit: min(order[name] for name in unit))
            groups = _near(units, shares) if _mergeable(graph, shape, units) else [[unit] for unit in units]
            for group in groups:
                if len(group) > 1:
                    found.append(group)
                for unit in group:
                    # Inner parts may be alike where the whole is not.
                    border = [name for name in unit if around & set(graph[name])] if len(group) == 1 else None
                    left.difference_update(border or unit)
    return found


def _mergeable(graph: nx.Graph, shape: Sequence[int], units: Sequence[Unit]) -> bool:
    """True if units of this shape may be drawn as one.

    Adapters of one host are, with what is behind them, if they are several plain chains: else a box behind one would
    have to say how many there are behind each.
    """
    hosted = {graph.nodes[name]["category"] for name in units[0] if graph.nodes[name]["host"]}
    chain = len(set(shape)) == len(shape) and all(len(graph.nodes[name]["names"]) == 1 for name in units[0])
    return "memory" in hosted or not hosted or (chain and len(units) >= CHAINS)


def _near(units: Iterable[Unit], shares: Shares) -> list[list[Unit]]:
    """Units of nearly the same shares together."""
    groups: list[list[Unit]] = []
    for unit in units:
        near = (group for group in groups if all(map(_close(shares), group[0], unit)))
        group = next(near, None)
        if group is None:
            groups.append([unit])
        else:
            group.append(unit)
    return groups


def _close(shares: Shares) -> Callable[[str, str], bool]:
    def close(one: str, other: str) -> bool:
        return abs((shares.get(one) or 0.0) - (shares.get(other) or 0.0)) <= NEAR

    return close


def _colours(graph: nx.Graph) -> dict[str, int]:
    """A number for each node, the same for nodes that nothing around them distinguishes (colour refinement)."""
    roles = graph.graph.get("roles", {})
    known: dict[str, Hashable] = {}
    for name, node in graph.nodes(data=True):
        around = volumes_around(graph, name)
        local = name.removeprefix(f"{node['host']}.") if node["category"] == "bus" else ""
        known[name] = (
            node["category"], node["title"], local, around, len(node["names"]),
            frozenset(roles.get(node["host"] or name, ())),
        )  # fmt: skip
    colours = _numbered(known)
    while True:
        finer = _numbered({
            name: (colours[name], tuple(sorted(colours[end] for end in graph[name]))) for name in graph
        })  # fmt: skip
        if len(set(finer.values())) == len(set(colours.values())):
            return finer
        colours = finer


def _numbered(values: Mapping[str, Hashable]) -> dict[str, int]:
    numbers: dict[Hashable, int] = {}
    return {name: numbers.setdefault(value, len(numbers)) for name, value in values.items()}
