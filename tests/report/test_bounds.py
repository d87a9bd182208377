"""A bound on the terminal."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

import pytest
from rich.text import Text

from simio.limits import Bound, Cap
from simio.report import bounds


@pytest.mark.parametrize(("more", "told"), [(0, ""), (1, " and 1 other"), (2, " and 2 others")])
def test_parts_that_are_left_out_are_counted(more: int, told: str) -> None:
    parts = ("one", "two", "three", "four", "five", "six", "seven", "eight")[: bounds.SHOWN + more]
    cap = Cap(Fraction(10**6), "cpu", "resource")
    found = SimpleNamespace(tightest=cap, caps=lambda _: [cap], left_out=parts)
    last = bounds.lines(cast(Bound, found), "this", "MB/s")[-1]
    assert isinstance(last, Text)
    assert last.plain == f"  left out, as the run decides what they do: one, two, three, four, five, six{told}"
