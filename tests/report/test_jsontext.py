"""JSON in pieces against Python's own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from simio.report.jsontext import parts, plain
from simio.result.series import Series


@dataclass(frozen=True)
class Named:
    name: str
    values: object


VALUES: list[Any] = [
    None, True, 1, -0.1, 1e300, 'a "b"\n\u00e9', [], {}, (), [[]], [{}], {"a": []}, [1, 2.5, None, "x, y: z"],
    {"a": 1, "b": [1, [2]]},
    {"deep": {"er": {"list": [{"a": 1}, {"b": (1, 2)}, 3]}}, "end": False},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_it_is_the_text_of_json_dumps(value: object) -> None:
    assert "".join(parts(value)) == json.dumps(value, indent=1)
    assert plain(value) == value


def test_records_are_mappings_and_series_lists() -> None:
    record = Named("d1", {"lines": Series(np.array([0.25, 0.5])), "none": Series(np.array([]))})
    told = {"name": "d1", "values": {"lines": [0.25, 0.5], "none": []}}
    assert plain([record]) == [told]
    assert "".join(parts([record])) == json.dumps([told], indent=1)


def test_what_is_no_number_is_refused() -> None:
    for value in (
        float("nan"),
        [float("inf")],
        Series(np.array([1.0, float("nan")])),
        {"a": [[], float("nan")]},
    ):
        with pytest.raises(ValueError, match="not JSON compliant"):
            list(parts(value))
