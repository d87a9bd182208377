"""The wiring of a system: a graph of its components, routes through it, and which ends links join.

Nodes have the names that results use: `challenge.cpu`, `challenge.memory`, `challenge.hio` (a bus),
`challenge.hippi` (an adapter); links, switches and disks have their own. Each node has a `category` ('cpu', 'bus',
...), a `title` and a `host` (or ''). A link is a node that is joined to all its ends; one of a bond has its number
there as `member`. Volumes are no nodes: the graph for pictures has `graph.graph["volumes"]`, a `VolumeFrame` of each
by name, and `graph.graph["owners"]`, the volume that a disk or a volume belongs to, and `graph.graph["roles"]`, what
workloads use a host or a disk for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from simio import units
from simio.description.model import Link, System, Volume
from simio.errors import RunError

if TYPE_CHECKING:
    import networkx as nx


class Route(NamedTuple):
    """A data path between a host's memory and another host's memory or a disk, as node names in order."""

    nodes: tuple[str, ...]

    def of_category(self, topology: Topology, category: str) -> list[str]:
        """Names of the nodes of one category on the path, in order."""
        return [node for node in self.nodes if topology.nodes[node]["category"] == category]


class VolumeFrame(NamedTuple):
    """A volume as a picture shows it: a frame around its members, which are disks and other volumes."""

    name: str
    title: str
    members: tuple[str, ...]


class Topology:
    """The graph of a system's components, for routes: networkx takes long to import.

    `nodes` has the values of each node by name, `adj` its neighbours in the order in which they were joined.
    """

    def __init__(self, system: System | None = None) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.adj: dict[str, dict[str, Any]] = {}
        if system is not None:
            _join(self, system, remote=False)

    def add_node(self, name: str, **values: str) -> None:
        """Add a node, or values to it."""
        self.nodes.setdefault(name, {}).update(values)
        self.adj.setdefault(name, {})

    def add_edge(self, one: str, other: str) -> None:
        """Join two nodes, which are added if they are missing."""
        for name in (one, other):
            self.add_node(name)
        self.adj[one][other] = self.adj[other][one] = {}

    def route(self, source: str, target: str) -> Route:
        """The shortest path between two ends; a host stands for its memory. Raises RunError if there is none."""
        one, other = (name if name in self.nodes else f"{name}.memory" for name in (source, target))
        if one in self.nodes and other in self.nodes:
            nodes = _shortest(self.adj, one, other)
            if nodes:
                return Route(nodes)
        raise RunError(f"no path leads from {source!r} to {target!r}")

    def without(self, names: Set[str]) -> Topology:
        """The graph without some of its nodes."""
        rest = Topology()
        rest.nodes = {name: values for name, values in self.nodes.items() if name not in names}
        rest.adj = {
            name: {near: {} for near in joined if near not in names}
            for name, joined in self.adj.items()
            if name not in names
        }
        return rest


class Reachability:
    """The hosts and disks that links join: only switches pass data on, and any adapter of a host will do."""

    def __init__(self, links: Iterable[Link], switches: Container[str]) -> None:
        self._switches = switches
        self._at: dict[str, list[frozenset[str]]] = {}
        """The links at each host, switch or disk, each as the owners of its ends."""
        for link in links:
            owners = frozenset(end.partition(".")[0] for end in link.ends)
            for owner in owners:
                self._at.setdefault(owner, []).append(owners)
        self._behind: dict[str, set[str]] = {}

    def joins(self, one: str, other: str) -> bool:
        """True if links lead from one to the other."""
        return one == other or any(other in owners for owners in self._around(one))

    def reached(self, start: str) -> set[str]:
        """All that links lead to from `start`, itself included."""
        return {start}.union(*self._around(start))

    def _around(self, start: str) -> Iterator[Set[str]]:
        """Sets whose union is what links lead to."""
        for owners in self._at.get(start, ()):
            yield owners
            yield from (self._through(owner) for owner in owners if owner in self._switches)

    def _through(self, switch: str) -> set[str]:
        """The nodes that a switch and those linked to it lead to: one set, shared by all of them."""
        if switch not in self._behind:
            seen, waiting = {switch}, [switch]
            while waiting:
                here = waiting.pop()
                self._behind[here] = seen
                for owners in self._at[here]:
                    waiting += (owner for owner in owners - seen if owner in self._switches)
                    seen |= owners
        return self._behind[switch]


def wire(system: System) -> nx.Graph:
    """The graph of a system's components and volumes as networkx has it, for pictures."""
    import networkx as nx

    volumes = {name: _frame(volume) for name, volume in system.volumes.items()}
    owners = {member: name for name, frame in volumes.items() for member in frame.members}
    graph = nx.Graph(title=system.title, volumes=volumes, owners=owners, roles=_roles(system))
    _join(graph, system)
    return graph


