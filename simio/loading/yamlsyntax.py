"""Messages of YAML's parser, in words for a reader who does not know its grammar."""

from __future__ import annotations

import re

import yaml

from simio.errors import Place, Problem, quote

# Expected text, and a hint, by the beginning of the parser's message.
_MEANINGS = {
    "mapping values are not allowed": (
        "one 'key: value' a line",
        "check the indentation, and put a text with ': ' in it in quotes",
    ),
    "could not find expected ':'": ("'key: value'", "every line of a map has a key and a ':'"),
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
