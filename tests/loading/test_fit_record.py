"""Records of a fit in a datasheet are read with all their problems; rows say whether they are for fitting."""

from __future__ import annotations

import pytest

from simio.errors import ScenarioError
from simio.loading.datasheet import read_datasheet
from simio.loading.tables import read_table
from simio.loading.yamltree import parse_yaml

SHEET = """\
kind: cpu
title: A processor
values:
  clock:
    value: 2 GHz
    basis: fitted
    source: study/table
    interval: [1 GHz, 3 GHz]
    bounds: [1 GHz, 4 GHz]
    fit: {fit}
  cache: {{value: 512 KiB, basis: assumed, source: none}}
"""
TABLE = """\
title: T
source: s
quantity: throughput
unit: MB/s
rows:
  - {{where: {{a.b: 1}}, value: 2, fit: {fit}}}
"""


def read(fit, folder):
    return read_datasheet(parse_yaml(SHEET.format(fit=fit), "cpu.yaml"), "cpus/cpu", "cpu", folder / "cpu.yaml")


def test_a_record_is_read(tmp_path):
    text = "{rows: 9, values: 2, residual: 4.1 %, studies: [a/b, a/c], correlation: {x/y.z: -0.4}}"
    record = read(text, tmp_path).values["clock"].fit
    assert (record.rows, record.values, record.residual) == (9, 2, pytest.approx(0.041))
    assert record.studies == ("a/b", "a/c")
    assert record.correlation == {"x/y.z": -0.4}
    assert read("{rows: 9, values: 2, residual: 4%}", tmp_path).values["cache"].fit is None


def test_all_that_is_wrong_with_a_record_is_told(tmp_path):
    with pytest.raises(ScenarioError) as error:
        read("{rows: 0, residual: much, correlation: {x/y.z: 2}, size: 3}", tmp_path)
    told = str(error.value)
    assert len(error.value.problems) == 5
    assert "values.clock.fit.rows: found 0; expected at least 1" in told
    assert "values.clock.fit.values: found nothing" in told
    assert "values.clock.fit.residual: found 'much'; expected a share such as '1 %'" in told
    assert "found 2; expected a number from -1 to 1" in told
    assert "found the unknown key 'size'" in told


@pytest.mark.parametrize(("fit", "wanted"), [("true", True), ("false", False)])
def test_a_row_says_whether_it_is_for_fitting(tmp_path, fit, wanted):
    (tmp_path / "t.yaml").write_text(TABLE.format(fit=fit))
    (row,) = read_table(tmp_path / "t.yaml", "s/t").rows
    assert row.row.fit is wanted


def test_anything_else_of_a_row_is_refused(tmp_path):
    (tmp_path / "t.yaml").write_text(TABLE.format(fit="never"))
    with pytest.raises(ScenarioError, match=r"rows\[0\]\.fit: found 'never'; expected true or false"):
        read_table(tmp_path / "t.yaml", "s/t")
