"""simio run with the requests of a replay, as a user meets it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main

SERVER = "trace-server"
SHORT = ("--set", "workload.replay.last=40")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments])


def test_a_file_of_requests_comes_beside_the_answer(tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    plain, done = run(SERVER, *SHORT, "--case", "1"), run(SERVER, *SHORT, "--requests", str(target))
    assert done.exit_code == 0, done.output
    assert done.stdout == plain.stdout
    assert "requests of case 1 of 6; --case N for another" in done.stderr
    rows = list(csv.DictReader(target.open(encoding="ascii")))
    assert sorted(int(row["request"]) for row in rows) == list(range(1, 41))
    assert {row["device"] for row in rows} == {"data", "log"}
    assert {row["operation"] for row in rows} == {"read", "write"}
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SERVER, "--case", "1", "--requests", "r.txt"], "expected a name that ends in .csv or .parquet"),
        (["sgi-hippi-raw", "--case", "1", "--requests", "r.csv"], "only workloads of kind replay"),
        ([SERVER, "--case", "1", "--requests", "no/r.csv"], "no folder"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path: Path, monkeypatch, arguments: list[str], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, *(SHORT if arguments[0] == SERVER else ()))
    assert done.exit_code == 2, done.output
    assert message in done.output
    assert not list(tmp_path.iterdir())


def test_the_trace_itself_is_not_replaced(tmp_path: Path) -> None:
    trace = Path(__file__).parents[2] / "scenarios" / "trace-server.spc"
    own = tmp_path / "t.csv"
    own.write_bytes(trace.read_bytes())
    done = run(
        SERVER, *SHORT, "--set", f"workload.replay.trace={own}", "--case", "1", "--force", "--requests", str(own)
    )
    assert own.read_bytes() == trace.read_bytes(), done.output
    assert done.exit_code == 2
    assert "this command reads it" in done.output
