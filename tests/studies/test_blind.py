"""Predictions that were made before anyone had seen what they are of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from study_samples import library

from simio.cli.main import main
from simio.errors import ScenarioError, SimioError
from simio.loading.records import read_record
from simio.report.blind import blind_json, summary
from simio.studies import Library, rows
from simio.studies.baseline import read_baseline
from simio.studies.blind import BlindTest, blind_tests, records

SMALL = "packets: workload.blast.size = 4 KiB: throughput"
LARGE = "packets: workload.blast.size = 1 MiB: throughput"
RECORD = f"""
title: A first test
date: 2026-11-22
commit: abc1234
level: 90 %
rows:
  - {{table: house/sizes, case: '{SMALL}', unit: MB/s, predicted: 6, interval: [4, 7]}}
  - {{table: house/sizes, case: '{LARGE}', unit: MB/s, predicted: 60, interval: [55, 66], row: large}}
"""


def given(folder: Path, record: str = RECORD, **files: str) -> Library:
    found = library(folder, **files)
    (found.tables / "blind").mkdir()
    (found.tables / "blind" / "first.yaml").write_text(record)
    return found


def judged(found: Library, **now: float) -> BlindTest:
    values = {f"house/sizes: {SMALL}": now.get("small"), f"house/sizes: {LARGE}": now.get("large")}
    (test,) = blind_tests(records(found), rows((), found), values)
    return test


def test_a_record_is_no_table(tmp_path: Path) -> None:
    assert given(tmp_path).names == ["house/sizes", "house/whole"]


def test_a_row_is_compared_as_soon_as_its_table_has_it(tmp_path: Path) -> None:
    test = judged(given(tmp_path), small=5.5)
    small, large = test.rows
    assert (small.error, small.error_now, small.covered) == (pytest.approx(0.2), pytest.approx(0.1), True)
    assert (large.error, large.covered, large.counted) == (None, None, False)
    assert summary(test) == (
        "1 row: median error 20.0%, worst +20.0%, 0 within 10%; 1 of 1 inside their 90% interval; 1 row withheld. "
        "The same rows now: median 10.0%, worst +10.0%"
    )


def test_a_record_does_not_change_when_a_row_is_released(tmp_path: Path) -> None:
    sizes = given(tmp_path).tables / "house" / "sizes.yaml"
    sizes.write_text(sizes.read_text().replace("value: held", "value: [40, 50]"))
    test = judged(Library(sizes.parents[1], tmp_path / "scenarios"))
    large = test.rows[1]
    # Of a range the nearer end counts; the interval begins above it.
    assert (large.error, large.covered) == (pytest.approx(0.2), False)
    assert [abs(error) for error in test.errors] == pytest.approx([0.2, 0.2])
    assert test.covered == 1


def test_nothing_is_judged_while_all_is_withheld(tmp_path: Path) -> None:
    record = "\n".join(line for line in RECORD.splitlines() if "4 KiB" not in line)
    assert summary(judged(given(tmp_path, record))) == "no row is released; 1 row withheld"


def test_a_prediction_without_an_interval_is_shown_and_not_counted(tmp_path: Path) -> None:
    test = judged(given(tmp_path, RECORD.replace(", interval: [4, 7]", "")))
    assert (test.rows[0].error, test.rows[0].counted, test.judged) == (pytest.approx(0.2), False, [])


def test_a_row_whose_run_is_longer_now_is_the_same_row(tmp_path: Path) -> None:
    longer = RECORD.replace("4 KiB:", "4 KiB, run.until = 24 ms, run.warm_up = 16 ms:")
    assert [row.of.name for row in judged(given(tmp_path, longer)).rows] == [SMALL, LARGE]


def test_a_row_whose_run_is_longer_now_is_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = given(tmp_path, RECORD.replace("4 KiB:", "4 KiB, run.until = 24 ms, run.warm_up = 16 ms:"))
    monkeypatch.setattr("simio.cli.evidence.Library", lambda: found)
    result = CliRunner().invoke(main, ["validate", "--blind", "--json"])
    assert result.exit_code == 0, result.output
    (test,) = json.loads(result.stdout)
    assert [isinstance(row["now"], float) for row in test["rows"]] == [True, True]


def test_all_rows_that_are_not_there_are_named(tmp_path: Path) -> None:
    found = given(tmp_path, RECORD.replace("size = 4 KiB", "size = 5 KiB").replace("large", "LARGE"))
    (found.tables / "blind" / "second.yaml").write_text(RECORD.replace("MB/s", "MiB/s").replace("first", "second"))
    with pytest.raises(SimioError) as error:
        judged(found)
    told = str(error.value).splitlines()
    assert len(told) == 3
    assert told[0].startswith("'A first test' predicts a row that is not there: house/sizes: packets: workload.blast")
    assert told[1].endswith("in MiB/s; the row is in MB/s")


@pytest.mark.parametrize(
    ("wrong", "told", "found"),
    [
        ("predicted: 6", "predicted: six", "rows[0].predicted: found 'six'"),
        ("interval: [4, 7]", "interval: [7, 4]", "rows[0].interval: found 7 before 4"),
        ("interval: [4, 7]", "interval: [4]", "rows[0].interval[1]: found nothing"),
        ("unit: MB/s", "units: MB/s", "rows[0].unit"),
        ("commit: abc1234", "comit: abc1234", ": com"),
    ],
)
def test_mistakes_in_a_record_are_told_with_their_place(tmp_path: Path, wrong: str, told: str, found: str) -> None:
    path = tmp_path / "record.yaml"
    path.write_text(RECORD.replace(wrong, told, 1))
    with pytest.raises(ScenarioError) as error:
        read_record(path)
    assert all("record.yaml:" in line and found in line for line in str(error.value).splitlines())


def test_json_has_what_the_table_has(tmp_path: Path) -> None:
    (found,) = json.loads(blind_json([judged(given(tmp_path), small=5.5)]))
    assert (found["judged"], found["covered"], found["median"], found["commit"]) == (1, 1, 0.2, "abc1234")
    assert [row["inside"] for row in found["rows"]] == [True, None]


def test_the_published_records_say_what_the_tables_say() -> None:
    found = Library()
    tests = blind_tests(records(found), rows((), found), {})
    released = [row for test in tests for row in test.rows if row.kept.measured is not None and row.of.measured]
    assert len(released) > 20
    for row in released:
        ends = row.kept.measured if isinstance(row.kept.measured, tuple) else (row.kept.measured,) * 2
        upper = row.of.measured if row.of.of.upper is None else row.of.of.upper
        assert (float(row.of.measured), float(upper)) == ends, row.kept.row


@pytest.mark.parametrize("more", [["sgi-hippi"], ["--rows"], ["--plots", "x"], ["--cross-validate", "each"]])
def test_what_does_not_fit_beside_blind_is_refused(more: list[str]) -> None:
    result = CliRunner().invoke(main, ["validate", "--blind", *more])
    assert result.exit_code == 2
    assert "cannot be used with --" in result.output


def test_what_does_not_fit_beside_a_record_is_refused_and_the_rest_named() -> None:
    result = CliRunner().invoke(main, ["validate", "linux-tcp", "--record", "abc", "--rows"])
    assert result.exit_code == 2
    assert " ".join(result.output.split()).endswith(
        "--rows cannot be used with --record; only STUDY and --output can"
    )


@pytest.mark.slow
def test_withheld_rows_are_predicted_with_their_intervals_as_a_record(tmp_path: Path) -> None:
    path = tmp_path / "record.yaml"
    result = CliRunner().invoke(main, ["validate", "--record", "abc1234", "linux-tcp/short", "-o", str(path)])
    assert result.exit_code == 0, result.output
    found, library_ = read_record(path), Library()
    held = [row for row in rows(["linux-tcp/short"], library_) if row.of.held]
    assert (found.commit, [kept.case for kept in found.rows]) == ("abc1234", [row.name for row in held])
    baseline = read_baseline(library_.tables / "baseline.json")
    for kept, row in zip(found.rows, held, strict=True):
        known = baseline.find(row)
        assert known is not None
        assert kept.predicted == pytest.approx(known.value, rel=1e-3)
        assert kept.interval is not None
        assert kept.interval[0] < kept.predicted < kept.interval[1]


def test_there_is_no_record_where_nothing_is_withheld() -> None:
    result = CliRunner().invoke(main, ["validate", "--record", "abc1234", "ancor-fc"])
    assert result.exit_code == 2
    assert "--record: found no withheld row to predict" in result.stderr
