"""The command itself: help, version, and how each kind of error ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from simio.cli.main import COMMANDS, LazyGroup, main
from simio.errors import RunError, ScenarioError
from simio.loading.catalogue import data_root
from simio.version import VERSION

SIMIO = [sys.executable, "-m", "simio"]
SCENARIO = data_root("simio.scenarios") / "linux-fc-raw.yaml"


def failing(error: BaseException) -> LazyGroup:
    """The command with a subcommand `fail` that raises `error`."""

    @click.group(cls=LazyGroup)
    @click.option("--debug", is_flag=True)
    def group(debug: bool) -> None:
        pass

    @group.command("fail")
    def fail() -> None:
        raise error

    assert isinstance(group, LazyGroup)
    return group


def test_help_imports_no_subcommand_and_nothing_heavy() -> None:
    script = (
        "import sys; from simio.cli.main import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = 'numpy numba yaml pydantic rich plotly networkx simpy scipy'.split()\n"
        "print([m for m in sys.modules if m in heavy or m in {'simio.loading', 'simio.cli.show', 'simio.cli.run'}])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(text in done.stdout for _, text in COMMANDS.values())


def test_every_subcommand_is_where_the_table_says() -> None:
    with click.Context(main) as ctx:
        commands = [main.get_command(ctx, name) for name in main.list_commands(ctx)]
    assert [command.name for command in commands if command] == list(COMMANDS)


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).stdout == f"simio {VERSION}\n"


def test_an_unknown_command_is_told_with_the_nearest() -> None:
    done = CliRunner().invoke(main, ["modles"])
    assert done.exit_code == 2
    assert "did you mean 'models'?" in done.stderr
    assert "run, bound, show" in CliRunner().invoke(main, ["zzz"]).stderr


def test_an_expected_error_is_its_message_only() -> None:
    done = CliRunner().invoke(failing(RunError("all threads wait")), ["fail"])
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", "all threads wait\n")


def test_a_defect_is_one_line_and_another_status() -> None:
    done = CliRunner().invoke(failing(KeyError("a\nb")), ["fail"])
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("simio: internal error: KeyError: ")
    assert done.stderr.endswith("run with --debug for the traceback\n")


@pytest.mark.parametrize(("error", "status"), [(RunError("all threads wait"), 2), (KeyError("a"), 1)])
def test_debug_shows_the_traceback_and_keeps_the_status(error: Exception, status: int) -> None:
    done = CliRunner().invoke(failing(error), ["--debug", "fail"])
    assert done.exit_code == status
    assert done.stderr.startswith("Traceback (most recent call last)")
    assert type(error).__name__ in done.stderr.splitlines()[-1]


def test_an_interrupt_is_quiet() -> None:
    done = CliRunner().invoke(failing(KeyboardInterrupt()), ["fail"])
    assert (done.exit_code, done.output) == (130, "")


def test_all_faults_of_a_scenario_are_told_without_traceback(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("title: t\nhosts: {a: {model: hosts/nothing}}\nworkload: {blast: {packets: none}}\nextra: 1\n")
    done = subprocess.run([*SIMIO, "show", str(path)], capture_output=True, text=True)
    assert done.returncode == ScenarioError.exit_status == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) >= 3
    assert all(line.startswith(f"{path}:") for line in lines)


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [*SIMIO, "show", str(SCENARIO), "--program"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        # Longer than a pipe holds, so that simio is still writing when nobody reads any more.
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_a_terminal_without_the_characters_gets_question_marks() -> None:
    done = subprocess.run(
        [*SIMIO, "show", str(SCENARIO)], capture_output=True, env={"PYTHONIOENCODING": "latin-1", "PATH": ""}
    )
    assert done.returncode == 0
    assert b"?? cpu" in done.stdout
