"""The picture: what it shows, that it scales, and that its page needs nothing from elsewhere."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

import networkx as nx
import pytest
from wiring_samples import HOSTILE, hostile, made_up, scenario_graph

from simio.errors import SimioError
from simio.report.wiring.inline import topology
from simio.report.wiring.picture import image, page

SPACE = "{http://www.w3.org/2000/svg}"


def drawn(graph: nx.Graph) -> ElementTree.Element:
    return ElementTree.fromstring(topology(graph))


def hints(root: ElementTree.Element) -> list[str]:
    return [group.findtext(f"{SPACE}title") or "" for group in root.iter(f"{SPACE}g")]


def rectangles(root: ElementTree.Element, kind: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each rectangle of a class."""
    found = []
    for each in root.iter(f"{SPACE}rect"):
        if each.get("class") == kind:
            x, y, width, height = (float(each.get(key, "")) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


def test_each_box_says_its_model() -> None:
    graph = scenario_graph("slac-64k-windows")
    told = set(hints(drawn(graph)))
    assert {f"{name}: {node['title']}" for name, node in graph.nodes(data=True)} <= told


def test_all_names_are_on_the_picture() -> None:
    graph = scenario_graph("linux-fc-raw")
    texts = {text.text for text in drawn(graph).iter(f"{SPACE}text")}
    assert {"server", "fabric", "link2.d1 and 7 alike", "d1 and 7 alike", "2 x p3-xeon-733", "qla2300"} <= texts
    assert f"<h1>{graph.graph['title']}</h1>" in page(graph)


def test_unused_adapters_are_named_and_not_drawn() -> None:
    root = drawn(scenario_graph("sgi-hippi-raw"))
    texts = [text.text for text in root.iter(f"{SPACE}text")]
    assert texts.count("not drawn: scsi0, scsi1") == 2
    assert "scsi0" not in texts
    assert "joined to nothing: scsi0, scsi1" in hints(root)


def test_everything_lies_within_the_picture_which_scales() -> None:
    graphs = (scenario_graph("linux-fc-raw"), scenario_graph("server-conventional"),
              made_up([4, 1, 3], 0, 30, [("h0.a1", "h1.a0")]))  # fmt: skip
    for graph in graphs:
        root = drawn(graph)
        left, top, width, height = map(float, root.get("viewBox", "").split())
        for x1, y1, x2, y2 in (*rectangles(root, "part"), *rectangles(root, "host")):
            assert left <= x1 < x2 <= left + width
            assert top <= y1 < y2 <= top + height
        # As wide as its place, and no smaller than can be read: then its box scrolls.
        assert root.get("width") is None
        assert f"max-width:{width:g}px" in root.get("style", "")
        assert f"min-width:{width * 0.6:.0f}px" in root.get("style", "")


def test_eight_alike_clients_take_the_room_of_one() -> None:
    root = drawn(scenario_graph("server-conventional"))
    assert "c1 and 7 alike" in [text.text for text in root.iter(f"{SPACE}text")]
    assert float(root.get("viewBox", "").split()[3]) < 500


def test_a_volume_is_a_frame_around_its_disks_with_its_name() -> None:
    root = drawn(made_up([1], 0, 4, [], volumes={"in": ["d0", "d2"], "out": ["in", "d1"]}))
    outer, inner = rectangles(root, "volume")
    assert outer[0] < inner[0] < inner[2] < outer[2]
    assert outer[1] < inner[1] < inner[3] < outer[3]
    places = [(text.text, float(text.get("x", "")), float(text.get("y", ""))) for text in root.iter(f"{SPACE}text")]
    at = {text: (x, y) for text, x, y in places}
    for name, inside in (("d0 and 1 alike", inner), ("d1", outer)):
        assert inside[0] < at[name][0] < inside[2]
        assert inside[1] < at[name][1] < inside[3]
    assert not inner[1] < at["d1"][1] < inner[3]
    assert not outer[1] < at["d3"][1] < outer[3]
    assert outer[1] < at["out stripe 64 KiB"][1] < inner[1]


def test_markup_in_names_stays_text() -> None:
    graph = hostile()
    text = page(graph)
    assert "<script" not in text
    found = re.search("<title>(.*?)</title>", text, re.DOTALL)
    assert found
    assert html.unescape(found[1]) == HOSTILE
    assert any(HOSTILE.strip() in (each.text or "") for each in drawn(graph).iter(f"{SPACE}title"))


def test_the_page_is_small_loads_nothing_and_may_load_nothing() -> None:
    text = page(scenario_graph("sgi-hippi-raw"))
    assert not re.search(r"<(script|link|img|iframe)\b", text)
    assert "default-src 'none'" in text
    assert len(text) < 50_000


def test_a_picture_in_a_file_needs_nothing_else_and_has_a_title() -> None:
    graph = scenario_graph("server-conventional")
    text = image(graph, "wiring.svg")
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert graph.graph["title"] in root.get("aria-label", "")
    assert graph.graph["title"] in [text.text for text in root.iter(f"{SPACE}text")]
    assert float(root.get("width", "")) > float(root.get("height", "")) > 100
    assert "url(" not in str(text)


def test_a_form_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(SimioError, match=r"ends in \.svg, \.png or \.pdf"):
        image(hostile(), "wiring.gif")
