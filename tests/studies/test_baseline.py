"""The baseline: what changed, what is kept, and files that are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from study_samples import row

from simio.errors import SimioError
from simio.studies.baseline import Baseline, read_baseline

NO_ROW = "has for 'a/b: r' no value with steps; --update-baseline writes a new one"
BROKEN = {
    "": "is no JSON: Expecting value: line 1 column 1 (char 0); --update-baseline writes a new one",
    "[]": "has in the whole no mapping; --update-baseline writes a new one",
    '{"a/b": 1}': "has in 'a/b' no mapping; --update-baseline writes a new one",
    '{"a/b": {"r": {"value": "x", "steps": 1}}}': NO_ROW,
    '{"a/b": {"r": {"value": 1}}}': NO_ROW,
    '{"a/b": {"r": {"value": NaN, "steps": 1}}}': NO_ROW,
}


def test_what_is_written_is_read_and_nothing_has_changed(tmp_path: Path) -> None:
    rows = [replace(row(1 / 3, "1"), steps=7), row(None, "2")]
    Baseline().updated(rows).write(tmp_path / "b.json")
    kept = read_baseline(tmp_path / "b.json")
    assert kept.changes(rows) == []
    assert [kept.steps(each.row) for each in rows] == [7, 0]
    assert (tmp_path / "b.json").read_text().count("\n") == 6


def test_a_change_in_the_eighth_digit_is_one_and_one_in_the_eleventh_is_none() -> None:
    kept = Baseline().updated([row(0.1)])
    assert kept.changes([row(0.1 + 2e-11)]) == []
    (change,) = kept.changes([row(0.1 + 2e-8)])
    assert change.error_before == pytest.approx(0.1, abs=1e-8)


def test_new_rows_and_rows_that_are_gone_are_told() -> None:
    kept = Baseline().updated([row(0.1, "1"), row(0.2, "2"), row(0.3, "9", table="whole")])
    now = [row(0.1, "1"), row(0.2, "3")]
    (change,) = kept.changes(now)
    assert change.kept is None
    assert kept.gone([each.row for each in now]) == ["house/sizes: packets: workload.blast.size = 2 KiB: throughput"]


def test_an_update_replaces_the_tables_that_were_run_and_no_others() -> None:
    kept = Baseline().updated([row(0.1, "1"), row(0.3, "9", table="whole")]).updated([row(0.2, "3")])
    assert list(kept.tables["house/sizes"]) == ["packets: workload.blast.size = 3 KiB: throughput"]
    assert kept.changes([row(0.3, "9", table="whole")]) == []


@pytest.mark.parametrize("text", BROKEN)
def test_a_file_that_is_no_baseline(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)
    with pytest.raises(SimioError) as caught:
        read_baseline(path)
    assert str(caught.value).startswith("the baseline '")
    assert str(caught.value).endswith(f"' {BROKEN[text]}")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SimioError, match=r"^no baseline '.*'; --update-baseline writes one$"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(SimioError, match=r"^cannot read the baseline '.*': Is a directory$"):
        read_baseline(tmp_path)
    (tmp_path / "deep.json").write_text("[" * 100_000)
    with pytest.raises(SimioError, match="nested too deep"):
        read_baseline(tmp_path / "deep.json")
