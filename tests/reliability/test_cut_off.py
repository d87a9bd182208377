"""A run that its step budget or Ctrl-C ends: what it came to is kept, and marked."""

from __future__ import annotations

import csv
import io
import json
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from simio import running
from simio.calibration.predict import with_intervals
from simio.cli.main import CUT_OFF, INTERRUPTED, main
from simio.cli.progress import IntervalProgress, Progress
from simio.engines import compiled, reference
from simio.engines.outcome import Interrupted, Status
from simio.errors import RunError
from simio.loading import load
from simio.lower import lower
from simio.observing import InterruptedActivity, observe
from simio.report import data, terminal
from simio.result.model import ScenarioResult
from simio.running import RunOptions, run_case, run_scenario
from simio.waiting import watched

ENDLESS = """
title: Writes without end
hosts:
  a: {model: hosts/sun-e450-400}
  b: {like: a}
links:
  - {model: links/ethernet-1000, between: [a.ge, b.ge], length: 10 m}
workload: {ttcp: {from: a, to: b, size: 64 KiB, writes: 16777216, window: 256 KiB}}
run: {step_budget: 1000000000000}
"""
SPENT = "the step budget of 100,000 is spent; raise run.step_budget for more"


class Impatient:
    """Presses Ctrl-C when a run is heard of for the `wanted` time."""

    def __init__(self, wanted: int = 1) -> None:
        self.wanted = wanted
        self.heard: list[tuple[int, int, int, int]] = []

    def prepares(self, steps: int) -> None:
        pass

    def runs(self, now: int, until: int, delivered: int, of: int) -> None:
        self.heard.append((now, until, delivered, of))
        if len(self.heard) == self.wanted:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A scenario that runs for days; a run is heard of soon."""
    # However fast the machine is, the loop returns after the same numbers of steps.
    monkeypatch.setattr(compiled, "SLICE", 50_000)
    monkeypatch.setattr(compiled, "PAUSE", 1e9)
    monkeypatch.setattr(reference, "EVERY", 1_000)
    path = tmp_path / "endless.yaml"
    path.write_text(ENDLESS)
    return str(path)


def interrupted(scenario: str, *sets: str, engine: str | None = None, wanted: int = 1) -> ScenarioResult:
    with watched(Impatient(wanted)):
        return run_scenario(load(scenario, sets), sets, RunOptions(engine))


def simio(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def on_terminal(result: ScenarioResult) -> list[str]:
    console = Console(file=io.StringIO(), width=200)
    terminal.show(console, result)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_ctrl_c_leaves_what_has_run_of_the_case(endless: str, engine: str) -> None:
    result = interrupted(endless, engine=engine)
    (case,) = result.cases
    assert not result.complete
    assert case.status == "interrupted"
    assert case.rate > 0
    assert case.cut_off.startswith("interrupted at ")
    assert on_terminal(result)[1] == case.cut_off
    assert json.loads("".join(data.as_json(result)))["cases"][0]["cut_off"] == case.cut_off


def test_the_time_to_simulate_is_told(endless: str) -> None:
    (case,) = interrupted(endless, "run.until=10 s").cases
    assert case.cut_off.endswith(" of 10 s simulated")


def test_a_replication_that_is_interrupted_does_not_count(endless: str) -> None:
    sets = ("workload.ttcp.writes=300", "run.replications=5", "links.link1.loss=0.001")
    loaded = load(endless, sets)
    whole = run_scenario(load(endless, (*sets, "run.replications=2")))
    heard = Impatient(10**9)
    with watched(heard):
        run_scenario(load(endless, (*sets, "run.replications=2")))
    with watched(Impatient(len(heard.heard) + 1)):
        result = run_scenario(loaded, sets)
    (case,) = result.cases
    assert not result.complete
    assert case.cut_off == "interrupted after 2 runs"
    assert case.rate == whole.cases[0].rate


def test_the_cases_that_were_finished_stay(endless: str, tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(ENDLESS + "vary: {run.until: [1 ms, 1000 h]}\n")
    result = interrupted(str(path))
    assert [case.status for case in result.cases] == ["until", "interrupted"]
    lines = on_terminal(result)
    assert lines[1] == "interrupted: 1 case finished"
    assert lines[2].startswith("case 2 interrupted at ")


def test_other_work_is_simply_interrupted(endless: str) -> None:
    with watched(Impatient()), pytest.raises(KeyboardInterrupt):
        run_case(load(endless).cases[0])
    with watched(Impatient()), pytest.raises(Interrupted) as raised:
        compiled_run(endless)
    assert raised.value.outcome.status == Status.INTERRUPTED


def compiled_run(scenario: str) -> None:
    from simio.engines.execute import execute
    from simio.engines.outcome import Options

    execute(lower(load(scenario).cases[0].system), Options(budget=10**12))


def test_ctrl_c_while_a_run_is_traced(endless: str) -> None:
    with watched(Impatient()), pytest.raises(InterruptedActivity) as raised:
        observe(load(endless).cases[0].system, most=10**6)
    activity = raised.value.activity
    assert activity.passed
    assert max(span.until for span in activity.passed) == activity.end <= raised.value.outcome.end


def test_a_run_that_is_traced_tells_how_much_of_the_trace_there_is(
    endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "CHUNK", 1000)
    watcher = Impatient(0)
    with watched(watcher):
        observe(load(endless).cases[0].system, most=20_000, until=10**15)
    spans = [spans for _, _, spans, of in watcher.heard if of == 20_000]
    assert len(spans) > 2
    assert sorted(spans) == spans


def test_a_trace_that_is_interrupted_is_written(
    endless: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Progress, "runs", Impatient().runs)
    target = tmp_path / "t.json"
    done = simio("trace", endless, "--spans", "1000000", "-o", str(target))
    assert done.exit_code == INTERRUPTED
    assert "interrupted: the trace is of the time until then" in done.stderr
    assert any(event["ph"] == "X" for event in json.loads(target.read_text())["traceEvents"])


def test_a_spent_budget_keeps_what_is_known(endless: str) -> None:
    done = simio("run", endless, "--set", "run.step_budget=100000")
    assert done.exit_code == CUT_OFF
    title, first, _, answer = done.stdout.splitlines()[:4]
    assert title == "Writes without end"
    assert first.startswith("cut off at ")
    assert first.endswith(SPENT)
    assert float(answer.split()[0]) > 0
    rows = list(csv.DictReader(io.StringIO(simio("run", endless, "--set", "run.step_budget=100000", "--csv").stdout)))
    assert rows[0]["cut off"] == first


def test_only_who_asks_gets_part_of_a_run(endless: str) -> None:
    loaded = load(endless, ("run.step_budget=100000",))
    with pytest.raises(RunError, match="the budget of 100,000 steps was spent"):
        run_case(loaded.cases[0])
    assert SPENT in run_case(loaded.cases[0], RunOptions(partial=True)).cut_off


def test_a_run_cut_off_is_the_same_on_both_engines(endless: str) -> None:
    (case,) = load(endless, ("run.step_budget=100000",)).cases
    one, other = (run_case(case, RunOptions(engine, partial=True)) for engine in ("compiled", "simpy"))
    assert (one.rate, one.end, one.cut_off) == (other.rate, other.end, other.cut_off)


@pytest.mark.parametrize("engine", ["compiled", "simpy"])
def test_observations_without_room_keep_what_is_known(
    endless: str, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    (case,) = load(endless).cases
    with monkeypatch.context() as patch:
        for module in (compiled, reference, running):
            patch.setattr(module, "RECORD_LIMIT", 600)
        with pytest.raises(RunError, match="more observations than a run may record"):
            run_case(case, RunOptions(engine))
        result = run_case(case, RunOptions(engine, partial=True))
    assert result.cut_off.endswith("simulated: 600 observations are recorded, the most that a run may have")
    assert result.rate > 0
    whole = run_case(load(endless, (f"run.until={result.end} ps",)).cases[0], RunOptions(engine))
    assert abs(result.rate / whole.rate - 1) < 0.01


@pytest.mark.usefixtures("own_results")
def test_a_sweep_keeps_the_row_with_a_note(endless: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    sets = ("--set", "workload.ttcp.writes=5,1000000", "--set", "run.step_budget=100000")
    command = ("sweep", endless, *sets, "-o", str(table))
    done = simio(*command)
    assert done.exit_code == 0, done.output
    assert "2 configurations, 1 cut off" in done.stdout
    short, long = csv.DictReader(table.open())
    assert short["error"] == ""
    assert SPENT in long["error"]
    assert float(long["throughput (MB/s)"]) > 0
    # The note is kept with the result for later sweeps.
    before = table.read_text()
    table.unlink()
    assert "2 known from earlier runs" in simio(*command).stdout
    assert table.read_text() == before


def test_a_long_run_tells_how_far_it_has_come(endless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(Progress, "LONG", 0)
    monkeypatch.setattr(Progress, "PAUSE", 0)
    monkeypatch.setattr(Progress, "show", lambda _, text: lines.append(text))
    for sets in ("run.until=500 ms",), ("workload.ttcp.writes=500",):
        lines.clear()
        loaded = load(endless, sets)
        with Progress(1):
            run_scenario(loaded)
        assert len(lines) > 1
        assert all(" simulated" in line and "Ctrl-C" in line for line in lines)
        assert " s left" in lines[-1]
        assert (" of 500 ms simulated" in lines[-1]) == (sets == ("run.until=500 ms",))


def test_intervals_tell_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(Progress, "PAUSE", 0)
    monkeypatch.setattr(Progress, "show", lambda _, text: lines.append(text))
    loaded = load("scenarios/sgi-hippi-raw.yaml")
    result = run_scenario(loaded, cases=[5, 6])
    with IntervalProgress(2) as progress:
        with_intervals(loaded, result, progress=lambda cases: [progress.step() for _ in range(cases)])
    assert progress.done == 2
    # Both are of one group, and each is told when it is there.
    assert {line.partition(" intervals; ")[0] for line in lines} == {"0 of 2", "1 of 2"}
    assert lines[0].endswith("are varied since 0 s (Ctrl-C shows the answers without)")


def test_without_a_terminal_nothing_is_shown(endless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Progress, "LONG", 0)
    monkeypatch.setattr(Progress, "PAUSE", 0)
    assert simio("run", endless, "--set", "run.until=500 ms").stderr == ""


def stopped(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_commands_that_are_stopped_before_a_first_run_say_that_there_is_none(
    endless: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simio.cli.explain.lower", stopped)
    monkeypatch.setattr("simio.sweeps.optimize.Search.run", stopped)
    monkeypatch.setattr("simio.sweeps.capacity.Capacity.search", stopped)
    for command in (
        ("explain", endless),
        ("optimize", endless, "--vary", "workload.ttcp.writes=1,2"),
        ("capacity", endless, "--load", "workload.ttcp.writes", "--until", "utilisation of a.cpu < 50%"),
    ):
        found = simio(*command)
        assert found.exit_code == INTERRUPTED
        assert "interrupted before the first run was done" in found.stdout
        assert "best" not in found.stdout


def test_a_search_for_the_largest_load_that_is_stopped_says_so_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "short.yaml"
    path.write_text(ENDLESS.replace("writes: 16777216", "writes: 40"))
    asked = ("capacity", str(path), "--load", "workload.ttcp.writes", "--until", "utilisation of a.cpu < 100%")
    monkeypatch.setattr("simio.sweeps.capacity.Capacity.complete", stopped)
    found = simio(*asked, "--to", "80")
    assert found.exit_code == INTERRUPTED
    first, second, *_ = found.stdout.splitlines()
    assert first.startswith("interrupted after ")
    assert second == "80   is the most so far for utilisation of a.cpu < 100%"
    assert json.loads(simio(*asked, "--to", "80", "--json").stdout)["complete"] is False
