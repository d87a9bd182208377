"""Places of nodes: sides, columns, and nothing upon anything else, whatever the wiring."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wiring_samples import made_up, on_a_bus, scenario_graph

from simio.report.wiring.layout import layout
from simio.topology import volumes_around, wire


def test_two_hosts_face_each_other() -> None:
    plan = layout(scenario_graph("sgi-hippi-raw"))
    path = ["memory", "hio", "hippi"]
    names = [f"challenge.{p}" for p in path] + ["link1"] + [f"onyx.{p}" for p in reversed(path)]
    assert [plan.places[name][0] for name in names] == list(range(7))
    # Each host has other adapters beside the one that the link joins.
    assert len({plan.places[name][1] for name in ("challenge.hippi", "link1", "onyx.hippi")}) == 1
    assert plan.places["challenge.cpu"][0] == 0
    assert plan.columns == 7


def test_disks_stand_across_from_the_host_each_level_with_its_link() -> None:
    plan = layout(scenario_graph("linux-fc-raw"))
    order = ["server.fc", "link1", "fabric", "link2.d1", "d1"]
    columns = [plan.places[name][0] for name in order]
    assert columns == sorted(set(columns))
    rows = []
    for number in range(1, 9):
        assert plan.places[f"d{number}"][1] == plan.places[f"link2.d{number}"][1]
        rows.append(plan.places[f"d{number}"][1])
    assert rows == sorted(set(rows))
    assert plan.places["fabric"][1] == plan.places["server.fc"][1] == pytest.approx((rows[0] + rows[-1]) / 2)


def test_hosts_that_share_disks_stand_on_one_side() -> None:
    cables = [("h0.a0", "s0"), ("h1.a0", "s0"), ("s0", "d0")]
    plan = layout(made_up([1, 1], 1, 1, cables))
    assert plan.places["h0.cpu"][0] == plan.places["h1.cpu"][0]
    assert plan.places["d0"][0] == plan.columns - 1


def test_the_order_of_connections_does_not_matter() -> None:
    graph = scenario_graph("linux-fc-raw")
    other = nx.Graph(title="")
    other.add_nodes_from(graph.nodes(data=True))
    other.add_edges_from((two, one) for one, two in reversed(list(graph.edges)))
    assert layout(other).places == layout(graph).places


def test_nothing_at_all_has_a_layout() -> None:
    assert layout(nx.Graph(title="")).places == {}


@st.composite
def wirings(draw: st.DrawFn) -> nx.Graph:
    adapters = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    switches, disks = draw(st.integers(0, 4)), draw(st.integers(0, 8))
    ports = [f"h{host}.a{port}" for host, count in enumerate(adapters) for port in range(count)]
    ports += [f"s{number}" for number in range(switches)] + [f"d{number}" for number in range(disks)]
    volumes: dict[str, list[str]] = {}
    for number in range(disks):
        if home := draw(st.sampled_from(["", "v0", "v1", "v2"])):
            volumes.setdefault(home, []).append(f"d{number}")
    if "v0" in volumes and "v1" in volumes and draw(st.booleans()):
        volumes["v0"].append("v1")
    if len(ports) < 2:
        return made_up(adapters, switches, disks, [], volumes=volumes)
    cable = st.lists(st.sampled_from(ports), min_size=2, max_size=2, unique=True).map(lambda pair: (pair[0], pair[1]))
    return made_up(adapters, switches, disks, draw(st.lists(cable, max_size=12)), volumes=volumes)


@given(wirings())
def test_no_two_boxes_and_no_two_hosts_overlap(graph: nx.Graph) -> None:
    plan = layout(graph)
    assert set(plan.places) == set(graph.nodes)
    columns: dict[float, list[float]] = {}
    for column, row in plan.places.values():
        assert 0 <= column < plan.columns
        assert 0 <= row <= plan.rows - 1 + 1e-9
        columns.setdefault(column, []).append(row)
    for rows in columns.values():
        rows.sort()
        assert all(low - high >= 1 - 1e-9 for high, low in zip(rows, rows[1:], strict=False))
    for host, inside in plan.hosts.items():
        places = [plan.places[name] for name in inside]
        left, right = min(x for x, _ in places), max(x for x, _ in places)
        top, bottom = min(y for _, y in places), max(y for _, y in places)
        for name, (x, y) in plan.places.items():
            within = left <= x <= right and top - 1 < y < bottom + 1
            assert within == (name in inside), f"{name} and {host}"


@given(wirings())
def test_the_disks_of_a_volume_stand_together(graph: nx.Graph) -> None:
    plan = layout(graph)
    for volume, inside in plan.volumes.items():
        assert set(inside) == {
            n for n, c in graph.nodes(data="category") if c == "disk" and volume in volumes_around(graph, n)
        }
        for column in {plan.places[name][0] for name in inside}:
            rows = [plan.places[name][1] for name in inside if plan.places[name][0] == column]
            for name, place in plan.places.items():
                if name in inside or place[0] != column or _in_an_outer_one(graph, volume, name):
                    continue
                # A row beside a frame is free for its label.
                assert not min(rows) - 2 + 1e-9 < place[1] < max(rows) + 1


def _in_an_outer_one(graph: nx.Graph, volume: str, name: str) -> bool:
    """True if a disk just beside a volume's frame is in the same volumes but for that one."""
    return bool(set(volumes_around(graph, name)) & {*volumes_around(graph, volume), volume})


def test_disks_on_a_bus_stand_across_from_the_host() -> None:
    plan = layout(wire(on_a_bus()))
    columns = [plan.places[name][0] for name in ("server.fc", "bus", "d1")]
    assert columns == sorted(set(columns))
    assert len({plan.places[name][0] for name in ("d1", "d2", "d3")}) == 1
    assert plan.places["bus"][1] == plan.places["server.fc"][1] == plan.places["d2"][1]