def _join(graph: nx.Graph | Topology, system: System, remote: bool = True) -> None:
    """Nodes and edges of a system; without `remote`, no links that are protocols over others: no route takes them."""
    for host in system.hosts.values():
        name = host.name
        graph.add_node(f"{name}.cpu", category="cpu", title=f"{host.cpus} x {host.cpu.model}", host=name)
        graph.add_node(f"{name}.memory", category="memory", title=host.memory.model, host=name)
        graph.add_edge(f"{name}.cpu", f"{name}.memory")
        for key, bus in host.buses.items():
            graph.add_node(f"{name}.{key}", category="bus", title=bus.model, host=name)
            graph.add_edge(f"{name}.memory", f"{name}.{key}")
        for key, adapter in host.adapters.items():
            graph.add_node(f"{name}.{key}", category="adapter", title=adapter.part.model, host=name)
            graph.add_edge(f"{name}.{adapter.bus}", f"{name}.{key}")
    for disk in system.disks.values():
        graph.add_node(disk.name, category="disk", title=disk.part.model, host="")
    for switch in system.switches.values():
        graph.add_node(switch.name, category="switch", title=switch.part.model, host="")
    for link in (link for link in system.links if remote or not link.part.sheet.remote):
        place = {"member": str(link.member.number)} if link.member else {}
        graph.add_node(link.name, category="link", title=link.part.model, host="", **place)
        for end in link.ends:
            graph.add_edge(link.name, end)


def _roles(system: System) -> dict[str, set[tuple[str, str]]]:
    """The kinds of workloads, and their keys, that name a host or a disk."""
    found: dict[str, set[tuple[str, str]]] = {}
    for workload in system.workloads.values():
        for key, value in vars(workload.params).items():
            for name in value if isinstance(value, list | tuple) else (value,):
                if isinstance(name, str):
                    found.setdefault(name, set()).add((workload.kind, key))
    return found


def _frame(volume: Volume) -> VolumeFrame:
    unit = f" {units.format_quantity(volume.unit, 'size')}" if volume.unit is not None else ""
    parts = [part.model for part in (volume.file_system, volume.controller) if part]
    return VolumeFrame(volume.name, ", ".join([f"{volume.kind}{unit}", *parts]), volume.members)


def volumes_around(graph: nx.Graph, name: str) -> tuple[str, ...]:
    """The volumes that a disk or a volume belongs to, the outermost first."""
    owners = graph.graph.get("owners", {})
    around: list[str] = []
    while name in owners:
        name = owners[name]
        around.append(name)
    return tuple(reversed(around))


def _shortest(adj: Mapping[str, Mapping[str, Any]], source: str, target: str) -> tuple[str, ...]:
    """Nodes of a path with the fewest nodes, or none if there is no path.

    Breadth-first from both ends, the smaller level next. Of several shortest paths it is that of
    `networkx.bidirectional_shortest_path`.
    """
    if source == target:
        return (source,)
    first, last = _Search(adj, source), _Search(adj, target)
    while first.size and last.size:
        here, there = (first, last) if first.size <= last.size else (last, first)
        met = here.meets(there)
        if met is not None:
            nodes = [*reversed(here.chain(met[0])), *there.chain(met[1])]
            return tuple(nodes if here is first else reversed(nodes))
        here.advance()
    return ()


class _Search:
    """A breadth-first search from one end; its current level has `size` nodes.

    The neighbours of a single node (`_hub`) are not listed before the search continues from them: a switch may have
    thousands of links, and mostly the search from the other end is met first.
    """

    def __init__(self, adj: Mapping[str, Mapping[str, Any]], end: str) -> None:
        self.size = 1
        self._adj = adj
        self._before: dict[str, str | None] = {end: None}
        """The node before each listed one."""
        self._level = [end]
        self._hub: str | None = None

    def meets(self, other: _Search) -> tuple[str, str] | None:
        """The first node of the level with a neighbour that the other search has seen, and its first such."""
        self._list()
        for node in self._level:
            near = self._adj[node]
            common = _common(near, other._before)
            if other._hub is not None:
                common |= _common(near, self._adj[other._hub])
            if common:
                return node, common.pop() if len(common) == 1 else next(name for name in near if name in common)
        return None

    def advance(self) -> None:
        """Make the unseen neighbours of the level the next one."""
        self._list()
        if len(self._level) == 1:
            (self._hub,) = self._level
            near = self._adj[self._hub]
            self.size = len(near) - len(_common(near, self._before))
            return
        level: list[str] = []
        for node in self._level:
            new = [name for name in self._adj[node] if name not in self._before]
            self._before.update(dict.fromkeys(new, node))
            level += new
        self._level, self.size = level, len(level)

    def _list(self) -> None:
        if self._hub is not None:
            self._level = [name for name in self._adj[self._hub] if name not in self._before]
            self._before.update(dict.fromkeys(self._level, self._hub))
            self._hub = None

    def chain(self, name: str) -> list[str]:
        """A seen node and those that lead from it to the end."""
        chain, node = [name], self._before.get(name, self._hub)
        while node is not None:
            chain.append(node)
            node = self._before[node]
        return chain


def _common(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    """Names in both tables; goes through the smaller one."""
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return {name for name in few if name in many}
