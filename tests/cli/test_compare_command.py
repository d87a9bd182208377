"""simio compare as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
WINDOWS, PING = str(SCENARIOS / "slac-64k-windows.yaml"), str(SCENARIOS / "slac-ping.yaml")
SHORT = ["--set", "run.until=300 ms", "--set", "run.warm_up=100 ms"]
WIDE = ["--b", "workload.ttcp.window=64 KiB", "--b", "workload.ttcp.streams=4"]


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


def rate(*args: str) -> float:
    return json.loads(simio("run", *args, "--json").output)["cases"][0]["bytes_per_second"]


def test_one_scenario_as_it_is_and_changed():
    result = simio("compare", WINDOWS, *SHORT, *WIDE)
    assert result.exit_code == 0, result.output
    sentences = result.output[: result.output.index("alone in A")]
    assert ", B: " in sentences
    assert "workload.ttcp.streams: 1 -> 4 accounts for +" in sentences
    assert "The changes interact: made one by one, their effects add up to" in sentences
    assert "ttcp at tersk03 waits" in sentences
    assert "tersk03.cpu busy" in result.output


def test_the_shares_of_json_add_up_and_are_of_runs_that_a_user_can_make():
    found = json.loads(simio("compare", WINDOWS, *SHORT, *WIDE, "--case-a", "1", "--json").output)["comparison"]
    case = ["--case", "1"]
    base = rate(WINDOWS, *SHORT, *case)
    alone = [
        rate(WINDOWS, *SHORT, *case, "--set", setting) - base
        for setting in ("workload.ttcp.window=64 KiB", "workload.ttcp.streams=4")
    ]
    both = rate(WINDOWS, *SHORT, *case, *("--set" if each == "--b" else each for each in WIDE))
    assert found["whole"] == pytest.approx(both - base)
    assert [part["alone"] for part in found["parts"]] == pytest.approx(alone)
    assert sum(part["share"] for part in found["parts"]) == pytest.approx(found["whole"])


def test_two_files(tmp_path):
    other = tmp_path / "slower.yaml"
    other.write_text(Path(PING).read_text().replace("length: 50 m", "length: 50 km"))
    result = simio("compare", PING, PING, "--b", "hosts.far.cpu.clock=200 MHz")
    assert result.exit_code == 0, result.output
    assert "hosts.far.cpu.clock" in result.output
    assert "ping: round trip" in result.output


def test_two_cases_of_one_scenario():
    result = simio("compare", WINDOWS, *SHORT, "--case-a", "1", "--case-b", "2")
    assert result.exit_code == 0, result.output
    assert "alone in A" in result.output
    assert "workload.ttcp." in result.output


def test_the_change_is_in_the_words_of_the_scenario():
    result = simio("compare", str(SCENARIOS / "linux-fc-raw.yaml"), "--case-a", "1", "--case-b", "3")
    assert result.exit_code == 0, result.output
    assert "A to B changes disks.d.count from 8 to 1." in result.output
    assert "disks.d.count: 8 -> 1 accounts for -" in result.output
    assert "that follow" in result.output
    assert "disks.d1.rotation" not in result.output


def test_alike():
    result = simio("compare", PING, PING)
    assert result.exit_code == 0, result.output
    assert "A and B are alike: nothing that is simulated differs." in result.output


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([PING], "no difference between A and B; expected another scenario, --a, --b or --case-b"),
        ([PING, "missing.yaml"], "missing.yaml"),
        ([PING, "--b", "workload.ping.cuont=3"], "did you mean"),
        ([PING, "--case-a", "9", "--b", "workload.ping.count=3"], "--case-a: found 9; expected a number from 1 to"),
        ([PING, "--case-b", "9"], "--case-b: found 9; expected a number from 1 to"),
    ],
)
def test_mistakes_are_told_as_everywhere(args, told):
    result = simio("compare", *args)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


def test_an_interrupt_prints_what_is_known(monkeypatch):
    from simio.explaining import contrast

    begun = contrast.run_case
    count = iter(range(100))

    def run(case):
        if next(count) == 3:
            raise KeyboardInterrupt
        return begun(case)

    monkeypatch.setattr(contrast, "run_case", run)
    result = simio("compare", WINDOWS, *SHORT, *WIDE)
    assert result.exit_code == 130
    assert ", B: " in result.output
    assert "interrupted" in result.output
