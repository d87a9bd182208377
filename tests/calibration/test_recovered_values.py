"""Values that made a table are found again from it; those that it cannot know are named."""

from __future__ import annotations

import pytest
from calibration_lab import ADAPTER, STUDY, TRUTH

from simio import units
from simio.calibration.covariance import determination
from simio.calibration.fitting import axes_of, examine, judge, search_of
from simio.calibration.problem import prepare
from simio.calibration.record import changes, write
from simio.errors import SimioError
from simio.loading.catalogue import Catalogue


def judged(fit, key):
    return next(each for each in fit.judged if each.value.key == key)


@pytest.mark.parametrize(("key", "dimension"), [("receive_dma", "rate"), ("receive_cost", "time")])
def test_known_values_are_found_within_their_intervals(calibrated, key, dimension):
    _, fit = calibrated
    found = judged(fit, key)
    low, true, high = (units.parse(text, dimension) for text in (found.low, TRUTH[ADAPTER, key], found.high))
    assert low <= true <= high
    assert high / low < 1.25
    assert found.undetermined == ()
    assert found.text != found.was


def test_the_fit_leaves_the_noise_and_no_more(calibrated):
    _, fit = calibrated
    assert 0.015 <= fit.determination.scale <= 0.05
    before, after = fit.median
    assert after < 0.04 < before


def test_a_value_that_no_row_depends_on_is_named(calibrated):
    _, fit = calibrated
    assert judged(fit, "ip_packet_time").undetermined[0] == "no row changes with it"
    found = judged(fit, "ip_packet_time")
    assert (found.low, found.high) == ("1 us", "1000 us")


def test_a_case_is_not_run_again_for_a_value_that_it_has_not(calibrated, monkeypatch):
    _, fit = calibrated
    model, values = fit.problem.model, [value.key for value in fit.problem.values]
    model.residuals(fit.point)
    runs: list[None] = []
    monkeypatch.setattr(model, "progress", lambda: runs.append(None))
    point = fit.point.copy()
    point[values.index("ip_packet_time")] -= 0.5
    model.residuals(point)
    assert not runs
    point[values.index("receive_cost")] -= 0.5
    model.residuals(point)
    assert runs
    # The part is still the rows' own.
    assert len(model.users(fit.problem.values[values.index("ip_packet_time")])) == len(model.rows)


def test_values_that_only_act_together_are_named_together(calibrated):
    # As if the rows depended on the product of two values.
    _, fit = calibrated
    names = [each.value.key for each in fit.judged]
    one, other = names.index("receive_dma"), names.index("receive_cost")
    slopes = fit.jacobian.copy()
    slopes[:, other] = slopes[:, one]
    found = determination(slopes, fit.residuals, fit.problem.model.weights, fit.problem.model.runs)
    told = judge(fit.problem, axes_of(fit.problem.values), fit.point, fit.texts, slopes, found)
    assert told[one].undetermined == (
        "only together with receive_cost",
        "correlation with receive_cost -1.00",
    )
    assert told[other].undetermined[0] == "only together with receive_dma"
    assert told[one].low == "20 MB/s"
    assert told[one].high == "320 MB/s"


def test_what_is_written_is_read_back_with_the_fit_and_all_else_unchanged(calibrated):
    lab, fit = calibrated
    (change,) = changes(fit)
    changed = [line for line in change.diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert {line[1:].split(":")[0].strip() for line in changed} == {"value", "interval", "fit"}
    write([change])
    entry = Catalogue(lab.models).sheet(ADAPTER)
    again = prepare([STUDY], lab.library, Catalogue(lab.models))
    change.file.write_text(change.old)
    value = entry.values["receive_dma"]
    assert value.text == judged(fit, "receive_dma").text
    assert value.fit.rows == 12
    assert value.fit.values == 3
    assert value.fit.residual == pytest.approx(fit.determination.scale, abs=6e-4)
    assert not list(lab.models.rglob(".*"))
    assert examine(again, search_of(again)).median[1] == pytest.approx(fit.median[1])


def test_rows_that_say_so_take_no_part(lab):
    lab.fit({ADAPTER: {"receive_cost": "[50 us, 2 ms]"}})
    lab.measure([1.0] * 12, more=", fit: false")
    with pytest.raises(SimioError, match="no rows to fit to in lab/raw"):
        prepare([STUDY], lab.library, lab.parts)
