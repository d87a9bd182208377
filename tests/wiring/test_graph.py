"""The graph of a system: what a link joins, paths through it, and the volumes around disks."""

from __future__ import annotations

from dataclasses import replace

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
