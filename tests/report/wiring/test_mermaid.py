"""The Mermaid text: all nodes, all edges, and labels that cannot be taken for syntax."""

from __future__ import annotations

import re

import networkx as nx
import pytest
from wiring_samples import hostile, made_up, scenario_graph

from simio.report.wiring.mermaid import mermaid

LABEL = re.compile(r'^ *(n\d+)[\[({/]+"([^"]*)"[\])}/]+$')


@pytest.mark.parametrize("graph", [scenario_graph("sgi-hippi-raw"), scenario_graph("linux-fc-raw"), hostile()])
def test_every_node_and_every_edge_stand_once(graph: nx.Graph) -> None:
    lines = mermaid(graph).splitlines()
    assert lines[0] == "flowchart LR"
    names = list(graph.nodes)
    nodes = [match[1] for line in lines if (match := LABEL.match(line))]
    assert sorted(nodes) == sorted(f"n{number}" for number in range(len(names)))
    ends = [re.fullmatch(r"  n(\d+) --- n(\d+)", line) for line in lines]
    found = {frozenset((names[int(m[1])], names[int(m[2])])) for m in ends if m}
    assert found == {frozenset(edge) for edge in graph.edges}
    others = [line for line, end in zip(lines[1:], ends[1:], strict=True) if not end and not LABEL.match(line)]
    assert all(re.fullmatch(r'  (end|subgraph h\d+\["[^"]*"\])', line) for line in others)


def test_hosts_are_subgraphs_around_their_parts() -> None:
    text = mermaid(scenario_graph("sgi-hippi-raw"))
    onyx = text[text.index('subgraph h1["onyx"]') :].split("\n  end\n")[0]
    assert len(onyx.splitlines()) == 7
    assert "hippi<br/>adapters/iris-hippi" in onyx
    assert "link1" not in onyx


def test_edges_lead_from_left_to_right() -> None:
    text = mermaid(scenario_graph("sgi-hippi-raw"))
    names = dict(re.findall(r'(n\d+)[\[({/]+"([^<]*)<br/>', text))
    path = [(names[one], names[other]) for one, other in re.findall(r"(n\d+) --- (n\d+)", text)]
    assert ("hippi", "link1") in path
    assert ("link1", "hippi") in path
    assert ("hippi", "hio") in path


def test_labels_hold_no_syntax_of_mermaid() -> None:
    labels = list(filter(None, map(LABEL.match, mermaid(hostile()).splitlines())))
    assert len(labels) == 2
    for match in labels:
        assert not re.search(r'["<>&`\[\]{}|\n]', match[2].replace("<br/>", ""))
        assert re.fullmatch(r"([^#;]|#\d+;)*", match[2])


def test_equal_systems_give_equal_text() -> None:
    graph = scenario_graph("linux-fc-raw")
    other = nx.Graph(title="")
    other.add_nodes_from(graph.nodes(data=True))
    other.add_edges_from((two, one) for one, two in reversed(list(graph.edges)))
    assert mermaid(other) == mermaid(graph)


def test_volumes_are_subgraphs_around_their_disks() -> None:
    lines = mermaid(made_up([1], 0, 3, [], volumes={"in": ["d0", "d2"], "out": ["in", "d1"]})).splitlines()
    start = next(number for number, line in enumerate(lines) if "out" in line)
    shown = [re.sub(r"n\d+", "n", line.replace("<br/>disk/x", "")) for line in lines[start : start + 7]]
    assert shown == [
        '  subgraph v1["out<br/>stripe 64 KiB"]',
        '    subgraph v0["in<br/>stripe 64 KiB"]',
        '      n[("d0")]',
        '      n[("d2")]',
        "    end",
        '    n[("d1")]',
        "  end",
    ]
    assert sum("d0" in line for line in lines) == 1
