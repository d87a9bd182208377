"""simio validate as a user meets it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from simio.calibration.groups import Group
from simio.cli.main import INTERRUPTED, main
from simio.loading.catalogue import data_root
from simio.studies.simulate import Key, run

DISKS = "sgi-hippi/disks"


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, ["validate", *args, "--processes", "1"])


def test_a_named_table_shows_every_row_and_then_what_they_come_to() -> None:
    result = simio(DISKS)
    assert result.exit_code == 0, result.output
    rows, _, whole = result.stdout.partition("table  ")
    assert "13.45 MB/s" in rows
    assert "-3.9%" in rows
    assert "4 to 5 MB/s" in rows
    assert "What the author expected" in rows
    assert "disks       3         0    0.3%  3.9%  -3.9%  1%, 4%  0 of 6" in whole
    assert (
        "3 measured rows, 0 of them off by more than 10%; 0 withheld measurements predicted; 6 fitted values" in whole
    )
    assert "3 of 3 cases in" in result.stderr


def test_held_rows_are_predicted_and_need_no_bars() -> None:
    result = simio("slac-gige/hosts", "--json")
    (table,) = json.loads(result.stdout)["tables"]
    held = [row for row in table["values"] if row["held"]]
    assert len(held) == table["held"] == 2
    assert all(row["measured"] is None and row["error"] is None and row["simulated"] > 0 for row in held)


def test_json_has_what_the_terminal_has() -> None:
    found = json.loads(simio(DISKS, "--json").stdout)
    (table,) = found["tables"]
    assert (table["rows"], table["held"], table["worst"]) == (3, 0, pytest.approx(-0.0389, abs=1e-4))
    assert "kernels/irix-5.2: page_pin" in table["fitted"]
    assert table["without a source"]["memories/challenge-l: rate"] == "assumed"
    assert table["values"][0]["measured"] == 4
    assert table["values"][0]["measured up to"] == 5
    assert found["failures"] == []
    assert found["complete"]
    assert found["engine"] == "compiled"


def test_both_engines() -> None:
    result = simio("slac-gige/ping", "--engine", "both", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [row["difference"] for row in found["tables"][0]["values"]] == ["", ""]
    assert found["engine"] == "both"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The measured tables where a test may change them."""
    folder = tmp_path / "validation"
    shutil.copytree(data_root("simio.validation"), folder)
    for module in ("simio.studies.rows", "simio.loading.scenario"):
        monkeypatch.setattr(
            import_module(module),
            "data_root",
            lambda name: folder if name == "simio.validation" else data_root(name),
        )
    return folder


def test_a_table_outside_its_bars_ends_with_status_1(elsewhere: Path, tmp_path: Path) -> None:
    file = elsewhere / "sgi-hippi" / "disks.yaml"
    file.write_text(file.read_text().replace("worst: 4%", "worst: 3%"))
    result = simio(DISKS, "--junit", str(tmp_path / "j.xml"))
    assert result.exit_code == 1
    assert "sgi-hippi/disks: worst 3.893% above 3%" in result.stdout
    (failure,) = ElementTree.parse(tmp_path / "j.xml").iterfind(".//failure")
    assert failure.get("message") == "worst 3.893% above 3%"


def test_an_anomaly_is_shown_with_its_reason_and_only_the_bar_for_the_worst_spares_it(
    elsewhere: Path,
) -> None:
    file = elsewhere / "sgi-hippi" / "disks.yaml"
    text = file.read_text().replace("worst: 4%", "worst: 3%")
    file.write_text(text.replace("value: 14\n", "value: 14\n    anomaly: a bus that was terminated twice\n"))
    result = simio(DISKS)
    assert result.exit_code == 0, result.output
    assert "anomaly: a bus that was terminated twice" in result.stdout
    assert "0.3%  3.9%  -3.9%  1%, 3%  0 of 6" in result.stdout
    assert "within tolerance (1 anomaly exempt)" in result.stdout
    assert "1 row believed to be measurement errors: counted in every statistic" in result.stdout


def test_a_known_miss_is_shown_with_its_reason_until_the_row_is_met(elsewhere: Path) -> None:
    file = elsewhere / "sgi-hippi" / "disks.yaml"
    known = file.read_text().replace("value: 14\n", "value: 14\n    missed: nobody knows\n")
    file.write_text(known.replace("worst: 4%", "worst: 3%"))
    result = simio(DISKS)
    assert result.exit_code == 0, result.output
    assert "missed: nobody knows" in result.stdout
    assert "within tolerance (1 known miss exempt)" in result.stdout
    assert "1 row that the model is known to miss: counted in every statistic" in result.stdout
    file.write_text(known)
    result = simio(DISKS)
    assert result.exit_code == 1
    assert "no longer missed: workload.reader.from = a: throughput" in " ".join(result.stdout.split())


