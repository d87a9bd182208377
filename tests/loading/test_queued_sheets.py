"""Datasheets of adapters with several queues: what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from simio.description.sheets import sheet_kinds
from simio.errors import ScenarioError
from simio.loading import load

GIVEN = {
    "queues": 8, "receive_ring": 512, "transmit_ring": 512, "receive_descriptor": "16 B",
    "transmit_descriptor": "64 B", "fetch": 16, "completion": "64 B", "buffer": "4 KiB",
    "receive_buffer": "256 KiB", "doorbell": "50 ns", "receive_cost": "30 ns", "transmit_cost": "15 ns",
}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "place", "expected"),
    [
        ({"coalesce_count": 32}, "coalesce_delay", "a time above zero, as packets share interrupts"),
        ({"session": 2}, "session", "3"),
        ({"fetch": 1024}, "fetch", "at most the receive ring, 512"),
        ({"queues": 1000}, "queues", "256"),
        ({"steering": "hash"}, "steering", "'rss' or 'flow'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_where_it_stands(
    values: dict[str, object], place: str, expected: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        sheet_kinds("adapter")["multiqueue-ethernet"].model_validate(GIVEN | values, context={"text": True})
    (error,) = raised.value.errors()
    assert expected in error["msg"]
    assert place in (*error["loc"], error.get("ctx", {}).get("field"))


FASTER = """
title: A link that is faster than a port
hosts: {a: {model: hosts/server-2023-2s}, b: {like: a}}
links: [{name: cable, model: links/ethernet-400g, between: [a.eth, b.eth]}]
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 1}}
"""


def test_a_link_that_is_faster_than_a_port_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(FASTER)
    with pytest.raises(ScenarioError) as raised:
        load(path)
    first, second = str(raised.value).splitlines()
    assert first.endswith(
        "links.cable.between: found a link of 400 Gbit/s (links/ethernet-400g) at 'a.eth'; expected at most the "
        "100 Gbit/s of adapters/connectx-5; for an adapter like it, but faster, set "
        "hosts.a.adapters.eth.speed to 400 Gbit/s"
    )
    assert "at 'b.eth'" in second


def test_a_port_has_the_speed_that_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(FASTER)
    assert load(path, ["hosts.a.adapters.eth.speed=400 Gbit/s"]).cases
    assert load(path, ["links.cable.rate=100 Gbit/s"]).cases
