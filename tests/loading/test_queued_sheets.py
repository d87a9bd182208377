"""Datasheets of adapters with several queues: what they refuse."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from simio.description.sheets import sheet_kinds

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
