"""The wiring of a system: components as nodes, connections as edges, a data path as a walk.

Nodes are named as everywhere else: `challenge.cpu`, `challenge.memory`, `challenge.hio` (a bus),
`challenge.hippi` (an adapter), and links, switches and disks by their own names. Each has `cls` ('cpu', 'bus',
…), `title` and `host` (or ''). What a node is decides what it does; that is in `simio.components`. A link is
joined to all its ends. Volumes are no components: `graph.graph["volumes"]` has a `VolumeFrame` of each by name, and
`graph.graph["owners"]` the volume that a disk or a volume is in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from simio import units
from simio.description.model import System, Volume
from simio.errors import RunError

if TYPE_CHECKING:
    import networkx as nx


class Wiring(Protocol):
    """What a walk through the components needs of their graph: nodes with values, and the neighbours of each."""

    @property
    def nodes(self) -> Mapping[str, Mapping[str, Any]]:
        """Values of each node by name."""

    @property
    def adj(self) -> Mapping[str, Mapping[str, Any]]:
        """Neighbours of each node, in the order in which they were joined."""


@dataclass(frozen=True)
class Route:
    """A data path between a host's memory and another host's memory or a disk, as node names in order."""

    nodes: tuple[str, ...]

    def of_class(self, graph: Wiring, cls: str) -> list[str]:
        """Names of the nodes of one class on the path, in order."""
        return [node for node in self.nodes if graph.nodes[node]["cls"] == cls]


@dataclass(frozen=True)
class VolumeFrame:
    """A volume as a picture shows it: a frame around its members, which are disks and other volumes."""

    name: str
    title: str
    members: tuple[str, ...]


class Ways:
    """The graph of a system's components, as far as paths through it need: networkx takes long to import."""

    def __init__(self, system: System) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.adj: dict[str, dict[str, Any]] = {}
        _join(self, system)

    def add_node(self, name: str, **values: str) -> None:
        """As networkx has it."""
        self.nodes.setdefault(name, {}).update(values)
        self.adj.setdefault(name, {})

    def add_edge(self, one: str, other: str) -> None:
        """As networkx has it."""
        for name in (one, other):
            self.add_node(name)
        self.adj[one][other] = self.adj[other][one] = {}


def wire(system: System) -> nx.Graph:
    """The graph of a system's components."""
    import networkx as nx

    volumes = {name: _frame(volume) for name, volume in system.volumes.items()}
    owners = {member: name for name, frame in volumes.items() for member in frame.members}
    graph = nx.Graph(title=system.title, volumes=volumes, owners=owners)
    _join(graph, system)
    return graph


def _join(graph: nx.Graph | Ways, system: System) -> None:
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


def route(graph: Wiring, source: str, target: str) -> Route:
    """The shortest path between two ends; a host stands for its memory. Raises RunError where there is none."""
    one, other = (name if name in graph.nodes else f"{name}.memory" for name in (source, target))
    if one in graph.nodes and other in graph.nodes:
        nodes = _shortest(graph, one, other)
        if nodes:
            return Route(nodes)
    raise RunError(f"no path leads from {source!r} to {target!r}")


def _shortest(graph: Wiring, source: str, target: str) -> tuple[str, ...]:
    """Nodes of a path with the fewest, searched from both ends, the one with fewer nodes to go on from first."""
    before: dict[str, str | None] = {source: None}
    after: dict[str, str | None] = {target: None}
    ahead, behind = [source], [target]
    if source == target:
        return (source,)
    while ahead and behind:
        forward = len(ahead) <= len(behind)
        level, seen, others = (ahead, before, after) if forward else (behind, after, before)
        found: list[str] = []
        for node in level:
            for neighbour in graph.adj[node]:
                if neighbour not in seen:
                    seen[neighbour] = node
                    found.append(neighbour)
                if neighbour in others:
                    return (*reversed(_chain(before, neighbour)), *_chain(after, neighbour)[1:])
        if forward:
            ahead = found
        else:
            behind = found
    return ()


def _chain(links: Mapping[str, str | None], node: str | None) -> list[str]:
    found = []
    while node is not None:
        found.append(node)
        node = links[node]
    return found
