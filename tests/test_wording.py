"""Numbers in words."""

from __future__ import annotations

import pytest

from simio.wording import figure


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (330.4, 2, "330"),
        (33_123.0, 2, "33000"),
        (0.684, 2, "0.68"),
        (2e8, 2, "2e+08"),
        (0.0, 2, "0"),
        (56392.4, 4, "56392"),
    ],
)
def test_a_figure_has_no_exponent_where_it_is_short(value: float, digits: int, text: str) -> None:
    assert figure(value, digits) == text
