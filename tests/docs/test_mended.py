"""The page of what misled, broke or was refused: each line names tests, and each of them exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from docs_pages import ROOT

PAGE = ROOT / "docs" / "mended.md"
_ID = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
HEAD = "| was | is | test |"


def rows() -> Iterator[str]:
    """The lines of the tables but their heads."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("|") and line != HEAD and not line.startswith("|---"):
            yield line


@cache
def functions_of(path: str) -> frozenset[str]:
    """The functions of a file of tests; none of a file that is not there."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def missing(text: str) -> list[str]:
    """The tests that a text names and that there are not."""
    return [f"{path}::{name}" for path, name in _ID.findall(text) if name not in functions_of(path)]


def test_every_test_that_the_page_names_exists() -> None:
    assert missing(PAGE.read_text(encoding="utf-8")) == []


def test_every_line_says_what_was_what_is_and_which_test_guards_it() -> None:
    lines = list(rows())
    assert len(lines) > 90
    for line in lines:
        was, now, guards = (cell.strip() for cell in line.strip("|").split("|"))
        assert was, line
        assert now, line
        assert re.fullmatch(r"`tests/[\w/]+\.py::test_\w+`(, `tests/[\w/]+\.py::test_\w+`)*", guards), line


@pytest.mark.parametrize("name", ["tests/docs/test_mended.py::test_of_nothing", "tests/docs/test_gone.py::test_rows"])
def test_a_test_that_is_not_there_is_found(name: str) -> None:
    assert missing(f"| was | is | `{name}` |") == [name]
