"""The picture: what it shows, and that its page needs nothing from elsewhere."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from wiring_samples import HOSTILE, hostile, made_up, scenario_graph

from simio.errors import SimioError
from simio.report.wiring.picture import figure, page, write_html


def test_hovering_over_a_box_tells_the_model() -> None:
    graph = scenario_graph("sgi-hippi-raw")
    told = {text for trace in figure(graph).data for text in trace.hovertext or ()}
    assert told == {
        f"<b>{name}</b><br>{'CPU' if node['category'] == 'cpu' else node['category']}: {node['title']}"
        for name, node in graph.nodes(data=True)
    }


def test_all_names_are_on_the_picture() -> None:
    graph = scenario_graph("linux-fc-raw")
    texts = " ".join(note.text for note in figure(graph).layout.annotations)
    for word in (graph.graph["title"], "server", "fabric", "link2.d8", "d8", "2 x p3-xeon-733", "qla2300"):
        assert f">{word}<" in texts


def test_everything_lies_within_the_picture() -> None:
    for graph in (scenario_graph("linux-fc-raw"), made_up([4, 1, 3], 0, 30, [("h0.a1", "h1.a0")])):
        layout = figure(graph).layout
        for shape in layout.shapes:
            pairs = re.findall(r"(-?[\d.]+),(-?[\d.]+)", shape.path)
            assert all(0 <= float(x) <= layout.width and 0 <= float(y) <= layout.height for x, y in pairs)


def test_a_volume_is_a_frame_around_its_disks_with_its_name() -> None:
    picture = figure(made_up([1], 0, 4, [], volumes={"in": ["d0", "d2"], "out": ["in", "d1"]})).layout
    frames = {}
    for shape in picture.shapes:
        if shape.line.dash == "dash":
            points = [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", shape.path)]
            xs, ys = zip(*points, strict=True)
            frames[len(frames)] = (min(xs), min(ys), max(xs), max(ys))
    outer, inner = frames[0], frames[1]
    assert outer[0] < inner[0] < inner[2] < outer[2]
    assert outer[1] < inner[1] < inner[3] < outer[3]
    at = {note.text[3:5]: (note.x, note.y) for note in picture.annotations}
    for name, inside in (("d0", inner), ("d2", inner), ("d1", outer)):
        assert inside[0] < at[name][0] < inside[2]
        assert inside[1] < at[name][1] < inside[3]
    assert not inner[1] < at["d1"][1] < inner[3]
    assert not outer[1] < at["d3"][1] < outer[3]
    labels = [note for note in picture.annotations if note.text == "<b>out</b> stripe 64 KiB"]
    assert outer[1] < labels[0].y < inner[1]


def test_markup_in_names_stays_text() -> None:
    graph = hostile()
    for text in (*[note.text for note in figure(graph).layout.annotations], *figure(graph).data[1].hovertext):
        assert "<script" not in text
    found = re.search("<title>(.*?)</title>", page(graph), re.DOTALL)
    assert found
    assert html.unescape(found[1]) == HOSTILE
    assert "<" not in found[1]


def test_the_page_loads_nothing_and_sends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "wiring.html"
    graph = scenario_graph("sgi-hippi-raw")
    write_html(graph, path)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img|iframe)[^>]*\s(src|href)\s*=", text)
    assert '"showSendToCloud": false' in text
    assert '"displaylogo": false' in text
    assert text == page(graph)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(SimioError, match="cannot write"):
        write_html(hostile(), tmp_path / "none" / "wiring.html")
