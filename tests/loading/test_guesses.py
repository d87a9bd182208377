"""The value without a source that an answer rests on: found, said, and forgotten when it no longer holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.loading import guesses
from simio.loading.catalogue import data_root
from simio.loading.guesses import guess_of, text_hash
from simio.loading.ready import ready_names

NAME = "ancor-fc-nodelay"
ASSUMED = ["stacks/aix-3.2.buffer_cost", "20 us", "assumed", 0, 0.16]
SMALLER = ["adapters/ancor-mca-266.transmit_cost", "100 us", "assumed", 0, 0.12]
LATER = ["stacks/aix-3.2.update_divisor", "3", "assumed", 3, 0.27]


def text_of(name: str) -> str:
    return (Path(data_root("simio.scenarios")) / f"{name}.yaml").read_text()


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that keeps rows as what the scenario depends on."""
    file = tmp_path / guesses.FILE
    monkeypatch.setattr(guesses, "depends_file", lambda: file)

    def keep(*rows: list[object], text: str = text_of(NAME)) -> None:
        file.write_text(json.dumps({NAME: {"text": text_hash(text), "depends": rows}}))

    return keep


def found(*cases: int) -> str | None:
    guess = guess_of(f"scenarios/{NAME}.yaml", text_of(NAME), cases)
    return guess.name if guess else None


def test_the_value_with_the_largest_change_in_the_cases_that_were_run(kept: Any) -> None:
    kept(SMALLER, ASSUMED, LATER)
    assert found(0, 3) == LATER[0]
    assert found(0) == ASSUMED[0]
    assert found(7) is None


@pytest.mark.parametrize(
    "stale",
    [
        ["stacks/aix-3.2.buffer_cost", "25 us", "assumed", 0, 0.9],
        ["stacks/aix-3.2.socket_call", "25 us", "assumed", 0, 0.9],
        ["stacks/aix-3.2.no_such_key", "25 us", "default", 0, 0.9],
        ["stacks/no-such-stack.buffer_cost", "20 us", "assumed", 0, 0.9],
    ],
    ids=["another value", "with a source now", "no such key", "no such part"],
)
def test_what_no_longer_holds_is_not_said(kept: Any, stale: list[object]) -> None:
    kept(stale, SMALLER)
    assert found(0) == SMALLER[0]


def test_a_scenario_of_another_text_rests_on_nothing_known(kept: Any) -> None:
    kept(ASSUMED, text="title: Another")
    assert found(0) is None


def test_a_run_says_it_in_a_line_and_in_json_but_not_of_a_changed_scenario(kept: Any) -> None:
    kept(ASSUMED)
    run = CliRunner()
    said = "rests most on stacks/aix-3.2.buffer_cost = 20 us, which has no source (assumed): varied alone"
    assert said in run.invoke(main, ["run", NAME, "--case", "1"]).stdout
    data = json.loads(run.invoke(main, ["run", NAME, "--case", "1", "--json"]).stdout)
    assert data["rests_on"] == dict(zip(("name", "written", "basis", "case", "change"), ASSUMED, strict=True))
    changed = run.invoke(main, ["run", NAME, "--case", "1", "--set", "workload.ttcp.size=512 B"])
    assert changed.exit_code == 0
    assert "rests most" not in changed.stdout


def test_all_that_is_kept_is_of_ready_scenarios_and_can_be_said() -> None:
    known = json.loads(guesses.depends_file().read_text())
    assert known.keys() <= set(ready_names())
    for row in (row for each in known.values() for row in each["depends"]):
        assert guesses.Guess(*row).change > 0.05
