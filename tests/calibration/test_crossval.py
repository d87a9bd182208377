"""Rows that are left out: which go together, and that the linear refit is near the one by search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from calibration_lab import STUDY

from simio.calibration.crossval import cross_validate, folds_of, refitted, stepped
from simio.calibration.groups import cross_validated, joined
from simio.calibration.model import run_of
from simio.errors import SimioError

pytestmark = pytest.mark.slow


def test_each_run_is_left_out_once(calibrated):
    _, fit = calibrated
    folds = folds_of(fit, "each")
    assert sorted(index for fold in folds for index in fold) == list(range(12))
    rows = fit.problem.model.rows
    assert all(len({run_of(rows[index]) for index in fold}) == 1 for fold in folds)


def test_rows_of_a_run_are_left_out_together(calibrated):
    _, fit = calibrated
    model = fit.problem.model
    rows = [*model.rows, *(replace(row, of=replace(row.of, quantity="stream")) for row in model.rows)]
    doubled = replace(fit, problem=replace(fit.problem, model=_Rows(rows)))
    assert all(sorted(fold) == [fold[0], fold[0] + 12] for fold in folds_of(doubled, "each"))
    assert len(folds_of(doubled, "5")) == 5


class _Rows:
    def __init__(self, rows):
        self.rows = rows


@pytest.mark.parametrize("how", ["1", "-2", "some", "2.5", ""])
def test_other_ways_are_refused(calibrated, how):
    with pytest.raises(SimioError, match="expected each, table, or a number"):
        folds_of(calibrated[1], how)


def test_nothing_is_left_without_the_only_table(calibrated):
    with pytest.raises(SimioError, match="nothing is left"):
        folds_of(calibrated[1], "table")


def test_the_linear_refit_is_near_the_one_by_search(calibrated):
    _, fit = calibrated
    fold = folds_of(fit, "3")[0]
    by_steps, by_search = stepped(fit, fold), refitted(fit, fold)
    names = [value.key for value in fit.problem.values]
    known = [names.index("receive_dma"), names.index("receive_cost")]
    assert np.all(np.abs(by_steps - by_search)[known] < fit.determination.half[known])
    errors = [np.abs(fit.problem.model.residuals(point, fold)).mean() for point in (by_steps, by_search)]
    assert errors[0] == pytest.approx(errors[1], abs=0.01)


def test_what_is_left_out_is_predicted_a_little_worse(calibrated):
    _, fit = calibrated
    found = cross_validate(fit, "each")
    assert found.folds == 12
    assert not np.array_equal(found.fitted, found.left_out)
    assert np.sum(found.left_out**2) > np.sum(found.fitted**2)
    fitted, left_out = found.medians
    assert left_out <= 1.5 * fitted


def test_a_row_decides_nothing_about_its_own_prediction(calibrated):
    lab, fit = calibrated
    before = cross_validate(fit, "each").left_out
    wild = replace(fit, residuals=fit.residuals + np.eye(12)[4])
    assert stepped(wild, [4]) == pytest.approx(stepped(fit, [4]))
    assert not np.allclose(stepped(wild, [3]), stepped(fit, [3]), atol=1e-4)
    assert before[4] == pytest.approx(fit.problem.model.residuals(stepped(wild, [4]), [4])[0])


def test_studies_that_share_values_are_fitted_together():
    assert joined([["b", "a"], ["c"], ["c", "d"], ["b", "e"]]) == [("a", "b", "e"), ("c", "d")]
    assert joined([[STUDY]]) == [(STUDY,)]


def test_the_raw_table_is_predicted_about_as_well_as_it_is_fitted():
    (group,) = cross_validated(["sgi-hippi/table-1"], "each")
    assert group.why == ""
    assert (len(group.found.rows), len(group.values), group.found.folds) == (29, 4, 29)
    fitted, left_out = group.found.medians
    assert left_out <= 1.5 * fitted
    assert left_out <= 0.04
