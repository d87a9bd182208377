"""simio explain as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PING, HIPPI = str(SCENARIOS / "slac-ping.yaml"), str(SCENARIOS / "sgi-hippi-raw.yaml")
PACED = """
title: A server that nobody asks more of
hosts: {a: {model: hosts/sun-e450-400}, b: {like: a}}
links: [{model: links/ethernet-1000, between: [a.ge, b.ge], length: 20 m}]
workload: {requests: {from: a, to: b, request: 100 B, response: 8 KiB, count: 200}}
"""


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def requests(tmp_path: Path) -> str:
    path = tmp_path / "requests.yaml"
    path.write_text(PACED)
    return str(path)


def test_sentences_come_before_tables(requests):
    result = simio("explain", requests)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    said = next(number for number, line in enumerate(lines) if line.startswith("Making CPU clock on"))
    told = next(number for number, line in enumerate(lines) if line.startswith("8 KiB (response of requests) take"))
    table = next(number for number, line in enumerate(lines) if line.startswith("gained by a component that is"))
    assert said < told < table
    assert any(line.startswith("protocols on a ") for line in lines[table:])
    assert any(line.startswith("protocols at b ") for line in lines[table:])


@pytest.mark.slow
def test_gains_of_json_are_those_of_runs_that_a_user_can_make(requests):
    found = json.loads(simio("explain", requests, "--json").output)
    profile = found["profile"]
    rows = {row["component"]["name"]: row for row in profile["rows"]}
    clock = "hosts.b.cpu.clock=800 MHz"
    changed = json.loads(simio("run", requests, "--set", clock, "--json").output)["cases"][0]["bytes_per_second"]
    assert rows["CPU clock on b"]["component"]["values"] == ["hosts.b.cpu.clock"]
    assert rows["CPU clock on b"]["twice"]["gain"] == pytest.approx(changed / profile["base"] - 1)
    assert found["sentences"][0].startswith("Making CPU clock on")
    assert sum(stage["share"] for stage in found["waterfall"]["stages"]) == pytest.approx(1)
    nodelay = next(each for each in profile["what_ifs"] if "TCP_NODELAY" in each["what"])
    changed = json.loads(simio("run", requests, "--set", "workload.requests.nodelay=true", "--json").output)["cases"][
        0
    ]["bytes_per_second"]
    assert nodelay["gain"]["rate"] == pytest.approx(changed)


def test_where_throughput_depends_on_nothing_it_is_about_latency():
    result = simio("explain", PING)
    assert result.exit_code == 0, result.output
    assert "ping: round trip" in result.output
    assert "shortens the round trip" in result.output
    assert "shorter by a component that is" in result.output


def test_another_case_and_an_override(requests):
    result = simio("explain", HIPPI, "--set", "workload.blast.packets=3", "--case", "28")
    assert result.exit_code == 0, result.output
    assert "workload.blast.size = 2 MiB" in result.output
    assert "faster helps most; it raises" in result.output
    result = simio("explain", HIPPI, "--set", "workload.blast.packets=3")
    assert "case 1 of 29; --case N for another" in result.output


def test_a_file(requests, tmp_path):
    target = tmp_path / "why.txt"
    result = simio("explain", requests, "-o", str(target))
    assert result.exit_code == 0, result.output
    assert result.output == ""
    assert "faster helps most; it raises" in target.read_text()


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["missing.yaml"], "missing.yaml"),
        ([PING, "--case", "9"], "--case: found 9; expected a number from 1 to"),
        ([PING, "--set", "workload.ping.cuont=3"], "did you mean"),
    ],
)
def test_mistakes_are_told_as_everywhere(args, told):
    result = simio("explain", *args)
    assert result.exit_code == 2
    assert told in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(("after", "known"), [(0, "(response of requests) take"), (20, "twice as fast")])
def test_an_interrupt_prints_what_is_known(requests, monkeypatch, after, known):
    from simio.explaining.answers import Runner

    begun = Runner.start
    count = iter(range(1000))

    def start(self, program):
        if next(count) == after:
            raise KeyboardInterrupt
        return begun(self, program)

    monkeypatch.setattr(Runner, "start", start)
    result = simio("explain", requests)
    assert result.exit_code == 130
    assert known in result.output


def test_processes_in_python_are_explained_without_a_waterfall(requests, monkeypatch):
    from simio.errors import RunError

    def refuse(*_: object) -> None:
        raise RunError("processes written in Python are not followed step by step")

    monkeypatch.setattr("simio.explaining.stages.Traced.__init__", refuse)
    result = simio("explain", requests)
    assert result.exit_code == 0, result.output
    assert "the time of a unit is not shown: processes written in Python" in result.output
    assert "faster helps most; it raises" in result.output


def test_the_answer_is_in_the_unit_of_the_report(requests: str):
    first = simio("run", requests, "--set", "report.unit=/s").output.splitlines()[2].split()
    told = simio("explain", requests, "--set", "report.unit=/s").output
    assert " ".join(first[:1] + ["/s"]) in told
