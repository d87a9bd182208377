"""Ctrl-C at whatever instant: no traceback, status 130, and what was done is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from quick_runs import QUICK, Simio
from signalled import signalled

pytestmark = pytest.mark.slow

HANG = 600
"""Seconds after which a test gives up; no busy machine takes so long."""
KILLED = -signal.SIGINT
"""What a parent sees where Python itself was just ending; a shell tells 130."""


def interrupted(process: object, after: float) -> tuple[int, str, str]:
    """Status, output and messages of a command that is interrupted after so many seconds."""
    time.sleep(after)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("after", [0.15, 0.3, 0.5, 0.8, 1.2])
def test_at_any_instant(simio: Simio, tmp_path: Path, after: float) -> None:
    target = tmp_path / "result.json"
    target.write_text("what was there")
    status, out, err = interrupted(simio("run", QUICK, "--json", "--force", "-o", str(target)), after)
    assert status in (0, 130, KILLED)
    assert "Traceback" not in err
    assert out == ""
    text = target.read_text()
    if text != "what was there":
        assert json.loads(text)["complete"] is (status == 0) or status == KILLED
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_case_that_would_take_for_ever_is_left(tmp_path: Path) -> None:
    # Two cases: the first ends at once, the second never does.
    scenario, target = tmp_path / "endless.yaml", tmp_path / "result.json"
    text = Path(QUICK).with_name("linux-fc-raw.yaml").read_text()
    text = text.split("vary:")[0].split("measured:")[0].split("run:")[0]
    scenario.write_text(text + f"run: {{until: 1 ms, step_budget: {2**50}}}\nvary: {{run.until: [1 ms, 1000 h]}}\n")
    command = signalled("cases", "SIGINT", 1, tmp_path / "children")
    ran = subprocess.run(
        [*command, "run", str(scenario), "--json", "-o", str(target)], capture_output=True, start_new_session=True
    )
    assert (ran.returncode, ran.stderr) == (130, b"")
    result = json.loads(target.read_text())
    assert [case["settings"] for case in result["cases"]] == [{"run.until": "1 ms"}, {"run.until": "1000 h"}]
    assert [case["status"] for case in result["cases"]] == ["until", "interrupted"]
    assert result["cases"][1]["cut_off"].startswith("interrupted at ")
    assert result["cases"][1]["cut_off"].endswith(" of 1000 h simulated")
    assert result["complete"] is False


def test_a_sweep_that_is_terminated_leaves_nothing_behind(tmp_path: Path) -> None:
    table, noted = tmp_path / "table.csv", tmp_path / "children"
    ran = subprocess.run(
        [
            *signalled("rows", "SIGTERM", 3, noted), "sweep", QUICK, "--case", "1", "--no-cache",
            "--processes", "2", "-o", str(table), "--set", "workload.blast.packets=1..5000",
        ],
        capture_output=True,
        start_new_session=True,
    )  # fmt: skip
    workers = [int(word) for word in noted.read_text().split()]
    assert len(workers) >= 2
    assert ran.returncode == 130
    assert b"rows are in" in ran.stderr
    assert b"leaked" not in ran.stderr
    assert b"Traceback" not in ran.stderr
    until = time.monotonic() + HANG
    while any(map(runs, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(runs, workers))


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    # Four cases end at once, the others never do.
    scenario, noted = tmp_path / "endless.yaml", tmp_path / "children"
    text = Path(QUICK).with_name("linux-fc-raw.yaml").read_text()
    text = text.split("vary:")[0].split("measured:")[0].split("run:")[0]
    scenario.write_text(text + f"run: {{step_budget: {2**50}}}\n")
    ran = subprocess.run(
        [
            *signalled("rows", "SIGKILL", 4, noted), "sweep", str(scenario), "--no-cache", "--processes", "2",
            "-o", str(tmp_path / "table.csv"), "--set", "run.until=1ms,2ms,3ms,4ms,1000h,1001h,1002h,1003h",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    assert ran.returncode == -signal.SIGKILL
    workers = [int(word) for word in noted.read_text().split()]
    assert len(workers) >= 2
    until = time.monotonic() + HANG
    while any(map(runs, workers)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(map(runs, workers))


def runs(process: int) -> bool:
    """True if a process is there and no mere entry of one that has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
