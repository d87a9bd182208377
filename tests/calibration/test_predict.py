"""Intervals of predictions: what makes them wide, and that none knows the measurement that it is judged by."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from calibration_lab import TRUTH

from simio.calibration.ensemble import Ensemble
from simio.calibration.predict import draws, with_intervals
from simio.calibration.usage import Range, range_of, values_of
from simio.loading import load
from simio.report.data import as_json
from simio.result.compare import comparisons
from simio.running import run_scenario

pytestmark = pytest.mark.slow

SAMPLES = 8


def told(lab, sets=()):
    scenario = load(lab.scenario, sets, parts=lab.parts, tables=lab.library.tables)
    result = run_scenario(scenario, sets)
    return with_intervals(scenario, result, lab.parts, samples=SAMPLES, tables=lab.library.tables)


@pytest.fixture(scope="module")
def result(calibrated):
    return told(calibrated[0])


def intervals(result):
    return [row.interval for case in result.cases for row in comparisons(case)]


def test_every_answer_and_row_has_an_interval_about_it(result):
    for case in result.cases:
        assert case.interval.low < float(case.rate) < case.interval.high
    for case in result.cases:
        for row in comparisons(case):
            assert row.interval.low < row.simulated < row.interval.high


def test_no_interval_depends_on_the_row_that_it_is_judged_by(lab):
    answers = [1.02 * value for value in lab.answer({})]
    lab.measure(answers)
    before = intervals(told(lab))
    answers[3] *= 3
    lab.measure(answers)
    after = intervals(told(lab))
    same = [a == b for a, b in zip(before, after, strict=True)]
    assert same.count(True) == 1
    others = [(a, b) for a, b, kept in zip(before, after, same, strict=True) if not kept]
    assert all(b.high / b.low > a.high / a.low for a, b in others)


def test_the_json_document_has_them_and_what_they_rest_on(result):
    data = json.loads("".join(as_json(result)))
    assert data["uncertainty"]["samples"] == SAMPLES
    assert data["uncertainty"]["rows"] == 12
    assert data["uncertainty"]["covered"] == sum(
        row["interval"][0] <= row["measured"] <= row["interval"][1]
        for case in data["cases"]
        for row in case["comparisons"]
    )


def test_without_being_asked_for_there_are_none(calibrated):
    lab, _ = calibrated
    plain = run_scenario(load(lab.scenario, parts=lab.parts, tables=lab.library.tables), cases=[0])
    data = json.loads("".join(as_json(plain)))
    assert "uncertainty" not in data
    assert "interval" not in data["cases"][0]
    assert "interval" not in data["cases"][0]["comparisons"][0]


def test_draws_are_the_same_each_time_and_keep_to_their_ranges(calibrated):
    lab, _ = calibrated
    system = load(lab.scenario, parts=lab.parts, tables=lab.library.tables).cases[0].system
    uncertain = [each for value in values_of(system, lab.parts, lab.scenario.parent) if (each := range_of(value))]
    assert len(uncertain) > 10
    found = draws(uncertain, 40)
    assert found == draws(uncertain, 40)
    for each in uncertain:
        column = [draw[each.value.name] for draw in found]
        assert len(set(column)) == 40
        if each.value.basis != "fitted":
            assert each.low <= min(column)
            assert max(column) <= each.high


def test_fitted_values_have_their_interval_as_ninety_per_cent(calibrated):
    _, fit = calibrated
    value = next(each.value for each in fit.judged if each.value.key == "receive_dma")
    assert (value.part, value.key) in TRUTH
    drawn = [draw[value.name] for draw in draws([Range(value, 0.8 * value.number, 1.3 * value.number, True)], 400)]
    inside = sum(0.8 * value.number <= number <= 1.3 * value.number for number in drawn)
    assert inside == pytest.approx(360, abs=4)


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
