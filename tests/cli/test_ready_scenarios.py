"""Ready scenarios by name from any folder, their list, and copies of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import simio as package
from simio.cli.main import main
from simio.loading.ready import ready_names
from simio.lower import lower
from simio.program.digest import program_hash

QUICK = ("--set", "run.until=20 ms", "--case", "1")


def simio(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["linux-fc-raw", "linux-fc-raw.yaml", "scenarios/linux-fc-raw.yaml"])
def test_a_ready_scenario_is_found_from_anywhere(name: str) -> None:
    done = simio("run", name, *QUICK)
    assert done.exit_code == 0, done.output
    assert "Raw reads from Fibre Channel disks" in done.stdout


@pytest.mark.parametrize("command", [["bound"], ["show"], ["compare", "--case-a", "1", "--case-b", "3", *QUICK[:2]]])
def test_every_command_takes_the_name(command: list[str]) -> None:
    done = simio(command[0], "linux-fc-raw", *command[1:])
    assert done.exit_code == 0, done.output


def test_python_takes_the_name_too() -> None:
    assert len(package.load("linux-fc-raw").cases) == 3


@pytest.mark.parametrize("file", ["linux-fc-raw", "linux-fc-raw.yaml"])
def test_a_file_of_the_name_here_comes_first(file: str) -> None:
    text = simio("new", "disk").stdout.replace("Reads from Fibre Channel disks", "Mine")
    Path(file).write_text(text)
    assert simio("show", "linux-fc-raw").stdout.startswith("Mine")


def test_a_misspelt_name_is_suggested() -> None:
    assert "did you mean 'linux-fc-raw'?" in simio("run", "linux-fc-rav").stderr
    assert "did you mean 'linux-fc-raw'?" in simio("run", "scenarios/linux-fc-rav.yaml").stderr
    assert "did you mean" not in simio("run", "other/linux-fc-rav.yaml").stderr


def test_the_list_has_a_line_for_each() -> None:
    lines = simio("scenarios").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ready_names()
    found = {each["name"]: each for each in json.loads(simio("scenarios", "--json").stdout)}
    assert all(each["title"] and each["question"].endswith("?") for each in found.values())
    assert "one Fibre Channel port" in found["linux-fc-raw"]["question"]


@pytest.mark.parametrize("name", ["linux-fc-raw", "slac-datamove8", "raid5-writes"])
def test_a_copy_gives_the_same_and_can_be_changed(name: str) -> None:
    assert simio("new", "--from", name, "-o", "mine.yaml").exit_code == 0
    one, other = package.load("mine.yaml").scenario, package.load(name).scenario
    assert [case.settings for case in one.cases] == [case.settings for case in other.cases]
    first, second = (program_hash(lower(each.cases[0].system)) for each in (one, other))
    assert first == second
    assert all(not case.measured for case in one.cases)
    assert Path("mine.yaml").read_text().startswith("# ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ready_names())
def test_every_copy_loads(name: str) -> None:
    Path("mine.yaml").write_text(simio("new", "--from", name).stdout)
    assert package.load("mine.yaml").cases


def test_new_takes_a_kind_or_a_name() -> None:
    assert simio("new").exit_code == 2
    assert simio("new", "disk", "--from", "linux-fc-raw").exit_code == 2
    assert "did you mean 'linux-fc-raw'?" in simio("new", "--from", "linux-fc-rav").stderr


def test_completion_knows_the_names() -> None:
    line = {"_SIMIO_COMPLETE": "bash_complete", "COMP_WORDS": "simio run linux-fc-r", "COMP_CWORD": "2"}
    assert "plain,linux-fc-raw" in CliRunner().invoke(main, env=line, prog_name="simio").output


def test_scenarios_are_found_by_words_of_their_title_and_question():
    found = [line.split()[0] for line in simio("scenarios", "NVMe", "iscsi").stdout.splitlines()]
    assert found == ["nvme-tcp-or-iscsi"]
    done = simio("scenarios", "nvme", "abacus")
    assert done.exit_code != 0
    assert "no ready scenario has 'nvme' and 'abacus'; simio scenarios lists all" in done.stderr
