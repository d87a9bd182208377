"""Intervals of predictions: what makes them wide, what cuts them, and what they rest on."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from calibration_lab import TRUTH

from simio.calibration import predict
from simio.calibration.ensemble import Ensemble
from simio.calibration.modelerror import ModelError
from simio.calibration.predict import answered, between, scores_of
from simio.calibration.usage import Range, range_of, values_of
from simio.loading import load
from simio.report.data import as_json
from simio.report.terminal import unsourced_text
from simio.result.compare import comparisons
from simio.result.uncertainty import Dependence
from simio.running import run_scenario

ERROR = ModelError(0.2, 0.1, 0.02, 28, 4)


def answers(lab, sets=(), progress=None):
    scenario = load(lab.scenario, sets, parts=lab.parts, tables=lab.library.tables)
    return answered(scenario, run_scenario(scenario, sets), lab.parts, progress=progress, tables=lab.library.tables)


@pytest.fixture(scope="module")
def found(calibrated):
    return answers(calibrated[0])


@pytest.fixture(scope="module")
def result(found):
    return found.intervals(ERROR)


@pytest.mark.slow
class TestLaboratory:
    """A laboratory with two values that its table knows and one that it says nothing of."""

    def test_every_answer_and_row_has_an_interval_about_it(self, result):
        for case in result.cases:
            assert case.interval.low <= float(case.rate) <= case.interval.high
            assert case.interval.low < case.interval.high
            for row in comparisons(case):
                assert row.interval.low <= row.simulated <= row.interval.high

    def test_no_answer_is_above_its_bound_or_a_cpu_above_all_of_it(self, found):
        wild = found.intervals(ModelError(2.0, 2.0, 2.0, 28, 4))
        scores = scores_of(list(found.values.values()))
        for case in wild.cases:
            raised = float(np.max(found.responses[case.index].changes(scores)[:, 1], initial=0.0))
            assert case.interval.high <= float(case.bound) * math.exp(raised) * 1.000001
            for row in comparisons(case):
                if row.row.quantity == "cpu":
                    assert row.interval.high <= 100.000001

    def test_an_interval_holds_one_of_a_lower_level(self, found):
        half, most = found.intervals(ERROR, 0.5), found.intervals(ERROR, 0.9)
        for narrow, wide in zip(half.cases, most.cases, strict=True):
            assert wide.interval.low <= narrow.interval.low <= narrow.interval.high <= wide.interval.high

    def test_a_larger_model_error_makes_it_wider(self, found, result):
        without = found.intervals(None)
        for narrow, wide in zip(without.cases, result.cases, strict=True):
            assert wide.interval.low < narrow.interval.low

    def test_it_is_the_same_each_time(self, calibrated, result):
        assert answers(calibrated[0]).intervals(ERROR).cases == result.cases

    def test_uneven_groups_are_answered_by_a_pool_and_the_last_here(self, calibrated, monkeypatch):
        monkeypatch.setattr(predict, "_processors", lambda: 2)
        monkeypatch.setattr(predict, "GROUP", 5)
        here, pooled = [], []
        monkeypatch.setattr(predict, "PARALLEL", 10**18)
        alone = answers(calibrated[0], progress=here.append).intervals(ERROR)
        monkeypatch.setattr(predict, "PARALLEL", 0)
        shared = answers(calibrated[0], progress=pooled.append).intervals(ERROR)
        assert shared.cases == alone.cases
        assert here == [1] * 12
        assert pooled == [5, 5, 1, 1]

    def test_the_json_document_has_them_and_what_they_rest_on(self, result):
        data = json.loads("".join(as_json(result)))
        assert data["uncertainty"]["runs"] > len(result.cases)
        assert data["uncertainty"]["rows"] == 12
        assert data["uncertainty"]["covered"] == sum(
            row["interval"][0] <= row["measured"] <= row["interval"][1]
            for case in data["cases"]
            for row in case["comparisons"]
        )

    def test_without_being_asked_for_there_are_none(self, calibrated):
        lab, _ = calibrated
        plain = run_scenario(load(lab.scenario, parts=lab.parts, tables=lab.library.tables), cases=[0])
        data = json.loads("".join(as_json(plain)))
        assert "uncertainty" not in data
        assert "interval" not in data["cases"][0]
        assert "interval" not in data["cases"][0]["comparisons"][0]

    def test_scores_are_standard_and_the_same_each_time(self, calibrated):
        lab, _ = calibrated
        system = load(lab.scenario, parts=lab.parts, tables=lab.library.tables).cases[0].system
        uncertain = [each for value in values_of(system, lab.parts, lab.scenario.parent) if (each := range_of(value))]
        assert len(uncertain) > 10
        scores = scores_of(uncertain)
        for name, column in scores_of(uncertain).items():
            assert np.array_equal(column, scores[name])
            assert float(np.std(column)) == pytest.approx(0.96, abs=0.05)

    def test_fitted_values_have_their_interval_as_ninety_per_cent(self, calibrated):
        _, fit = calibrated
        value = next(each.value for each in fit.judged if each.value.key == "receive_dma")
        assert (value.part, value.key) in TRUTH
        within = Range(value, 0.8 * value.number, 1.3 * value.number, True)
        assert within.at(-1.6449) == pytest.approx(0.8 * value.number)
        assert within.at(1.6449) == pytest.approx(1.3 * value.number)
        assert within.at(0.0) == value.number


def test_quantiles_are_about_the_value_and_grow_with_the_level():
    logs = np.random.default_rng(3).normal(0.2, 0.1, 4000)
    levels = [between(logs, 10.0, level) for level in (0.1, 0.5, 0.9, 0.99)]
    assert all(each.low <= 10.0 <= each.high for each in levels)
    for narrow, wide in zip(levels, levels[1:], strict=False):
        assert wide.low <= narrow.low
        assert narrow.high < wide.high


def test_errors_of_the_model_have_two_sides_and_are_smaller_at_a_certain_bound():
    random = np.random.default_rng(1)
    free, full = (ERROR.draws(20_000, certain, random) for certain in (0.0, 0.99))
    assert -np.quantile(free, 0.05) > 1.5 * np.quantile(free, 0.95)
    assert np.quantile(np.abs(full), 0.9) < 0.25 * np.quantile(np.abs(free), 0.9)


def test_what_was_measured_beside_it_narrows_a_prediction():
    rng = np.random.default_rng(3)
    common = rng.normal(size=200)
    ensemble = Ensemble({"beside": 0.1 * common})
    target = 0.1 * common + 0.01 * rng.normal(size=200)
    alone = ensemble.variance(target, ["beside"], 0.01)
    assert alone == pytest.approx(float(np.mean(target**2)))
    # Of a prior of 0.1 and a noise of 0.01, 1 / (1/0.1^2 + 1/0.01^2) is left, and the target's own 0.01.
    left = 1 / (1 / 0.1**2 + 1 / 0.01**2) + 0.01**2
    assert math.sqrt(ensemble.variance(target, [], 0.01)) == pytest.approx(math.sqrt(left), rel=0.15)


def test_what_is_unrelated_does_not_narrow_it():
    rng = np.random.default_rng(4)
    ensemble = Ensemble({"apart": 0.1 * rng.normal(size=400)})
    target = 0.1 * rng.normal(size=400)
    assert ensemble.variance(target, [], 0.01) == pytest.approx(float(np.mean(target**2)), rel=0.05)


def test_the_value_without_a_source_that_matters_most_is_named():
    one = Dependence("kernels/k.interrupt", "25 us", "assumed", 1, ("16 us", "38 us"), (0.03, -0.12))
    assert unsourced_text([one]) == (
        "depends most on a value without a source: kernels/k.interrupt = 25 us (assumed), "
        "with 16 us +3%, with 38 us -12% (case 2)"
    )
    assert unsourced_text([one, replace(one, case=0)]).endswith("; 1 other by more than 5%")


def test_an_answer_that_depends_on_no_guess_says_so():
    assert unsourced_text([]) == "depends by more than 5% on no value without a source"