def test_what_changed_since_the_baseline(elsewhere: Path) -> None:
    assert "changed since" not in simio(DISKS).stdout
    file = elsewhere / "baseline.json"
    file.write_text(file.read_text().replace('"value": 13.4549409', '"value": 12.4736104'))
    result = simio(DISKS)
    assert result.exit_code == 0
    assert "1 row changed since the baseline" in result.stdout
    assert "12.474 13.455 MB/s -10.9% -3.9%" in " ".join(result.stdout.split())
    assert simio(DISKS, "--update-baseline").exit_code == 0
    assert "changed since" not in simio(DISKS).stdout


def test_a_baseline_of_ones_own(tmp_path: Path) -> None:
    own = str(tmp_path / "own.json")
    assert simio(DISKS, "--baseline", own, "--update-baseline").exit_code == 0
    result = simio(DISKS, "slac-gige/ping", "--baseline", own)
    assert "0 rows changed, 2 new since the baseline" in result.stdout
    assert result.stdout.count(" new ") == 3


def test_faults_of_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text("{")
    Path("file").touch()
    for args, told in {
        ("sgi-hipi",): "no study 'sgi-hipi'; did you mean 'sgi-hippi'?",
        ("linux-fc/rav", "nonsense-17"): "no study 'linux-fc/rav'; did you mean 'linux-fc/raw'?\n"
        "no study 'nonsense-17'; there are ancor-fc, cai21, fio-vm, linux-fc, linux-tcp, mlperf, nvme-cheops23, "
            "nvme-icpe24, pcie-bench, profile-server, sgi-hippi, slac-gige, small-posts, xdp18",
        (DISKS, "--html", "no/where.html"): "cannot write 'no/where.html': no folder 'no'",
        (DISKS, "--junit", "no/where.xml"): "cannot write 'no/where.xml': no folder 'no'",
        (DISKS, "--plots", "file"): "cannot write pictures to 'file', which is no folder",
        (DISKS, "--baseline", "none.json"): "no baseline 'none.json'; --update-baseline writes one",
        (DISKS, "--baseline", "broken.json"): "the baseline 'broken.json' is no JSON: Expecting property name "
        "enclosed in double quotes: line 1 column 2 (char 1); --update-baseline writes a new one",
    }.items():  # fmt: skip
        result = simio(*args)
        assert result.exit_code == 2, args
        assert [line for line in result.stderr.splitlines() if "cases in" not in line] == told.splitlines()


def test_files_of_plots(tmp_path: Path) -> None:
    # The plot of all tables, which is there, is not replaced by one of those that are named.
    plots = tmp_path / "plots"
    plots.mkdir()
    (plots / "all.svg").write_text("all of them")
    assert "--force replaces them" in simio(DISKS, "--plots", str(plots)).stderr
    result = simio(DISKS, "--html", str(tmp_path / "p.html"), "--plots", str(plots), "--force")
    assert result.exit_code == 0
    assert (tmp_path / "p.html").read_text().startswith("<!doctype html>")
    assert {path.name for path in plots.iterdir()} == {"sgi-hippi-disks.svg", "all.svg"}
    assert (plots / "all.svg").read_text() == "all of them"


def test_all_tables_have_a_plot_together(elsewhere: Path, tmp_path: Path) -> None:
    for folder in elsewhere.iterdir():
        if folder.is_dir() and folder.name != "sgi-hippi":
            shutil.rmtree(folder)
    for path in (elsewhere / "sgi-hippi").iterdir():
        if path.stem != "disks":
            path.unlink()
    plots = tmp_path / "plots"
    simio("--plots", str(plots))
    assert {path.name for path in plots.iterdir()} == {"sgi-hippi-disks.svg", "all.svg"}


def test_an_interrupt_prints_what_is_done_and_keeps_the_baseline(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(keys: list[Key], tell: Any, *rest: Any) -> None:
        run(keys[:2], tell, *rest)
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("simio.cli.rowruns"), "run_cases", interrupted)
    before = (elsewhere / "baseline.json").read_text()
    result = simio(DISKS, "slac-gige/ping", "--update-baseline")
    assert result.exit_code == 130
    assert "interrupted: these are the rows finished by then" in result.stdout
    assert result.stdout.count("of 3 rows") + result.stdout.count("of 2 rows") >= 1
    assert "2 of 5 cases in" in result.stderr
    assert (elsewhere / "baseline.json").read_text() == before


def test_an_interrupted_cross_validation_shows_the_groups_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_of_two(studies: object, how: str, progress: Callable[[], None]) -> Iterator[Group]:
        progress()
        yield Group(("sgi-hippi/table-1",), ("a.b",), why="too few rows")
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("simio.cli.evidence"), "cross_validated", one_of_two)
    result = CliRunner().invoke(main, ["validate", "--cross-validate", "table"])
    assert result.exit_code == INTERRUPTED
    assert "sgi-hippi/table-1: done\n" in result.stderr
    assert "interrupted: 1 group of studies done, and shown" in result.stderr
    assert "not cross-validated: too few rows" in result.stdout
