"""The graph of a system: what a link joins, paths through it, and the volumes around disks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simio.description.model import System, Volume
from simio.errors import RunError
from simio.loading import load
from simio.loading.catalogue import data_root
from simio.topology import Topology, volumes_around, wire


def on_a_bus() -> System:
    """A server with three disks on one shared link."""
    system = load(data_root("simio.scenarios") / "linux-fc-raw.yaml").cases[0].system
    disks = {name: system.disks[name] for name in ("d1", "d2", "d3")}
    bus = replace(system.links[0], name="bus", ends=("server.fc", *disks))
    return replace(system, disks=disks, switches={}, links=(bus,))


def topology_of(graph: nx.Graph) -> Topology:
    """A topology with the same edges in the same order."""
    topology = Topology()
    topology.nodes, topology.adj = dict(graph.nodes), {name: dict(near) for name, near in graph.adj.items()}
    return topology


def test_a_shared_link_is_one_node_joined_to_all_its_ends() -> None:
    graph = wire(on_a_bus())
    assert set(graph["bus"]) == {"server.fc", "d1", "d2", "d3"}
    assert [name for name, category in graph.nodes(data="category") if category == "link"] == ["bus"]
    path = ("server.memory", "server.pci", "server.fc", "bus", "d2")
    topology = Topology(on_a_bus())
    assert topology.route("server", "d2").nodes == path
    assert topology.route("d1", "d3").nodes == ("d1", "bus", "d3")


def test_volumes_are_around_disks_and_no_route_leads_through_them() -> None:
    system = on_a_bus()
    volumes = {
        "inner": Volume("inner", "mirror", ("d1", "d3"), None),
        "outer": Volume("outer", "stripe", ("inner", "d2"), 65536),
    }
    system = replace(system, volumes=volumes, links=(replace(system.links[0], ends=("server.fc", "d1")),))
    graph = wire(system)
    assert volumes_around(graph, "d3") == ("outer", "inner")
    assert volumes_around(graph, "d2") == ("outer",)
    assert volumes_around(graph, "outer") == ()
    assert graph.graph["volumes"]["outer"].title == "stripe 64 KiB"
    with pytest.raises(RunError, match="no path leads from 'server' to 'd3'"):
        Topology(system).route("server", "d3")


def test_a_topology_and_the_graph_of_pictures_join_the_same() -> None:
    graph, topology = wire(on_a_bus()), Topology(on_a_bus())
    assert dict(graph.nodes) == topology.nodes
    assert {name: list(joined) for name, joined in graph.adj.items()} == {
        name: list(joined) for name, joined in topology.adj.items()
    }
    route = topology.route("server", "d2")
    assert list(route.nodes) == nx.shortest_path(graph, "server.memory", "d2")
    assert route.of_category(topology, "adapter") == ["server.fc"]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20))
def test_a_route_is_a_shortest_path(edges: list[tuple[int, int]]) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(["0", "9"])
    graph.add_edges_from((str(one), str(other)) for one, other in edges)
    if not nx.has_path(graph, "0", "9"):
        with pytest.raises(RunError, match="no path leads from '0' to '9'"):
            topology_of(graph).route("0", "9")
        return
    nodes = topology_of(graph).route("0", "9").nodes
    assert (nodes[0], nodes[-1]) == ("0", "9")
    assert all(graph.has_edge(*pair) for pair in pairwise(nodes))
    assert len(nodes) - 1 == nx.shortest_path_length(graph, "0", "9")
    # Of several, the one that it always was.
    assert list(nodes) == nx.shortest_path(graph, "0", "9")


def test_a_ring_has_its_shorter_side_as_the_path():
    graph = nx.cycle_graph([f"n{number}" for number in range(7)])
    assert topology_of(graph).route("n0", "n2").nodes == ("n0", "n1", "n2")
    assert topology_of(graph).route("n0", "n5").nodes == ("n0", "n6", "n5")
    graph.remove_edge("n0", "n6")
    assert topology_of(graph).route("n0", "n5").nodes == tuple(f"n{number}" for number in range(6))
    graph.add_node("apart")
    with pytest.raises(RunError, match="no path leads"):
        topology_of(graph).route("n0", "apart")


class Counted(dict[str, object]):
    """Neighbours that count how many of them are gone through."""

    def __init__(self) -> None:
        self.looks = 0

    def __iter__(self) -> Iterator[str]:
        for name in super().__iter__():
            self.looks += 1
            yield name


def test_thousands_of_links_at_a_switch_are_not_gone_through_for_each_path() -> None:
    number = 2000
    topology = Topology(on_a_bus())
    topology.adj["switch"] = hub = Counted()
    for end in range(number):
        topology.add_edge("switch", f"link{end}")
        topology.add_edge(f"link{end}", f"end{end}")
    for end in range(1, number):
        assert topology.route("end0", f"end{end}").nodes == (
            "end0",
            "link0",
            "switch",
            f"link{end}",
            f"end{end}",
        )
    assert hub.looks < 10 * number
