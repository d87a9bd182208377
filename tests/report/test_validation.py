"""A validation as a page, as SVG and as XML: what is drawn, and that no text breaks out."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_samples import row, summary_of

from simio.report.svg import Scale
from simio.report.validation import labels, show
from simio.report.validation_data import junit_xml, validation_json
from simio.report.validation_page import _breakable, page
from simio.report.validation_plots import curves_of, number_of, scattered
from simio.report.validation_svg import scatter_svg, table_svg
from simio.studies.validation import Validation

EVIL = "</script><b>&'\"\x07"
ROWS = [row(0.02, "1"), row(-0.3, "64", note=EVIL), row(None, "256")]


def found(**more: object) -> Validation:
    return replace(Validation((summary_of(ROWS),), (), "compiled", "1.0"), **more)


def figures(text: str) -> dict[str, dict]:
    told = re.search(r"const FIGURES=(\{.*?\});\n", text)
    assert told is not None
    return json.loads(told[1])


def test_numbers_are_what_has_a_size_and_no_more() -> None:
    assert number_of("64 KiB") == (65536, "size")
    assert number_of("4") == (4, None)
    assert number_of("links/fddi") is None
    assert number_of("true") is None


def test_curves_are_over_the_size_with_held_points_predicted() -> None:
    curves = curves_of(summary_of(ROWS))
    assert curves is not None
    assert (curves.axis, curves.unit, curves.logarithmic) == ("size", "MB/s", True)
    (curve,) = curves.curves
    assert [(point.text, point.simulated, point.low) for point in curve.points] == [
        ("1 KiB", pytest.approx(102), 100), ("64 KiB", pytest.approx(70), 100), ("256 KiB", 100, None),
    ]  # fmt: skip
    assert curves_of(summary_of(ROWS[:2])) is None


def test_rates_are_scattered_in_mb_and_held_rows_are_not() -> None:
    ((study, points),) = scattered([summary_of(ROWS)])
    assert (study, [(a, b) for a, b, _ in points]) == (
        "house",
        [(100, pytest.approx(102)), (100, pytest.approx(70))],
    )
    kib = replace(ROWS[0], row=replace(ROWS[0].row, of=replace(ROWS[0].row.of, unit="KiB/s")))
    assert scattered([summary_of([kib])])[0][1][0][0] == pytest.approx(0.1024)


def test_a_study_without_rates_has_no_empty_plot_of_them() -> None:
    times = [replace(each, row=replace(each.row, of=replace(each.row.of, unit="us"))) for each in ROWS]
    assert "scatter" not in figures(page(found(tables=(summary_of(times),))))


def test_the_page_has_plots_and_needs_nothing_from_elsewhere() -> None:
    text = page(found())
    drawn = figures(text)
    assert set(drawn) == {"scatter", "t0-curve"}
    assert drawn["t0-curve"]["data"][0]["y"] == pytest.approx([102, 70, 100])
    assert drawn["t0-curve"]["data"][1]["y"] == [100, 100]
    assert set(figures(page(found(tables=(summary_of([*ROWS, row(0.1, "2")]),))))) == {
        "scatter",
        "t0-curve",
        "t0-errors",
    }
    own = re.sub(r"(?s)<script>.*?</script>", "", text, count=1)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own)
    assert "showSendToCloud:false" in text
    assert "prefers-color-scheme: dark" in text
    assert "width=device-width" in text


def test_the_page_has_contents_whose_links_lead_to_each_table() -> None:
    text = page(found())
    contents = text[text.index('<nav class="contents"') : text.index("</nav>")]
    links = re.findall(r'href="#(\w+)"', contents)
    assert links == ["t0"]
    assert all(f'<h2 id="{link}">' in text for link in links)
    assert text.count('href="#contents"') == len(links)


def test_each_plot_of_the_page_says_its_main_number() -> None:
    text = page(found(tables=(summary_of([*ROWS, row(0.1, "2")]),)))
    names = re.findall(r'<div id="([\w-]+)" class="plot"[^>]* role="img" aria-label="[^"]+"', text)
    assert sorted(names) == ["scatter", "t0-curve", "t0-errors"]
    for name in names:
        told = re.search(rf'<figcaption id="{name}-about" class="fine">([^<]+)<', text)
        assert told
        assert f'aria-describedby="{name}-about"' in text
    assert "largest error of 3 measured rows: -30.0%" in text


def test_long_key_paths_may_go_on_in_the_next_line_and_notes_have_room() -> None:
    assert _breakable("hosts.a.adapters.net.model") == "hosts.<wbr>a.<wbr>adapters.<wbr>net.<wbr>model"
    assert _breakable("a < 1.5 & b") == "a &lt; 1.<wbr>5 &amp; b"
    text = page(found())
    assert '<table class="rows">' in text
    assert ".rows td:last-child" in text
    assert text.count("<table") == text.count('<div class="wide" tabindex="0"><table')


def test_texts_stay_texts() -> None:
    text = page(found())
    own = text[: text.index("<script>")]
    assert "<b>" not in own
    assert EVIL not in text
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in own
    assert "By &lt;size&gt;" in own
    told = ElementTree.fromstring(junit_xml(found(verdicts=())))
    assert len(told.findall(".//testcase")) == 3
    ElementTree.fromstring(scatter_svg(found().tables))
    assert json.loads(validation_json(found()))["tables"][0]["values"][1]["note"] == EVIL


def test_a_missed_row_is_red_in_the_list_and_on_the_terminal() -> None:
    root = ElementTree.fromstring(table_svg(summary_of(ROWS)))
    red = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text") if each.get("class") == "red"]
    assert red == ["64 KiB", "-30.0%"]
    console = Console(width=120, record=True, force_terminal=True)
    with console.capture() as capture:
        show(console, found(), ["house/sizes"])
    (line,) = [line for line in capture.get().splitlines() if "64 KiB" in line]
    assert "\x1b[31m" in line


def test_labels_leave_out_what_all_rows_share() -> None:
    shared = [replace(each, row=replace(each.row, settings=(*each.row.settings, ("run.seed", "1")))) for each in ROWS]
    assert labels(shared) == [("size", ("1 KiB", "64 KiB", "256 KiB"))]
    assert labels(ROWS[:1]) == [("quantity", ("throughput",))]


def test_scales_have_round_ticks_and_keep_to_their_ends() -> None:
    plain = Scale(0, 92, 0, 100)
    assert plain.ticks() == [0, 20, 40, 60, 80]
    assert (plain.place(46), plain.place(1000), plain.place(-5)) == (50, 100, 0)
    steep = Scale(0.2, 150, 300, 0, logarithmic=True)
    assert steep.ticks() == [1, 10, 100]
    assert steep.place(0.2) == 300
    assert Scale(3, 7, 0, 1, logarithmic=True).ticks() == [3, 4, 5, 6, 7]
