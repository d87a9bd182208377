"""Messages of YAML's parser, in words for a reader who does not know its grammar."""

from __future__ import annotations

import re

import yaml

from simio.errors import Place, Problem, quote

_NO_COLON = "could not find expected ':'"
_TWO_KEYS = "mapping values are not allowed"
# Expected text, and a hint, by the beginning of the parser's message.
_MEANINGS = {
    _TWO_KEYS: (
        "one 'key: value' a line",
        "check the indentation, and put a text with ': ' in it in quotes",
    ),
    _NO_COLON: ("'key: value'", "every line of a map has a key and a ':'"),
    "did not find expected key": (
        "the next key",
        "check indentation and quotes of this line and the one before",
    ),
    "did not find expected '-' indicator": ("the next '- ' of the list", "check the indentation"),
    "did not find expected node content": ("a value", ""),
    "found unknown escape character": ("a known escape", "in single quotes a backslash is just a backslash"),
    "found incompatible YAML document": ("YAML 1.2", ""),
}


def syntax_problem(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """The problem at which the parser stopped in the text of a file."""
    problem = error.problem or "no reason given"
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem("", "text that is not YAML", "YAML", problem, Place(file, 1, 1))
    place = Place(file, mark.line + 1, mark.column + 1)
    rest = text[mark.index :].split("\n", 1)[0].strip(" \r")
    opened = error.context_mark
    if opened is not None and not text[mark.index :].strip():
        bracket = text[opened.index : opened.index + 1]
        if bracket in ("[", "{", '"', "'"):
            start = Place(file, opened.line + 1, opened.column + 1)
            closing = {"[": "]", "{": "}"}.get(bracket, bracket)
            expected = f"a closing {closing} before the end of the file"
            return Problem("", f"an opening {bracket} that is never closed", expected, place=start)
    if rest.startswith("\t"):
        return Problem("", "a tab", "spaces", "YAML is indented with spaces", place)
    if problem.startswith(_NO_COLON) and opened is not None and opened.line < mark.line:
        return _keyless(text.splitlines()[opened.line], opened.line, file)
    if problem.startswith(_TWO_KEYS) and (before := _line_without_key(text, mark.line, file)):
        return before
    if problem.startswith("found character that cannot start"):
        hint = f"put a text that starts with {quote(rest[:1])} in quotes"
        return Problem("", quote(rest), "a value", hint, place)
    end = "line" if text[mark.index :].strip() else "file"
    found = quote(rest) if rest else f"the end of the {end}"
    if match := re.match(r"did not find expected ',' or '(.)'", problem):
        hint = f"it was opened at line {opened.line + 1}, column {opened.column + 1}" if opened else ""
        return Problem("", found, f"',' or '{match[1]}'", hint, place)
    for said, (expected, hint) in _MEANINGS.items():
        if problem.startswith(said):
            return Problem("", found, expected, hint, place)
    return Problem("", found, "YAML", problem, place)


def _line_without_key(text: str, number: int, file: str) -> Problem | None:
    """The problem of a line without a key, which the parser notes only at the ':' of line `number` (from 0)."""
    lines = text.splitlines()
    last = lines[number]
    if last.lstrip().startswith(("-{", "-[")):
        hint = "a space belongs behind the '-' of a list"
        return Problem("", quote(last.strip()), "'- ' and an item", hint, Place(file, number + 1, _indent(last) + 1))
    above = [(at, line) for at, line in enumerate(lines[:number]) if line.strip() and line.lstrip()[0] != "#"]
    if not above or _KEY.search(above[-1][1]):
        return None
    at, line = above[-1]
    indent = _indent(line)
    if len(above) > 1 and _indent(above[-2][1]) < indent and not _OPEN_KEY.search(above[-2][1]):
        # It goes on with a text of several lines.
        return None
    return _keyless(line, at, file)


def _keyless(line: str, number: int, file: str) -> Problem:
    """The problem of a line, of this number from 0, that has no key."""
    expected, hint = _MEANINGS[_NO_COLON]
    if re.match(r"\s*[\w-]+:\S", line):
        hint = "a space belongs behind the ':'"
    return Problem("", quote(line.strip()), expected, hint, Place(file, number + 1, _indent(line) + 1))


_KEY = re.compile(r":(\s|$)")
_OPEN_KEY = re.compile(r":\s*(#.*)?$")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
