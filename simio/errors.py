"""Errors for the person who wrote the scenario.

A mistake in a file is a `Problem`: its place, what was found, what was expected and, if that helps, a hint. The
problems of a file are in one `ScenarioError`, so that all are seen at once. Every error that simio raises on purpose
is a `SimioError`; any other is a defect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# A problem quotes the text found; a quotation longer than this is cut, so that a line stays a line.
_QUOTE_LIMIT = 60


@dataclass(frozen=True)
class Place:
    """A position in a file; line and column count from 1, as editors do."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    """One mistake in a file: its key path, the text found there and the expected one.

    `hint` says what to do; `place` is where it is written. Empty parts are left out of the text.
    """

    path: str
    found: str
    expected: str
    hint: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        parts = [f"found {self.found}"] if self.found else []
        parts += [f"expected {self.expected}"] if self.expected else []
        parts += [self.hint] if self.hint else []
        where = [str(self.place)] if self.place else []
        where += [self.path] if self.path else []
        return one_line(": ".join([*where, "; ".join(parts)] if parts else where))

    def order(self) -> tuple[str, int, int]:
        """Sort key: as a reader meets them, problems without a place first."""
        if self.place is None:
            return ("", 0, 0)
        return (self.place.file, self.place.line, self.place.column)


class SimioError(Exception):
    """An error that the user can put right; `exit_status` is that of the command line."""

    exit_status = 2

    @property
    def message(self) -> str:
        """The text of the error, without its type."""
        return str(self)


class ScenarioError(SimioError):
    """A scenario, datasheet or table with `problems`, which are in reading order."""

    def __init__(self, problems: Iterable[Problem] | Problem) -> None:
        given = (problems,) if isinstance(problems, Problem) else tuple(problems)
        if not given:
            raise ValueError("a ScenarioError needs at least one problem")
        # A mistake that is reached twice (through an alias, say) is reported once.
        self.problems: tuple[Problem, ...] = tuple(sorted(dict.fromkeys(given), key=Problem.order))
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class RunError(SimioError):
    """A valid scenario that cannot be run to its end: deadlock, step budget, horizon.

    One that could begin is a `simio.engines.outcome.Aborted`, which has the outcome until then. `at` is the key path
    in the scenario that it is about; one that begins with a point is a key of the workload that is lowered.
    """

    def __init__(self, message: str, at: str = "") -> None:
        super().__init__(message)
        self.at = at


class OutOfRange(ValueError):
    """A value beyond what a part or an engine can do; lowering raises it as a RunError of the workload."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """`"did you mean 'x'?"` for the candidate nearest to `word`, or `""` if none is near."""
    near = nearest(word, candidates)
    return f"did you mean '{near}'?" if near else ""


def nearest(word: str, candidates: Iterable[str]) -> str:
    """The candidate that is spelt most like `word`, or `""` if none is near.

    Case is ignored in judging nearness, but the candidate is given as it is spelt.
    """
    import difflib  # only a mistake needs it

    spelt: dict[str, str] = {}
    for candidate in candidates:
        spelt.setdefault(candidate.casefold(), candidate)
    near = difflib.get_close_matches(word.casefold(), spelt, n=1, cutoff=0.61)
    return spelt[near[0]] if near else ""


def key_path(parts: Iterable[str | int]) -> str:
    """The key path of a message: keys joined by points, places in a list as `links[0]` (counted from 0)."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Characters that steer a terminal or the direction of a text, or that nobody sees; line ends and tabs are none."""


def visible(text: str) -> str:
    """`text` with control characters written as `\\x1b`, and what steers its direction or is not seen as `U+202E`."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: _named(ord(found[0])), text)


def _named(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"U+{code:04X}"


def quote(text: str) -> str:
    """`text` in single quotes for a message: on one line, printable, and cut if it is long."""
    shown = one_line(text)
    if len(shown) > _QUOTE_LIMIT:
        shown = shown[: _QUOTE_LIMIT - 1] + "…"
    return f"'{shown}'"


def one_line(text: str) -> str:
    """`text` with line ends, tabs and other unprintable characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
