"""Statistics of errors, tolerances, groups and anomalies, by hand."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from study_samples import SIZES, WHOLE, library, row, summary_of

from simio.description.measured import Tolerance
from simio.errors import ScenarioError
from simio.report.validation import judged, limits_text, statistics
from simio.studies import Simulated, rows
from simio.studies.summary import errors, summaries, verdicts

BARS = Tolerance(Fraction(8, 100), Fraction(20, 100))


def test_statistics_are_of_absolute_errors_and_the_worst_keeps_its_sign() -> None:
    many = [row(each / 100, str(number)) for number, each in enumerate((1, -2, 3, -4, 5, 6, 7, -8, 9, -30))]
    found = errors([*many, row(None)])
    assert found is not None
    assert found.rows == 10
    assert found.median == pytest.approx(0.055)
    assert found.ninety == pytest.approx(0.09)
    assert found.worst.error == pytest.approx(-0.3)
    assert errors([row(None)]) is None


def test_the_ninetieth_percentile_of_few_rows_is_the_worst() -> None:
    found = errors([row(0.01), row(-0.05)])
    assert found is not None
    assert found.ninety == pytest.approx(0.05)


def test_a_table_is_inside_up_to_its_bars(tmp_path: Path) -> None:
    shelf = library(tmp_path)
    (inside,) = verdicts([summary_of([row(0.08), row(-0.2, "2"), row(0.01, "3")], BARS)], shelf)
    assert inside.inside
    assert inside.judged
    (outside,) = verdicts([summary_of([row(0.09), row(-0.21, "2"), row(0.01, "3")], BARS)], shelf)
    assert outside.reasons == ("median 9% above 8%", "worst 21% above 20%")
    assert verdicts([summary_of([row(0.5)])], shelf) == []


def test_anomalies_count_in_all_but_the_bar_for_the_worst(tmp_path: Path) -> None:
    three = [row(0.5, anomaly="a cold cache"), row(0.1, "2"), row(0.04, "3")]
    found = errors(three)
    assert found is not None
    assert (found.rows, found.median) == (3, pytest.approx(0.1))
    assert found.worst.error == pytest.approx(0.5)
    (verdict,) = verdicts([summary_of(three, BARS)], library(tmp_path))
    assert verdict.reasons == ("median 10% above 8%",)


def test_known_misses_count_in_all_but_the_bar_for_the_worst_until_they_are_met(tmp_path: Path) -> None:
    three = [row(0.5, missed="unknown"), row(0.1, "2"), row(0.04, "3")]
    shelf = library(tmp_path)
    (verdict,) = verdicts([summary_of(three, BARS)], shelf)
    assert verdict.reasons == ("median 10% above 8%",)
    met = [row(0.2, missed="unknown"), row(0.01, "2"), row(0.04, "3")]
    (verdict,) = verdicts([summary_of(met, BARS)], shelf)
    assert verdict.reasons == ("no longer missed: workload.blast.size = 1 KiB: throughput",)


def test_a_group_is_judged_together_and_only_when_all_of_it_is_there(tmp_path: Path) -> None:
    grouped = "tolerance: {median: 8%, worst: 20%, group: house}"
    plain = "tolerance: {median: 8%, worst: 20%}"
    shelf = library(tmp_path, sizes=SIZES.replace(plain, grouped), whole=WHOLE.replace("rows:", f"{grouped}\nrows:"))
    bars = Tolerance(BARS.median, BARS.worst, "house")
    far, near = summary_of([row(0.15)], bars), summary_of([row(0.01), row(0.02)], bars, "whole")
    (whole,) = verdicts([far, near], shelf)
    assert (whole.name, whole.tables, whole.judged, whole.reasons) == (
        "house", ("house/sizes", "house/whole"), True, (),
    )  # fmt: skip
    (part,) = verdicts([far], shelf)
    assert (part.judged, part.reasons) == (False, ())


SHARES = """
title: CPU by size
source: a notebook
quantity: cpu
unit: "%"
scenario: packets
errors: points
tolerance: {median: 5%, worst: 10%}
rows:
  - {where: {workload.blast.size: 4 KiB}, of: a, value: 8}
  - {where: {workload.blast.size: 1 MiB}, of: a, value: 40}
"""


def test_shares_may_be_compared_in_percentage_points(tmp_path: Path) -> None:
    shelf = library(tmp_path, sizes=SHARES)
    near, far = rows(["house/sizes"], shelf)
    (table,) = summaries([near, far], [Simulated(near, 10.0), Simulated(far, 52.0)], shelf)
    assert [each.error for each in table.rows] == pytest.approx([0.02, 0.12])
    (verdict,) = verdicts([table], shelf)
    assert verdict.reasons == ("median 7 points above 5 points", "worst 12 points above 10 points")
    assert [judged(each).plain for each in table.rows] == ["+2.0 points", "+12.0 points"]
    assert statistics(table.errors, 0, points=True)[2] == "7.0 points"
    assert limits_text(table) == "5 points, 10 points"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("errors: relativ", "errors: found 'relativ'; expected 'points'; without this key, errors are relative"),
        ("errors: points", "rows[0].quantity: found 'throughput'; expected a quantity in %; other quantities belong"),
    ],
)
def test_another_way_to_compare_or_another_quantity_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        rows(["house/sizes"], library(tmp_path, sizes=SIZES.replace("rows:", f"{text}\nrows:")))
