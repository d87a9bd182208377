"""The path of a unit of work as a picture: areas are times, whatever the number of stretches."""

from __future__ import annotations

from typing import Any

import pytest

from simio.explaining.model import Segment, Waterfall
from simio.report.html.waterfall import CELLS, waterfall


def path(*segments: Segment) -> Waterfall:
    return Waterfall(1, "block", 1, 1.0, "t", (), segments)


def areas(figure: dict[str, Any]) -> dict[tuple[int, str], float]:
    """The area of each row and kind, as a share of all."""
    found: dict[tuple[int, str], float] = {}
    for each in figure["data"]:
        for y, height, length in zip(each["y"], each["width"], each["x"], strict=True):
            key = (round(y), each["name"])
            found[key] = found.get(key, 0.0) + height * length
    whole = sum(found.values())
    return {key: area / whole for key, area in found.items()}


def test_a_place_of_many_short_turns_takes_its_share_of_the_picture() -> None:
    # 5,000 turns of 6 us on a bus between waits of 94 us: drawn one by one, they would be a solid bar.
    segments = []
    for turn in range(5000):
        begin = turn * 100_000_000
        segments.append(Segment("port", "wait", "waiting", begin, begin + 94_000_000))
        segments.append(Segment("bus", "DMA", "service", begin + 94_000_000, begin + 100_000_000))
    figure = waterfall(path(*segments))
    assert areas(figure) == {
        (0, "waiting"): pytest.approx(0.94, rel=1e-3),
        (1, "service"): pytest.approx(0.06, rel=1e-3),
    }
    assert all(len(each["x"]) <= CELLS for each in figure["data"])
    (bus,) = [each for each in figure["data"] if each["name"] == "service"]
    assert max(bus["width"]) < 0.1
    assert figure["layout"]["yaxis"]["ticktext"] == ["port 94.0%", "bus 6.0%"]


def test_few_stretches_are_drawn_where_they_are() -> None:
    figure = waterfall(path(
        Segment("a", "work", "service", 0, 3_000_000), Segment("a", "wait", "waiting", 3_000_000, 4_000_000),
        Segment("b", "way", "delay", 4_000_000, 10_000_000),
    ))  # fmt: skip
    bars = {each["name"]: (each["base"], each["x"]) for each in figure["data"]}
    assert bars == {"service": ([0.0], [3.0]), "waiting": ([3.0], [1.0]), "delay": ([4.0], [6.0])}
    assert len({height for each in figure["data"] for height in each["width"]}) == 1


def test_kinds_of_one_place_stand_on_one_another() -> None:
    segments = []
    for turn in range(2 * CELLS):
        begin = turn * 10_000
        segments.append(Segment("a", "work", "service", begin, begin + 5_000))
        segments.append(Segment("a", "wait", "waiting", begin + 5_000, begin + 10_000))
    service, waiting = waterfall(path(*segments))["data"]
    for low, high, *heights in zip(service["y"], waiting["y"], service["width"], waiting["width"], strict=True):
        assert low - high == pytest.approx(sum(heights) / 2, abs=1e-3)
