"""The model error that blind rows teach, the record that they come from, and the widths of assumed values."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import t

from simio.calibration import cover
from simio.calibration.cover import Covered, blind_rows, score, share_of, share_then
from simio.calibration.modelerror import Evidence, all_evidence, learnt, likelihood
from simio.calibration.usage import range_of
from simio.calibration.values import CatalogueValue
from simio.calibration.widths import CLASSES, deviation
from simio.cli.main import main
from simio.loading.catalogue import data_root
from simio.loading.tables import table_names
from simio.studies.rows import Library, rows


def evidence(errors, document="one", blind=True, spread=0.0, certain=0.0):
    return [Evidence(document, str(at), blind, float(error), spread, certain) for at, error in enumerate(errors)]


def drawn(scale, number=200, seed=1):
    return scale * np.random.default_rng(seed).standard_t(4, number)


def test_the_scale_of_the_errors_is_found_on_either_side():
    errors = np.where(drawn(1.0) < 0, 0.3, 0.1) * drawn(1.0)
    found = learnt(evidence=evidence(errors))
    assert found.low == pytest.approx(0.3, rel=0.3)
    assert found.high == pytest.approx(0.1, rel=0.3)


def test_the_scales_found_are_the_most_likely_by_the_density_of_student_s_t():
    rows = evidence(np.where(drawn(1.0) < 0, 0.3, 0.1) * drawn(1.0), spread=0.02)
    found = learnt(evidence=rows)

    def likely(low, high):
        own = [(row.error, math.hypot(low, row.spread), math.hypot(high, row.spread)) for row in rows]
        return sum(
            t.logpdf(error / (low if error < 0 else high), 4) + math.log(2 / (low + high)) for error, low, high in own
        )

    most = likely(found.low, found.high)
    assert sum(likelihood(row, found) for row in rows) == pytest.approx(most)
    for low, high in ((1.001, 1), (0.999, 1), (1, 1.001), (1, 0.999)):
        assert likely(found.low * low, found.high * high) < most


def test_one_gross_error_hardly_moves_the_scale():
    errors = list(drawn(0.1))
    before, after = (learnt(evidence=evidence(each)).low for each in (errors, [*errors, -5.0]))
    assert after < 1.1 * before


def test_what_uncertain_values_explain_is_no_error_of_the_model():
    errors = drawn(0.2)
    plain, explained = (learnt(evidence=evidence(errors, spread=spread)).deviation for spread in (0.0, 0.15))
    assert explained < 0.8 * plain


def test_rows_in_view_teach_nothing_and_a_document_can_be_left_out():
    blind = evidence(drawn(0.1))
    assert learnt(evidence=[*blind, *evidence([3.0] * 50, blind=False)]) == learnt(evidence=blind)
    assert learnt("two", [*blind, *evidence([3.0] * 50, "two")]) == learnt(evidence=blind)
    assert learnt("one", blind) is None


def test_rows_at_a_certain_bound_teach_how_near_it_is_reached():
    full = evidence([-0.03, -0.05], blind=False, certain=0.99)
    found = learnt(evidence=[*evidence(drawn(0.2)), *full])
    assert found.wire == pytest.approx(math.sqrt((0.03**2 + 0.05**2) / 2))
    assert found.scale(1.0)[0] < 0.3 * found.scale(0.0)[0]


def test_cross_validation_prefers_a_likely_scale():
    alike = [*evidence(drawn(0.1)), *evidence(drawn(0.1, seed=2), "two")]
    unlike = [*evidence(drawn(0.1)), *evidence(drawn(1.0, seed=2), "two")]
    assert score(alike) > score(unlike)


@pytest.fixture(scope="module")
def blind():
    library = Library()
    return blind_rows(rows((), library), library)


def test_a_record_of_predictions_is_no_table():
    names = table_names(data_root("simio.validation"))
    assert not any(name.startswith(("blind/", "values/")) for name in names)


def test_shares_inside_are_those_now_and_then(blind):
    assert len(blind) >= 28
    then = next(iter(blind.values()))
    low, high = (end / then.kept.predicted for end in then.kept.interval)
    now = Covered("one", "a", then, math.log(high) + 0.05, 0.5, high + 0.2, 0.1, 0.0)
    assert share_of([now]).share == 1
    assert share_of([now]).width == pytest.approx(high - 0.3)
    assert share_then([now]).share == 0
    assert share_then([now]).width == pytest.approx(high - low)


def value(basis, dimension, number, interval=None):
    from pathlib import Path

    return CatalogueValue("a/b", "c", Path("f"), dimension, "us", number, basis, "", interval)


@pytest.mark.parametrize("dimension", CLASSES)
@pytest.mark.parametrize("basis", ["assumed", "default"])
def test_a_value_without_a_source_has_the_width_of_its_class(basis, dimension):
    within = range_of(value(basis, dimension, 64.0))
    assert within.at(1.0) == pytest.approx(64 * math.exp(deviation(dimension)), rel=0.02)
    assert within.at(-1.0) == pytest.approx(64 / math.exp(deviation(dimension)), rel=0.02)
    assert not within.stated


def test_a_source_or_a_stated_interval_or_a_clock_keeps_its_own():
    assert range_of(value("standard", "time", 64.0)) is None
    assert range_of(value("assumed", "frequency", 64.0)) is None
    stated = range_of(value("assumed", "time", 64.0, (60.0, 70.0)))
    assert (stated.low, stated.high, stated.stated) == (60.0, 70.0, True)


def test_a_count_moves_by_whole_ones_and_a_share_is_at_most_all():
    counted = range_of(value("assumed", None, 1))
    assert counted.at(1.0) == 2
    assert counted.at(-1.0) == 1
    assert range_of(value("assumed", "share", 0.9)).at(1.6) == 1.0


def test_the_command_judges_each_document_by_the_others():
    data = json.loads(CliRunner().invoke(main, ["validate", "--cover", "slac-gige", "--json"]).output)
    assert set(data["documents"]) == {"slac-gige"}
    assert all(row["low"] <= 1 <= row["high"] for row in data["rows"])


def test_evidence_of_named_studies_is_renewed_and_the_rest_kept(monkeypatch):
    gone = [row for row in all_evidence() if row.table != "ancor-fc/overhead"]
    monkeypatch.setattr(cover, "all_evidence", lambda: tuple(gone))
    names = []
    found = cover.renewed(["ancor-fc"], Library(), names.append)
    assert names == ["ancor-fc-overhead"]
    assert {row for row in found if row.document != "ancor-fc"} == set(gone)
    (own,) = (row for row in found if row.document == "ancor-fc")
    assert own.error == pytest.approx(-0.0645, abs=0.01)
    assert own.spread > 0.01


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--rows"], "--rows cannot be used with --cover; only STUDY, --update-baseline, --json and --output can"),
        (["slac-gig"], "no study 'slac-gig'"),
    ],
)
def test_what_the_command_cannot_do_is_said(more, said):
    result = CliRunner().invoke(main, ["validate", "--cover", *more])
    assert result.exit_code != 0
    assert said in result.output + str(result.exception)
