"""The wiring of a system: components as nodes, connections as edges, a data path as a walk.

Nodes are named as everywhere else: `challenge.cpu`, `challenge.memory`, `challenge.hio` (a bus),
`challenge.hippi` (an adapter), and links, switches and disks by their own names. Each has `cls` ('cpu', 'bus',
…), `title` and `host` (or ''). What a node is decides what it does; that is in `simio.components`. A link is
joined to all its ends. Volumes are no components: `graph.graph["volumes"]` has a `VolumeFrame` of each by name, and
`graph.graph["owners"]` the volume that a disk or a volume is in.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from simio import units
from simio.description.model import System, Volume
from simio.errors import RunError


@dataclass(frozen=True)
class Route:
    """A data path between a host's memory and another host's memory or a disk, as node names in order."""

    nodes: tuple[str, ...]

    def of_class(self, graph: nx.Graph, cls: str) -> list[str]:
        """Names of the nodes of one class on the path, in order."""
        return [node for node in self.nodes if graph.nodes[node]["cls"] == cls]


@dataclass(frozen=True)
class VolumeFrame:
    """A volume as a picture shows it: a frame around its members, which are disks and other volumes."""

    name: str
    title: str
    members: tuple[str, ...]


def wire(system: System) -> nx.Graph:
    """The graph of a system's components."""
    volumes = {name: _frame(volume) for name, volume in system.volumes.items()}
    owners = {member: name for name, frame in volumes.items() for member in frame.members}
    graph = nx.Graph(title=system.title, volumes=volumes, owners=owners)
    for host in system.hosts.values():
        name = host.name
        graph.add_node(f"{name}.cpu", cls="cpu", title=f"{host.cpus} x {host.cpu.model}", host=name)
        graph.add_node(f"{name}.memory", cls="memory", title=host.memory.model, host=name)
        graph.add_edge(f"{name}.cpu", f"{name}.memory")
        for key, bus in host.buses.items():
            graph.add_node(f"{name}.{key}", cls="bus", title=bus.model, host=name)
            graph.add_edge(f"{name}.memory", f"{name}.{key}")
        for key, adapter in host.adapters.items():
            graph.add_node(f"{name}.{key}", cls="adapter", title=adapter.part.model, host=name)
            graph.add_edge(f"{name}.{adapter.bus}", f"{name}.{key}")
    for disk in system.disks.values():
        graph.add_node(disk.name, cls="disk", title=disk.part.model, host="")
    for switch in system.switches.values():
        graph.add_node(switch.name, cls="switch", title=switch.part.model, host="")
    for link in system.links:
        graph.add_node(link.name, cls="link", title=link.part.model, host="")
        for end in link.ends:
            graph.add_edge(link.name, end)
    return graph


def _frame(volume: Volume) -> VolumeFrame:
    unit = f" {units.format_quantity(volume.unit, 'size')}" if volume.unit is not None else ""
    parts = [part.model for part in (volume.file_system, volume.controller) if part]
    return VolumeFrame(volume.name, ", ".join([f"{volume.kind}{unit}", *parts]), volume.members)


def volumes_around(graph: nx.Graph, name: str) -> tuple[str, ...]:
    """The volumes that a disk or a volume is in, the outermost first."""
    owners = graph.graph.get("owners", {})
    found: list[str] = []
    while name in owners:
        name = owners[name]
        found.append(name)
    return tuple(reversed(found))


def route(graph: nx.Graph, source: str, target: str) -> Route:
    """The shortest path between two ends; a host stands for its memory. Raises RunError where there is none."""
    ends = [name if name in graph else f"{name}.memory" for name in (source, target)]
    try:
        return Route(_in_tree(graph, *ends) or tuple(nx.shortest_path(graph, *ends)))
    except (nx.NetworkXNoPath, nx.NodeNotFound):
        raise RunError(f"no path leads from {source!r} to {target!r}") from None


def _in_tree(graph: nx.Graph, source: str, target: str) -> tuple[str, ...]:
    """The one path between two nodes if the wiring has no rings, found without a search; () if it has, or none leads.

    A search goes through all that is at a switch, once for each of many disks or hosts.
    """
    size = graph.number_of_nodes(), graph.number_of_edges()
    if graph.graph.get("size") != size:
        graph.graph["size"] = size
        graph.graph["parents"] = dict(nx.bfs_predecessors(graph, source)) if nx.is_tree(graph) else None
    parents = graph.graph["parents"]
    if parents is None or source not in graph or target not in graph:
        return ()
    up, down = _upward(parents, source), _upward(parents, target)
    while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
        del up[-1], down[-1]
    return (*up, *reversed(down[:-1]))


def _upward(parents: dict[str, str], node: str) -> list[str]:
    """A node and those above it, up to the root."""
    found = [node]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found
