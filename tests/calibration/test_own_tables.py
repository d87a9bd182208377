"""Tables, scenarios and datasheets in a folder of the user's own: validated and calibrated from anywhere."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.calibration.edit import edited
from simio.cli.main import main
from simio.loading import load
from simio.running import run_scenario

ROOT = Path(__file__).parents[2]
SIZES = ("8 KiB", "64 KiB", "256 KiB", "512 KiB", "1 MiB", "2 MiB")
SCENARIO = f"""title: My disk
hosts: {{server: {{model: hosts/linux-2002-dual-p3}}}}
disks: {{d: {{model: ./disk.yaml}}}}
links: [{{model: links/fc-2g, between: [server.fc, d], length: 10 m}}]
workload: {{reader: {{host: server, from: d, access: raw, pattern: random, block: 8 KiB, size: 64 MiB}}}}
run: {{until: 500 ms, warm_up: 0 s}}
vary: {{workload.reader.block: [{", ".join(SIZES)}]}}
"""


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario, its disk, and a table that was measured on a disk of 10000 rpm."""
    monkeypatch.chdir(tmp_path)
    here = tmp_path / "mine"
    here.mkdir()
    sheet = here / "disk.yaml"
    shutil.copy(ROOT / "models" / "disks" / "fc-15k-2002.yaml", sheet)
    (here / "far.yaml").write_text(SCENARIO)
    sheet.write_text(edited(sheet.read_text(), {"rotation": {"value": "10000 rpm"}}))
    truth = run_scenario(load(here / "far.yaml"))
    fitted = {"basis": "fitted", "source": "'mine-table.yaml'", "bounds": "[5000 rpm, 20000 rpm]"}
    fitted |= {"value": "15000 rpm", "interval": "[5000 rpm, 20000 rpm]"}
    sheet.write_text(edited(sheet.read_text(), {"rotation": fitted}))
    rows = "".join(
        f"  - {{where: {{workload.reader.block: {size}}}, value: {float(case.rate) / 1e6:.5g}}}\n"
        for size, case in zip(SIZES, truth.cases, strict=True)
    )
    heading = "title: Mine\nsource: my notebook\nquantity: throughput\nunit: MB/s\nscenario: far\nrows:\n"
    (here / "mine-table.yaml").write_text(heading + rows)
    (here / "far.yaml").write_text(SCENARIO + "measured: ./mine-table.yaml\n")
    return here


@pytest.mark.parametrize("named", ["./mine/mine-table.yaml", "./mine", "mine/mine-table.yaml", "./mine/far.yaml"])
def test_a_table_of_ones_own_is_validated(folder: Path, named: str) -> None:
    done = simio("validate", named)
    assert done.exit_code == 0, done.output
    assert "./mine-table: Mine" in done.stdout
    assert "6 measured rows" in done.stdout
    assert "baseline" not in done.stdout


def test_rows_that_a_baseline_does_not_know_are_new(folder: Path) -> None:
    assert simio("validate", "./mine", "--baseline", "b.json", "--update-baseline").exit_code == 0
    text = (folder / "mine-table.yaml").read_text().splitlines(keepends=True)
    kept = Path("b.json").read_text().splitlines(keepends=True)
    Path("b.json").write_text("".join(line for line in kept if "8 KiB" not in line))
    assert len(text) == 12
    assert (
        "0 rows changed, 1 new since the baseline b.json"
        in simio("validate", "./mine", "--baseline", "b.json").stdout
    )


def test_the_baseline_of_simio_is_left_alone(folder: Path) -> None:
    before = (ROOT / "validation" / "baseline.json").read_bytes()
    done = simio("validate", "./mine", "--update-baseline")
    assert done.exit_code == 2
    assert "expected --baseline FILE" in done.stderr
    assert (ROOT / "validation" / "baseline.json").read_bytes() == before


def test_own_and_published_tables_together(folder: Path) -> None:
    done = simio("validate", "./mine", "linux-fc")
    assert done.exit_code == 0, done.output
    assert "./mine-table" in done.stdout
    assert "linux-fc" in done.stdout
    assert " new" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("named", ["./mine/mine-table.yaml", "./mine/far.yaml"])
def test_a_datasheet_of_ones_own_is_calibrated(folder: Path, named: str) -> None:
    sheet = folder / "disk.yaml"
    before = sheet.read_text()
    models = {path: path.read_bytes() for path in (ROOT / "models").glob("*/*.yaml")}
    shown = simio("calibrate", named, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert "--- mine/disk.yaml" in shown.stdout
    assert sheet.read_text() == before
    done = simio("calibrate", named)
    assert done.exit_code == 0, done.output
    assert "written: mine/disk.yaml" in done.stdout
    assert "hardly" not in done.stdout
    found = load(folder / "far.yaml").cases[0].system.disks["d"].part.sheet.rotation
    assert float(found) * 60 == pytest.approx(10_000, rel=0.02)
    assert {path: path.read_bytes() for path in (ROOT / "models").glob("*/*.yaml")} == models


def test_a_table_of_ones_own_to_which_nothing_is_fitted_says_what_would_be(folder: Path) -> None:
    shutil.copy(ROOT / "models" / "disks" / "fc-15k-2002.yaml", folder / "disk.yaml")
    done = simio("calibrate", "./mine/mine-table.yaml", "--dry-run")
    assert done.exit_code == 2
    assert "no datasheet beside the scenarios of './mine-table' has a value to fit" in done.stderr
    assert done.stderr.strip().endswith("source: mine-table.yaml")


def test_a_folder_without_tables(folder: Path) -> None:
    Path("empty").mkdir()
    done = simio("validate", "./empty")
    assert done.exit_code == 2
    assert "no measured table in './empty'" in done.stderr
