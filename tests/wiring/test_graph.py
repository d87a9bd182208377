"""The graph of a system: what a link joins, paths through it, and the volumes around disks."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import pytest
from wiring_samples import on_a_bus

from simio.description.model import Volume
from simio.errors import RunError
from simio.wiring.graph import route, volumes_around, wire


def test_a_shared_link_is_one_node_joined_to_all_its_ends() -> None:
    graph = wire(on_a_bus())
    assert set(graph["bus"]) == {"server.fc", "d1", "d2", "d3"}
    assert [name for name, cls in graph.nodes(data="cls") if cls == "link"] == ["bus"]
    path = ("server.memory", "server.pci", "server.fc", "bus", "d2")
    assert route(graph, "server", "d2").nodes == path
    assert route(graph, "d1", "d3").nodes == ("d1", "bus", "d3")


def test_volumes_are_around_disks_and_no_way_leads_through_them() -> None:
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
        route(graph, "server", "d3")


@pytest.mark.parametrize("seed", range(20))
def test_the_path_in_a_tree_is_the_one_that_a_search_finds(seed):
    tree = nx.random_labeled_tree(30, seed=seed)
    graph = nx.relabel_nodes(tree, {node: f"n{node}" for node in tree})
    for source, target in (("n0", "n29"), ("n7", "n7"), ("n12", "n3"), ("n29", "n0")):
        assert list(route(graph, source, target).nodes) == nx.shortest_path(graph, source, target)


def test_a_ring_has_its_shorter_side_as_the_path():
    graph = nx.cycle_graph([f"n{number}" for number in range(7)])
    assert route(graph, "n0", "n2").nodes == ("n0", "n1", "n2")
    assert route(graph, "n0", "n5").nodes == ("n0", "n6", "n5")
    graph.remove_edge("n0", "n6")
    assert route(graph, "n0", "n5").nodes == tuple(f"n{number}" for number in range(6))
    graph.add_node("apart")
    with pytest.raises(RunError, match="no path leads"):
        route(graph, "n0", "apart")
