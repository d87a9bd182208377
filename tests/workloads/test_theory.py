"""Open loads and users who think against queueing theory, and the table of that in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from theory import HEAD, TABLES, crommelin, mean_value_analysis

PAGE = Path(__file__).parents[2] / "docs" / "load.md"


@pytest.mark.parametrize("name", TABLES)
def test_errors_are_small_and_those_of_the_documentation(name: str) -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for row in TABLES[name]():
        assert abs(row.error) < row.most, row.markdown
        assert row.markdown in lines


def test_the_documentation_has_no_other_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index(HEAD) + len(HEAD) :].split("\n\n")[0]
    assert len(table.strip().splitlines()) == 21


def test_formulas_have_the_limits_that_are_known() -> None:
    # Of what arrives a share 1 - load finds nobody.
    assert crommelin(0.8, 8.0, 0.2) == pytest.approx(0, abs=1e-6)
    # One user waits for nobody; with many, the slowest station serves all the time.
    assert mean_value_analysis(1, 65, (10, 25)) == pytest.approx((10, 35))
    assert mean_value_analysis(500, 100, (10, 25))[0] == pytest.approx(40)
