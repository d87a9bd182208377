"""Sentences that readers stumbled over: what commands print in place of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.wording import counted


def simio(*arguments: str) -> str:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_run_says_it_in_words_of_the_field() -> None:
    shown = " ".join(simio("run", "linux-fc-raw", "--case", "3").split())
    assert re.search(r"d is occupied 9\d\.\d% of the time and serves one request at a time", shown)
    assert "d (lock)" in shown
    assert "averaged over " in shown
    for old in ("is taken", "a turn", "counted in all", "measured from"):
        assert old not in shown
    assert "totals" in simio("run", "slac-ping-loaded", "--case", "1")


def test_an_explanation_tells_queueing_from_service() -> None:
    shown = " ".join(simio("explain", "linux-fc-raw", "--case", "1").split())
    assert "in service" in shown
    assert "queued behind other requests" in shown
    assert "Of this, " in shown
    assert "something works for it" not in shown


def test_a_comparison_begins_with_the_first() -> None:
    shown = simio("compare", "linux-fc-raw", "--case-a", "1", "--case-b", "3")
    (line,) = (line for line in shown.splitlines() if line.startswith("A: "))
    assert ", B: " in line
    assert "%)" in line


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("optimize", "Ignore configurations above this cost."),
        ("optimize", "Quantity to maximise"),
        ("run", "List the consistency checks that each run has passed."),
    ],
)
def test_help_says_what_an_option_does(command: str, told: str) -> None:
    assert told in " ".join(simio(command, "--help").split())


def test_one_of_a_kind_is_singular(tmp_path: Path) -> None:
    assert [counted(number, "value") for number in (0, 1, 2)] == ["0 values", "1 value", "2 values"]
    once = ("--set", "run.until=1100 ms", "--no-cache")
    swept = simio("sweep", "linux-fc-ext2-write", *once, "-o", str(tmp_path / "t.csv"))
    assert swept.startswith("1 configuration, in ")


def test_a_request_that_is_alone_queues_behind_packets_of_its_own(tmp_path: Path) -> None:
    scenario = tmp_path / "alone.yaml"
    scenario.write_text(
        "title: One transfer\n"
        "hosts: {a: {model: hosts/storage-client-2023}, b: {like: a}}\n"
        "links: [{model: links/ethernet-10g, between: [a.eth, b.eth]}]\n"
        "workload: {requests: {from: a, to: b, request: 100 B, response: 64 KiB, count: 20}}\n"
    )
    shown = " ".join(simio("explain", str(scenario)).split())
    assert re.search(r"\d+% queued behind other requests or packets of its own", shown)
