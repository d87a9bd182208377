"""Every command that documents, starters, scenarios and helps name in passing exists, with its options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from docs_pages import DOCUMENTS, ROOT

from simio.cli.main import COMMANDS, main

_INLINE = re.compile(r"`((?:python -m )?simio [^`]+)`")
_LINE = re.compile(r"^[ #$|]*(simio [a-z].*)$", re.MULTILINE)
_PROSE = re.compile(r"^simio [a-z]+ (?:is|reads|writes|needs|prints|has|says|gives|and|of|with|from|names)\b")
PATHS = [
    *(ROOT / name for name in DOCUMENTS),
    *sorted((ROOT / "simio" / "starters").glob("*.yaml")),
    *sorted((ROOT / "scenarios").glob("*.yaml")),
]
GOOD_READY = ("simio run linux-fc-raw", "simio models hosts/linux-2002-dual-p3", "simio models links/ethernet-1000")


def commands(text: str, markdown: bool) -> Iterator[str]:
    """The commands that a text names: in code, or on a line of their own."""
    if markdown:
        yield from (match.replace("\n", " ") for match in _INLINE.findall(text))
        fenced = "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        yield from _LINE.findall(fenced)
    else:
        yield from _LINE.findall(text)


def check(line: str) -> None:
    """Resolve a command, its subcommands and its options, without running it; raises click's exceptions."""
    line = re.split(r"\s{2,}|\s[|>&;]|&&|\\$", line.removeprefix("python -m ").strip())[0]
    words = shlex.split(line, comments=True)[1:]
    group: click.Command = main
    context = click.Context(main)
    while isinstance(group, click.Group):
        words = group.make_parser(context).parse_args(words)[1]
        if not words:
            return
        name, found, rest = group.resolve_command(context, words)
        assert found is not None, line
        context, group, words = click.Context(found, info_name=name, parent=context), found, rest
    # Placeholders in brackets and dots stand for any argument.
    words = [word.strip("[]") for word in words if word not in ("...", "…")]
    if words and words[-1].startswith("-") and words[-1] != "-":
        words.append("VALUE")
    group.make_parser(context).parse_args([word for word in words if word])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_commands_of_a_file_exist(path: Path) -> None:
    wrong = []
    for line in commands(path.read_text(), path.suffix == ".md"):
        if _PROSE.match(line):
            continue
        try:
            check(line)
        except (click.ClickException, ValueError) as error:
            wrong.append(f"{line}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_help_exist(name: str) -> None:
    text = CliRunner().invoke(main, [name, "--help"]).stdout
    for line in _LINE.findall(text):
        check(line)


def test_a_command_that_does_not_exist_is_found() -> None:
    assert list(commands("# see `simio bogus x` and\n```console\n$ simio run a.yaml --bad\n```\n", markdown=True))
    for line in (
        "simio bogus x",
        "simio run a.yaml --bad",
        "simio sweep a.yaml --pairs k=v",
        "simio models --clas disk",
    ):
        with pytest.raises(click.ClickException):
            check(line)


def test_every_command_is_in_the_table_of_commands() -> None:
    text = (ROOT / "docs" / "commands.md").read_text()
    assert [name for name in COMMANDS if f"`simio {name}" not in text] == []


def test_every_part_that_a_document_asks_for_is_there() -> None:
    for path in PATHS:
        for part in re.findall(r"simio models (?:show )?([a-z]+/[\w.-]+|[a-z]+s\b)", path.read_text()):
            assert CliRunner().invoke(main, ["models", part]).exit_code == 0, (path, part)


def test_the_first_commands_of_a_newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in GOOD_READY:
        done = CliRunner().invoke(main, line.split()[1:])
        assert done.exit_code == 0, done.output
