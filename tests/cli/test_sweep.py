"""simio sweep as a user meets it: tables, errors as rows, and an interruption that loses and repeats nothing."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from signalled import signalled

from simio.cli.main import main
from simio.errors import SimioError
from simio.loading import ScenarioFile
from simio.sweeps.journal import Journal
from simio.sweeps.space import Space
from simio.sweeps.sweep import Plan, check
from simio.sweeps.values import axis

pytestmark = pytest.mark.usefixtures("own_results")
HIPPI = str(Path(__file__).parents[2] / "scenarios" / "sgi-hippi-raw.yaml")
DISKS = HIPPI.replace("sgi-hippi-raw", "linux-fc-raw")
ONE_CASE = ["--set", "workload.blast.processes=2", "--set", "workload.blast.sink=true"]
FEW = [*ONE_CASE, "--set", "workload.blast.packets=2", "--set", "workload.blast.size=4KiB..32KiB:x2"]
MANY = [*FEW[:-1], "workload.blast.size=1KiB..600KiB:+1KiB", "--no-cache"]


def simio(*args: str):
    return CliRunner().invoke(main, ["sweep", *args])


def table(path) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    """The table of MANY, made by one process without interruption."""
    path = tmp_path_factory.mktemp("whole") / "t.csv"
    assert simio(HIPPI, *MANY, "--processes", "1", "-o", str(path)).exit_code == 0
    return path.read_bytes()


def test_a_table_with_the_best_the_worst_and_a_curve():
    result = simio(HIPPI, *FEW)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[:3] for line in lines[1:5]] == [[str(n), str(2 ** (n + 1)), "KiB"] for n in range(1, 5)]
    assert any(line.startswith("best") and "workload.blast.size = 32 KiB" in line for line in lines)
    assert any(line.startswith("worst") and "workload.blast.size = 4 KiB" in line for line in lines)
    # Throughput grows with the size of a packet, and so do the bars.
    bars = [line.count("█") for line in lines if "█" in line]
    assert len(bars) == 4
    assert bars == sorted(bars)


def test_rows_are_what_a_run_gives():
    result = simio(HIPPI, *FEW, "--csv")
    rows = list(csv.DictReader(result.output.splitlines()))
    sets = ["--set", "workload.blast.packets=2", "--set", "workload.blast.size=16 KiB"]
    alone = json.loads(CliRunner().invoke(main, ["run", HIPPI, *sets, "--json"]).output)
    assert rows[2]["workload.blast.size"] == "16 KiB"
    assert float(rows[2]["throughput (MB/s)"]) == pytest.approx(alone["cases"][0]["throughput"], rel=1e-5)
    assert rows[2]["program"] == alone["cases"][0]["hash"]


def test_the_scenarios_own_cases_are_combined_unless_one_is_chosen():
    packets = ["--set", "workload.blast.packets=2,3"]
    assert len(simio(HIPPI, *packets, "--csv").output.splitlines()) == 1 + 2 * 29
    [_, first, second] = simio(HIPPI, *packets, "--case", "3", "--csv").output.splitlines()
    assert first.split(",")[2] == second.split(",")[2]
    assert "--case: found 30; expected a number from 1 to 29" in simio(HIPPI, *packets, "--case", "30").output


def test_json_and_parquet_hold_the_same(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("t.json", "t.parquet", "t.csv"):
        assert simio(HIPPI, *FEW, "-o", str(tmp_path / name)).exit_code == 0
    as_json = json.loads((tmp_path / "t.json").read_text())
    columns = parquet.read_table(tmp_path / "t.parquet").to_pydict()
    # Numbers and switches are such there, and a quantity has a column with its number beside the text.
    assert columns.pop("workload.blast.packets") == [2, 2, 2, 2]
    assert columns.pop("workload.blast.size (B)") == [4096, 8192, 16384, 32768]
    assert columns.pop("workload.blast.sink") == [row["workload.blast.sink"] == "true" for row in as_json]
    assert columns.pop("workload.blast.processes") == [int(row["workload.blast.processes"]) for row in as_json]
    assert columns == {name: [row[name] for row in as_json] for name in columns}
    for row, text in zip(as_json, table(tmp_path / "t.csv"), strict=True):
        assert {name: "" if value is None else str(value) for name, value in row.items()} == {
            name: str(float(value)) if isinstance(row[name], float) else value for name, value in text.items()
        }


def test_a_configuration_that_fails_is_a_row(tmp_path):
    result = simio(HIPPI, "--set", "workload.blast.packets=2,0,3", "--case", "1", "-o", str(tmp_path / "t.csv"))
    assert result.exit_code == 0
    # Told before anything runs, and again in its row.
    assert "workload.blast.packets = 0" in result.stderr.splitlines()[0]
    assert [bool(row["error"]) for row in table(tmp_path / "t.csv")] == [False, True, False]


def test_many_configurations_that_cannot_be_are_not_told_one_by_one():
    plan = Plan(ScenarioFile(DISKS), Space((axis("disks.d.count=15..30", "--set"),)), only=0)
    unit, wrong = check(plan)
    assert unit == "MiB/s"
    assert [text.partition(",")[0] for text in wrong[:5]] == [f"disks.d.count = {count}" for count in range(16, 21)]
    assert wrong[5:] == ["10 more of the 16 configurations looked at cannot be run either"]


def test_faults_of_every_configuration_end_it_before_it_begins(tmp_path):
    result = simio(
        HIPPI, "--set", "workload.blast.packts=2,3", "--set", "hosts.challenge.cpu.clok=1..3",
        "-o", str(tmp_path / "t.csv"),
    )  # fmt: skip
    assert result.exit_code == 2
    assert "workload.blast.packts: found the unknown key 'packts'" in result.output
    assert "hosts.challenge.cpu.clok: found the unknown key 'clok'" in result.output
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_ran_is_a_failure():
    result = simio(DISKS, "--set", "workload.reader.size=100 GiB,200 GiB", "--case", "1")
    assert result.exit_code == 2
    assert result.output.count("of 'd1', which holds") >= 2
    assert "none of the configurations could be run" in result.output


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--set", "workload.blast.size=1KiB..8KiB"], "without a step; expected one such as ':x2'"),
        (["--set", "run.seed=3..1"], "expected the lower end first"),
        (["--set", "run.seed"], "expected key.path=values"),
        (["--pair", "run.seed=1,2", "--pair", "workload.blast.packets=1,2,3"], "as many values for each"),
        (["--set", "run.seed=1,2", "--pair", "run.seed=1,2"], "values for run.seed twice"),
        (["--set", "run.seed=1,2", "-o", "t.txt"], "ends in .csv, .json or .parquet"),
        (
            ["--set", "run.seed=1,2", "--measure", "utilization of bus"],
            "--measure: found 'utilization of bus'",
        ),
        (["--set", "run.seed=1,2", "--cluster", "there"], "expected an address such as tcp://host:8786"),
    ],
)
def test_a_sweep_that_cannot_be(given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = simio(HIPPI, *given)
    assert result.exit_code == 2
    assert told in result.output


def test_a_key_without_effect_is_told():
    result = simio(HIPPI, *FEW, "--set", "run.seed=1,2")
    assert "run.seed had no effect on the result" in result.stderr
    assert "workload.blast.size had" not in result.stderr


def test_a_key_without_effect_is_told_of_a_sample_too():
    given = ["--set", "workload.blast.packets=2", "--set", "workload.blast.size=4KiB..1MiB:log"]
    result = simio(HIPPI, *given, "--set", "run.seed=1..1000", "--sample", "5", "--seed", "3")
    assert "run.seed had no effect on the result" in result.stderr
    assert "workload.blast.size had" not in result.stderr


def test_earlier_results_are_taken_unless_refused():
    assert "known from earlier runs" not in simio(HIPPI, *FEW).output
    again = simio(HIPPI, *FEW)
    assert "4 configurations, 4 known from earlier runs" in again.output
    fresh = simio(HIPPI, *FEW, "--no-cache")
    assert "known from earlier runs" not in fresh.output
    assert fresh.output.split("4 configurations")[0] == again.output.split("4 configurations")[0]


@pytest.mark.parametrize("changed", ["part.yaml", "other.yaml", None])
def test_a_sweep_is_not_resumed_with_other_files(changed, tmp_path):
    sheet = DISKS.replace("scenarios", "models/disks").replace("linux-fc-raw", "fc-15k-2002")
    text = Path(DISKS).read_text().split("vary:")[0].split("measured:")[0].replace("disks/fc-15k-2002", "./part.yaml")
    for name in ("part.yaml", "other.yaml"):
        (tmp_path / name).write_text(Path(sheet).read_text())
    (tmp_path / "s.yaml").write_text(text)
    space = Space((axis("disks.d.model=./part.yaml,./other.yaml", "--set"),))
    header = Plan(ScenarioFile(tmp_path / "s.yaml"), space).header()
    Journal(tmp_path / "t.partial", header).__exit__(None, None, None)
    if changed:
        path = tmp_path / changed
        path.write_text(path.read_text().replace("15000 rpm", "5000 rpm"))
    again = Plan(ScenarioFile(tmp_path / "s.yaml"), space).header()
    assert (again == header) == (changed is None)
    if changed:
        with pytest.raises(SimioError, match="a file that it needs has changed"):
            Journal(tmp_path / "t.partial", again)


@pytest.mark.parametrize("sent", ["SIGKILL", "SIGINT"])
@pytest.mark.slow
def test_an_interrupted_sweep_goes_on_and_repeats_nothing(sent, whole, tmp_path):
    path, journal = tmp_path / "t.csv", tmp_path / "t.csv.partial"
    command = [*signalled("rows", sent, 20, tmp_path / "children"), "sweep", HIPPI, *MANY]
    ran = subprocess.run(
        [*command, "--processes", "2", "-o", str(path)], capture_output=True, text=True, start_new_session=True
    )
    assert "Traceback" not in ran.stderr
    assert not path.exists()
    # The answers of the second process that were ready at that moment may have come, too.
    kept = journal.read_bytes().count(b"\n") - 1
    assert 20 <= kept < 600
    if sent == "SIGINT":
        assert ran.returncode == 130
        assert f"interrupted: {kept} of 600 rows are in {journal}; the same command resumes" in ran.stderr
    result = simio(HIPPI, *MANY, "--processes", "1", "-o", str(path))
    assert result.exit_code == 0, result.output
    assert f"{kept} of 600 rows are there already; resuming" in result.stderr
    assert path.read_bytes() == whole
    assert not journal.exists()


def test_a_line_that_was_cut_short_is_run_again(tmp_path):
    path, journal = tmp_path / "t.csv", tmp_path / "t.csv.partial"
    kept = _interrupted(path, journal)
    journal.write_bytes(kept[:-10])
    result = simio(HIPPI, *FEW, "-o", str(path))
    assert "2 of 4 rows are there already" in result.stderr
    assert [row["row"] for row in table(path)] == ["1", "2", "3", "4"]


def test_rows_of_another_sweep_are_refused_and_can_be_discarded(tmp_path):
    path, journal = tmp_path / "t.csv", tmp_path / "t.csv.partial"
    _interrupted(path, journal)
    other = [*FEW[:-1], "workload.blast.size=4KiB,8KiB"]
    result = simio(HIPPI, *other, "-o", str(path))
    assert result.exit_code == 2
    assert "is of another sweep" in result.output
    assert journal.exists()
    result = simio(HIPPI, *other, "-o", str(path), "--anew")
    assert result.exit_code == 0
    assert "there already" not in result.stderr


def _interrupted(path: Path, journal: Path) -> bytes:
    """The journal of FEW as a sweep leaves it that was ended after three rows."""
    from simio.loading import ScenarioFile
    from simio.sweeps.journal import Journal
    from simio.sweeps.space import Space
    from simio.sweeps.sweep import Plan, Workers, sweep
    from simio.sweeps.values import axis

    plan = Plan(ScenarioFile(HIPPI), Space(tuple(axis(text, "--set") for text in FEW[1::2])))
    with Journal(journal, plan.header()) as kept:
        for row in sweep(plan, [1, 2, 4], Workers(1)):
            kept.add(row)
    return journal.read_bytes()


@pytest.mark.slow
def test_a_cluster_of_two_workers_gives_the_same_table(whole, tmp_path):
    distributed = pytest.importorskip("distributed")
    path = tmp_path / "t.csv"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        result = simio(HIPPI, *MANY, "--cluster", cluster.scheduler_address, "-o", str(path))
    assert result.exit_code == 0, result.output
    assert path.read_bytes() == whole
