"""simio trace, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from simio.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
HIPPI = str(SCENARIOS / "sgi-hippi-raw.yaml")


def trace(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["trace", *arguments])


def told(done: Result) -> list[str]:
    return [line for line in done.stderr.splitlines() if not line.startswith("simio: compiling")]


def test_the_file_says_what_ran(tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    done = trace(HIPPI, "--case", "3", "-o", str(target))
    assert done.exit_code == 0, done.output
    found = json.loads(target.read_text())
    spans = [event for event in found["traceEvents"] if event["ph"] == "X"]
    assert done.stdout.startswith(f"{target}: {len(spans):,} spans from 0 s to ")
    assert found["otherData"]["case"] == 3
    assert found["otherData"]["settings"]["workload.blast.size"] == "512 B"
    assert told(done) == []


def test_the_window_and_the_limit_are_told(tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    done = trace(HIPPI, "--from", "1 ms", "--until", "3 ms", "--spans", "20", "-o", str(target))
    assert done.exit_code == 0, done.output
    assert " spans from 1 ms to " in done.stdout
    assert told(done) == [
        "simio: case 1 of 29; --case N for another",
        "simio: the trace ends after 24 spans, before the run does; see --from, --until, --spans",
    ]
    spans = [event for event in json.loads(target.read_text())["traceEvents"] if event["ph"] == "X"]
    assert all(1000 <= span["ts"] <= span["ts"] + span["dur"] <= 3000.001 for span in spans)


def test_the_first_look_is_short(tmp_path: Path) -> None:
    def spans(*options: str) -> int:
        target = tmp_path / "t.json"
        done = trace(str(SCENARIOS / "slac-jumbo.yaml"), *options, "-o", str(target))
        assert done.exit_code == 0, done.output
        count = target.read_text().count('"ph": "X"')
        assert (f"the trace ends after {count:,} spans" in done.stderr) == (count >= 20_000)
        return count

    assert 20_000 <= spans() < 21_000
    assert spans("--until", "900 ms") > 21_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--from", "1 kB"), "--from: found '1 kB', a size"),
        (("--from", "soon"), "--from: found 'soon'"),
        (("--from", "2 ms", "--until", "1 ms"), "--until is not after --from"),
        (("--case", "99"), "--case: found 99; expected a number from 1 to 29"),
        (("--spans", "0"), "--spans"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    target = tmp_path / "t.json"
    done = trace(HIPPI, *options, "-o", str(target))
    assert done.exit_code == 2
    assert said in done.stderr
    assert not target.exists()


def test_a_run_that_fails_leaves_what_happened_until_then(tmp_path: Path) -> None:
    target = tmp_path / "t.json"
    done = trace(HIPPI, "--set", "run.step_budget=500", "-o", str(target))
    assert done.exit_code == 2
    assert "the budget of 500 steps was spent" in done.stderr
    assert any(event["ph"] == "X" for event in json.loads(target.read_text())["traceEvents"])
