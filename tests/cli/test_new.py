"""simio new: each scenario to begin with runs, says something, and overwrites nothing; and completion."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner

from simio.cli.main import main
from simio.cli.new import KINDS
from simio.loading import ScenarioFile, load
from simio.running import run_scenario
from simio.sweeps.space import Space
from simio.sweeps.sweep import Plan, check
from simio.sweeps.values import axis


def simio(*args: str):
    return CliRunner().invoke(main, list(args))


@pytest.mark.parametrize("kind", KINDS)
def test_each_runs_and_carries_something(kind, tmp_path):
    path = tmp_path / "mine.yaml"
    assert simio("new", kind, "-o", str(path)).exit_code == 0
    for case in run_scenario(load(path)).cases:
        assert case.status in ("done", "until")
        assert case.rate > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_sweeps_that_its_comments_suggest_can_be_run(kind, tmp_path):
    path = tmp_path / "mine.yaml"
    text = simio("new", kind).output
    path.write_text(text)
    suggested = re.findall(r"^#   simio sweep FILE (.*?)(?:   .*)?$", text, flags=re.MULTILINE)
    assert suggested
    for line in suggested:
        axes = tuple(axis(given, "--set") for given in shlex.split(line) if given != "--set")
        _, wrong = check(Plan(ScenarioFile(path), Space(axes)))
        assert wrong == []


def test_a_raid_is_written_at_the_rate_that_its_drives_keep_up_with(tmp_path):
    path = tmp_path / "mine.yaml"
    simio("new", "raid", "-o", str(path))
    short, long = (
        run_scenario(load(path, (f"run.until={until}", "run.warm_up=50 ms"))).cases[0].rate
        for until in ("100 ms", "200 ms")
    )
    # Until their buffers are full the drives take a quarter more.
    assert short == pytest.approx(long, rel=0.03)


@pytest.mark.parametrize("kind", ["nvme", "raid", "fio", "arrivals", "nvme-tcp", "objects"])
def test_a_planner_begins_with_drives_of_a_data_centre(kind):
    assert "disks/datacentre-tlc-2023" in simio("new", kind).output


def test_a_file_that_is_there_stays(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    result = simio("new", "disk", "-o", str(path))
    assert result.exit_code == 2
    assert "--force replaces it" in result.output
    assert path.read_text() == "precious"
    assert "cannot write" in simio("new", "disk", "-o", str(tmp_path / "no" / "f.yaml")).output


def test_a_ready_scenario_in_the_place_of_a_kind_is_told_its_option():
    done = simio("new", "linux-fc-raw")
    assert done.exit_code == 2
    assert "'linux-fc-raw' is a ready scenario; simio new --from linux-fc-raw copies it" in done.stderr
    assert simio("new", "--from", "linux-fc-raw").exit_code == 0
    assert "found 'disks'; expected one of nfs, nvme" in simio("new", "disks").stderr
    assert "did you mean 'disk'?" in simio("new", "disks").stderr
    assert "simio new --from NAME copies a ready scenario" in simio("new", "mainframe").stderr


@pytest.mark.parametrize(
    ("kind", "promise", "arguments", "printed"),
    [
        ("disk", "parts, wiring and cases", ("show", "FILE"), "fabric"),
        ("ftp", "the way that the data take", ("show", "FILE", "--graph"), "link1"),
        ("video", "the late frames if there are any", ("run", "FILE", "--set", "workload.play.streams=3"), "late"),
        ("fio", "the same as fio itself would print it", ("run", "FILE", "--fio-json"), '"jobs"'),
    ],
)
def test_a_starter_says_what_its_commands_print(kind, promise, arguments, printed, tmp_path):
    path = tmp_path / "mine.yaml"
    simio("new", kind, "-o", str(path))
    assert promise in path.read_text()
    done = simio(*(str(path) if word == "FILE" else word for word in arguments))
    assert done.exit_code == 0, done.output
    assert printed in done.stdout


def test_its_comments_name_the_file(tmp_path):
    path = tmp_path / "mine.yaml"
    simio("new", "ttcp", "-o", str(path))
    assert f"#   simio run {path}" in path.read_text()


def test_a_name_that_is_no_text_makes_a_scenario_all_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "\udcff.yaml"  # a byte that is no UTF-8, as Python has it from the command line
    assert simio("new", "disk", "-o", name).exit_code == 0
    assert "simio run ?.yaml" in (tmp_path / name).read_text(encoding="utf-8")


def test_help_lists_the_kinds():
    told = simio("new", "--help").output
    for kind, what in KINDS.items():
        assert re.search(rf"^ *{kind} +{what}$", told, flags=re.MULTILINE)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_is_told_how_to_complete(shell):
    result = simio("completion", shell)
    assert result.exit_code == 0
    assert f"_SIMIO_COMPLETE={shell}_complete" in result.output


def completed(words: str) -> list[str]:
    """Completions that a shell is offered for the last of these words."""
    environment = {
        "_SIMIO_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    command = "import sys; sys.argv = ['simio']; from simio.cli.main import main; main(prog_name='simio')"
    done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_kinds_and_parts_are_completed():
    assert completed("simio sw") == ["sweep"]
    assert completed("simio new v") == ["video"]
    assert completed("simio models show di") == ["disks/"]
    assert "disks/fc-15k-2002" in completed("simio models show disks/f")
