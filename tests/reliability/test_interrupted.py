"""Ctrl-C at whatever instant: no traceback, status 130, and what was done is kept."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from quick_runs import QUICK, Simio

KILLED = -signal.SIGINT
"""What a parent sees where Python itself was just ending; a shell tells 130."""
ENDLESS = (
    "--set",
    "workload.reader.size=none",
    "--set",
    "run.until=100 h",
    "--set",
    f"run.step_budget={2**50}",
)


def interrupted(process: object, after: float) -> tuple[int, str, str]:
    """Status, output and messages of a command that is interrupted after so many seconds."""
    time.sleep(after)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("after", [0.15, 0.3, 0.5, 0.8, 1.2])
def test_at_any_instant(simio: Simio, tmp_path: Path, after: float) -> None:
    target = tmp_path / "result.json"
    target.write_text("what was there")
    status, out, err = interrupted(simio("run", QUICK, "--json", "-o", str(target)), after)
    assert status in (0, 130, KILLED)
    assert "Traceback" not in err
    assert out == ""
    text = target.read_text()
    if text != "what was there":
        assert json.loads(text)["complete"] is (status == 0) or status == KILLED
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_case_that_would_take_for_ever_is_left(simio: Simio, tmp_path: Path) -> None:
    # Two cases: the first ends at once, the second never does.
    scenario = tmp_path / "endless.yaml"
    text = Path(QUICK).with_name("linux-fc-raw.yaml").read_text()
    text = text.split("vary:")[0].split("measured:")[0].split("run:")[0]
    scenario.write_text(text + f"run: {{until: 1 ms, step_budget: {2**50}}}\nvary: {{run.until: [1 ms, 1000 h]}}\n")
    process = simio("run", str(scenario), "--json", "-o", str(tmp_path / "result.json"))
    status, _, err = interrupted(process, 6)
    assert (status, err) == (130, "")
    result = json.loads((tmp_path / "result.json").read_text())
    assert [case["settings"] for case in result["cases"]] == [{"run.until": "1 ms"}]
    assert result["complete"] is False


def test_a_sweep_that_is_terminated_leaves_nothing_behind(simio: Simio, tmp_path: Path) -> None:
    # `timeout` and batch systems send SIGTERM to the command alone, not to its processes.
    table = tmp_path / "table.csv"
    process = simio(
        "sweep", QUICK, "--case", "1", "--no-cache", "--processes", "2", "-o", str(table),
        "--set", "workload.blast.packets=1..5000",
    )  # fmt: skip
    journal = tmp_path / "table.csv.partial"
    until = time.monotonic() + 60
    while time.monotonic() < until and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
        time.sleep(0.05)
    workers = children(process.pid)
    assert len(workers) >= 2
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"rows are in" in err
    assert b"leaked" not in err
    assert b"Traceback" not in err
    until = time.monotonic() + 20
    while time.monotonic() < until and any(map(runs, workers)):
        time.sleep(0.05)
    assert not any(map(runs, workers))


def children(parent: int) -> list[int]:
    """Processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


def runs(process: int) -> bool:
    """Whether a process is there and no mere entry of one that has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
