"""The picture of a result: throughput over what varies, bars where that has no size, utilisation of one case."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simio.loading import load
from simio.report.bars import MOST, NamedBar, bars, picture_of
from simio.result.model import ScenarioResult
from simio.running import run_scenario

HIPPI = Path(__file__).resolve().parents[2] / "scenarios" / "sgi-hippi-raw.yaml"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result() -> ScenarioResult:
    whole = run_scenario(load(HIPPI), cases=[0, 1, 2])
    return replace(whole, title="Rates <of> \x1b and \u202e HIPPI")


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def lengths(picture: str) -> list[float]:
    rects = ElementTree.fromstring(picture).iter(f"{SVG}rect")
    return [float(each.get("width", 0)) for each in rects if each.get("class") == "f0"]


def test_several_cases_are_a_line_over_what_varies(result: ScenarioResult) -> None:
    picture = picture_of(result)
    assert not lengths(picture)
    assert "<polyline" in picture
    assert "workload.blast.size" in texts(picture)
    assert any("measured" in text for text in texts(picture))


def test_cases_that_differ_in_a_word_are_bars_as_long_as_their_rates(result: ScenarioResult) -> None:
    words = ("one", "two", "three")
    cases = tuple(replace(case, settings={"a.b": word}) for case, word in zip(result.cases, words, strict=True))
    picture = picture_of(replace(result, cases=cases))
    assert {"1: b one", "2: b two", "3: b three"} <= set(texts(picture))
    rates = [float(case.rate) for case in cases]
    drawn = lengths(picture)
    assert [width / drawn[0] for width in drawn] == pytest.approx([rate / rates[0] for rate in rates], rel=0.01)


def test_one_case_is_the_utilisation_of_what_was_used_the_busiest_first(result: ScenarioResult) -> None:
    picture = picture_of(replace(result, cases=result.cases[:1]))
    drawn = lengths(picture)
    assert drawn == sorted(drawn, reverse=True)
    busiest = max(use.utilisation for use in result.cases[0].resources if use.seizes)
    assert f"{busiest:.1%}" in texts(picture)


def test_where_nothing_is_delivered_or_used_there_is_still_a_picture_or_none(result: ScenarioResult) -> None:
    idle = tuple(replace(case, rate=type(case.rate)(0), resources=()) for case in result.cases)
    assert lengths(picture_of(replace(result, cases=idle))) == [0, 0, 0]
    assert picture_of(replace(result, cases=idle[:1])) == ""
    assert picture_of(replace(result, cases=())) == ""


def test_of_many_bars_the_first_are_drawn_and_the_others_counted() -> None:
    picture = bars("t", [NamedBar(str(number), number, str(number)) for number in range(MOST + 3)], "MB/s")
    assert len(lengths(picture)) == MOST
    assert "and 3 more" in texts(picture)


def test_text_is_shown_as_it_is(result: ScenarioResult) -> None:
    for cases in (result.cases, result.cases[:1]):
        assert "Rates <of> \\x1b and U+202E HIPPI" in texts(picture_of(replace(result, cases=cases)))
