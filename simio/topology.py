"""The wiring of a system: components as nodes, connections as edges, a data path as a walk.

Nodes are named as everywhere else: `challenge.cpu`, `challenge.memory`, `challenge.hio` (a bus),
`challenge.hippi` (an adapter), and links, switches and disks by their own names. Each has `cls` ('cpu', 'bus',
…), `title` and `host` (or ''). What a node is decides what it does; that is in `simio.components`. A link is
joined to all its ends. Volumes are no components: `graph.graph["volumes"]` has a `VolumeFrame` of each by name, and
`graph.graph["owners"]` the volume that a disk or a volume is in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    before, after = _Search(graph, source), _Search(graph, target)
    if source == target:
        return (source,)
    while before.size and after.size:
        forward = before.size <= after.size
        search, other = (before, after) if forward else (after, before)
        met = search.meets(other)
        if met is not None:
            here, there = search.chain(met[0]), other.chain(met[1])
            return (*reversed(here), *there) if forward else (*reversed(there), *here)
        search.go_on()
    return ()


class _Search:
    """What has been seen from one end of a path, and the nodes to go on from, of which there are `size`.

    The neighbours of a single node are left unlisted until the search goes on from them: those of a switch with
    thousands of links are mostly met first, from the other end.
    """

    def __init__(self, graph: Wiring, end: str) -> None:
        self.size = 1
        self._adj = graph.adj
        self._seen: dict[str, str | None] = {end: None}
        """The listed nodes, each with the one before it."""
        self._level = [end]
        self._hub: str | None = None
        """The node whose unseen neighbours are the level, while they are not listed."""

    def meets(self, other: _Search) -> tuple[str, str] | None:
        """The first node of the level that has a neighbour seen from the other end, and the first such neighbour."""
        self._list()
        for node in self._level:
            near = self._adj[node]
            common = {name for name, more in _fewer(near, other._seen) if name in more}
            if other._hub is not None:
                common.update(name for name, more in _fewer(near, other._adj[other._hub]) if name in more)
            if common:
                return node, common.pop() if len(common) == 1 else next(name for name in near if name in common)
        return None

    def go_on(self) -> None:
        """To the neighbours of the level."""
        self._list()
        if len(self._level) == 1:
            self._hub = self._level[0]
            near = self._adj[self._hub]
            self.size = len(near) - sum(name in more for name, more in _fewer(near, self._seen))
            return
        found: list[str] = []
        for node in self._level:
            for name in self._adj[node]:
                if name not in self._seen:
                    self._seen[name] = node
                    found.append(name)
        self._level, self.size = found, len(found)

    def _list(self) -> None:
        if self._hub is not None:
            self._level = [name for name in self._adj[self._hub] if name not in self._seen]
            self._seen.update(dict.fromkeys(self._level, self._hub))
            self._hub = None

    def chain(self, name: str) -> list[str]:
        """A node that was seen, and those that lead from it to the end."""
        found, node = [name], self._seen.get(name, self._hub)
        while node is not None:
            found.append(node)
            node = self._seen[node]
        return found


def _fewer(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The names of the smaller of two tables, each with the larger one."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return ((name, many) for name in few)
