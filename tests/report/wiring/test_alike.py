"""Parts of a wiring that are drawn as one, and parts that are not."""

from __future__ import annotations

import networkx as nx
import pytest
from wiring_samples import made_up, on_a_bus, scenario_graph

from simio.report.wiring.alike import condensed
from simio.topology import wire


def kept(graph: nx.Graph) -> dict[str, int]:
    """The nodes that stand for several, with how many."""
    return {name: len(names) for name, names in graph.nodes(data="names") if len(names) > 1}


def test_disks_on_links_of_their_own_are_one_with_their_link() -> None:
    graph = scenario_graph("linux-fc-raw")
    small = condensed(graph)
    assert kept(small) == {"link2.d1": 8, "d1": 8}
    assert small.nodes["d1"]["names"] == tuple(f"d{number}" for number in range(1, 9))
    # Nothing is lost, and nothing counts twice.
    assert sorted(name for names in nx.get_node_attributes(small, "names").values() for name in names) == sorted(
        graph
    )


def test_disks_on_one_shared_link_are_one() -> None:
    assert kept(condensed(wire(on_a_bus()))) == {"d1": 3}


def test_clients_are_one_with_all_that_is_in_them_and_the_server_is_another() -> None:
    small = condensed(scenario_graph("server-conventional"))
    assert kept(small) == {"c1.cpu": 8, "c1.memory": 8, "c1.hio": 8, "c1.hippi": 8, "link4": 8, "a1": 4, "b1": 4}
    assert small.graph["idle"]["c1"] == ["c1.scsi0", "c1.scsi1"]


def test_sender_and_receiver_of_one_model_stay_two() -> None:
    # Both are of one model and on one switch, but the workload sends from one to the other.
    graph = made_up([1, 1], 1, 0, [("h0.a0", "s0"), ("s0", "h1.a0")])
    assert kept(condensed(graph))
    graph.graph["roles"] = {"h0": {("ttcp", "from")}, "h1": {("ttcp", "to")}}
    assert kept(condensed(graph)) == {}


def test_roles_are_those_of_the_workloads() -> None:
    assert scenario_graph("sgi-hippi-raw").graph["roles"].keys() >= {"challenge", "onyx"}
    assert kept(condensed(scenario_graph("slac-64k-windows"))) == {}


def test_disks_of_different_volumes_stay_apart() -> None:
    graph = made_up([1], 0, 4, [("h0.a0", f"d{number}") for number in range(4)], volumes={"v": ["d0", "d1"]})
    assert kept(condensed(graph)) == {"d0": 2, "link0": 2, "d2": 2, "link2": 2}


def test_a_disk_that_is_busier_than_its_like_stays_apart() -> None:
    shares = {f"d{number}": 0.5 for number in range(1, 9)} | {"d3": 0.9}
    assert kept(condensed(scenario_graph("linux-fc-raw"), shares)) == {"link2.d1": 7, "d1": 7}


@pytest.mark.parametrize(("buses", "expected"), [(2, {}), (4, {"h0.a0": 4, "link0": 4, "d0": 4})])
def test_several_adapters_of_a_host_are_one_where_each_has_a_plain_chain(
    buses: int, expected: dict[str, int]
) -> None:
    graph = made_up([buses], 0, buses, [(f"h0.a{number}", f"d{number}") for number in range(buses)])
    assert kept(condensed(graph)) == expected


def test_adapters_with_several_disks_each_stay_apart_and_their_disks_are_one() -> None:
    cables = [(f"h0.a{number // 3}", f"d{number}") for number in range(9)]
    small = condensed(made_up([3], 0, 9, cables))
    assert kept(small) == {name: 3 for bus in range(3) for name in (f"d{3 * bus}", f"link{3 * bus}")}
