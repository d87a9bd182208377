"""simio run and simio bound as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
HIPPI, DISKS = str(SCENARIOS / "sgi-hippi-raw.yaml"), str(SCENARIOS / "linux-fc-raw.yaml")
QUICK = ["--set", "workload.blast.packets=2"]
DEADLOCK = """
title: A window that never opens
hosts: {a: {model: hosts/sgi-challenge-l}, b: {like: a}}
links: [{model: links/hippi-800, between: [a.hippi, b.hippi]}]
workload: {blast: {from: a, to: b, size: 4 KiB, packets: 10}}
run: {step_budget: 100}
"""


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


def test_the_answer_comes_with_measured_values_and_their_error():
    result = simio("run", DISKS)
    assert result.exit_code == 0, result.output
    assert "194.61" in result.output
    assert "fabric>server.fc is busy" in result.output
    assert "█" in result.output
    assert "4 measured rows: median error" in result.output


def test_one_case_in_full():
    result = simio("run", HIPPI, *QUICK, "--case", "28")
    assert result.exit_code == 0, result.output
    assert "case 28: workload.blast.size = 2 MiB" in result.output
    assert "case 27" not in result.output


def test_measured_values_are_not_claimed_for_a_scenario_that_was_overridden():
    note = "measured values belong to the scenario as it is written"
    assert note in simio("run", HIPPI, *QUICK, "--case", "1").output
    assert note not in simio("run", DISKS, "--case", "2").output


def test_a_case_that_is_not_there():
    result = simio("run", HIPPI, "--case", "30")
    assert result.exit_code == 2
    assert "--case: found 30; expected a number from 1 to 29" in result.output


def test_json_is_complete_and_repeatable():
    first, second = (simio("run", HIPPI, *QUICK, "--json").output for _ in range(2))
    assert first == second
    data = json.loads(first)
    assert len(data["cases"]) == 29
    assert data["scenario"]["set"] == ["workload.blast.packets=2"]
    assert "title: Raw HIPPI" in data["scenario"]["text"]
    case = data["cases"][0]
    assert {
        "throughput",
        "bound",
        "limiter",
        "resources",
        "containers",
        "observations",
        "hash",
        "seeds",
    } <= set(case)
    assert data["resolved"]["hosts"]["onyx"]["kernel"]["values"]["page_pin"]["basis"] == "fitted"


def test_csv_has_a_line_a_case(tmp_path):
    target = tmp_path / "out.csv"
    result = simio("run", HIPPI, *QUICK, "--csv", "--output", str(target))
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert len(rows) == 29
    assert rows[0]["workload.blast.size"] == "256 B"
    assert float(rows[0]["error"]) == pytest.approx(float(rows[0]["throughput (MB/s)"]) / 0.32 - 1, abs=1e-3)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_file_that_cannot_be_written(tmp_path):
    result = simio("run", HIPPI, *QUICK, "--case", "1", "--json", "--output", str(tmp_path / "no" / "such.json"))
    assert result.exit_code == 2
    assert "cannot write" in result.output


def test_a_spent_budget_says_what_to_do(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(DEADLOCK)
    result = simio("run", str(path))
    assert result.exit_code == 3
    assert "the step budget of 100 is spent; raise run.step_budget for more" in result.output


def test_overrides_that_are_wrong_are_refused():
    result = simio("run", DISKS, "--set", "workload.reader.blok=1 MiB")
    assert result.exit_code == 2
    assert "did you mean 'block'?" in result.output


def test_a_read_beyond_the_disk_is_refused():
    result = simio("run", DISKS, "--set", "workload.reader.size=100 GiB")
    assert result.exit_code == 2
    assert "needs 100 GiB of 'd1', which holds" in result.output


def test_bound_names_what_sets_it():
    result = simio("bound", DISKS, "--case", "3")
    assert result.exit_code == 0, result.output
    assert "disks.d.count = 1, workload.reader.access = raw: at most 54.02 MiB/s" in result.output
    assert "d media" in result.output


def test_errors_have_no_traceback_and_status_2(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text("title: x\nhosts: {a: {model: hosts/nothing}}\nworkload: {blast: {size: 4 KB}}\n")
    done = subprocess.run(
        [sys.executable, "-m", "simio", "run", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"{path}:2:" in done.stderr
    assert "KB" in done.stderr
    assert done.stdout == ""


def test_check_tells_of_each_law_how_many_things_it_was_checked_of():
    done = simio("run", str(SCENARIOS / "sgi-hippi-raw.yaml"), "--check", "--case", "1")
    laws = done.output.partition("1 run checked; every law holds")[2].splitlines()[1:]
    counts = [int(line.split()[0].replace(",", "")) for line in laws[1:]]
    assert len(counts) == 11
    assert all(counts)
    assert any("Little's law" in line for line in laws)
