"""What goes wrong, told to the person who wrote the scenario.

A mistake in a file is a :class:`Problem`: where it is, what was found, what was expected and, where that
helps, what to do about it.  The faults of one file travel together in a :class:`ScenarioError`, so that all
of them are seen at once.  Every error that simio raises on purpose is a :class:`SimioError`; anything else
is a defect.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

# A fault quotes what it found; a quotation longer than this is cut, so that a line stays a line.
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
    """One mistake: the key path it is at, what was found there and what was expected instead.

    ``hint`` says what to do; ``place`` is where it is written.  Empty parts are left out of the text.
    """

    path: str
    found: str
    expected: str
    hint: str = ""
    place: Place | None = None

    def __str__(self) -> str:
        told = [f"found {self.found}"] if self.found else []
        told += [f"expected {self.expected}"] if self.expected else []
        told += [self.hint] if self.hint else []
        where = [str(self.place)] if self.place else []
        where += [self.path] if self.path else []
        return one_line(": ".join([*where, "; ".join(told)] if told else where))

    def order(self) -> tuple[str, int, int]:
        """The key faults are sorted by: as a reader meets them, those without a place first."""
        if self.place is None:
            return ("", 0, 0)
        return (self.place.file, self.place.line, self.place.column)


class SimioError(Exception):
    """Something the user can put right; ``exit_status`` is what the command line ends with."""

    exit_status = 2

    @property
    def message(self) -> str:
        """The text of the error, without its type."""
        return str(self)


class ScenarioError(SimioError):
    """A scenario, datasheet or table that cannot be used; ``faults`` holds every reason, in reading order."""

    def __init__(self, faults: Iterable[Problem] | Problem) -> None:
        given = (faults,) if isinstance(faults, Problem) else tuple(faults)
        if not given:
            raise ValueError("a ScenarioError needs at least one fault")
        # A cause reached twice (through an alias, say) is told once.
        self.faults: tuple[Problem, ...] = tuple(sorted(dict.fromkeys(given), key=Problem.order))
        super().__init__(self.faults)

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class RunError(SimioError):
    """A scenario that was understood but cannot be run to its end: deadlock, step budget, horizon.

    One that could begin is a `simio.engines.outcome.Aborted`, which has the outcome until then.
    """


class OutOfRange(ValueError):
    """A value beyond what a part or an engine can do; lowering tells it as a RunError of the workload at fault."""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """``"did you mean 'x'?"`` for the candidate nearest to ``word``, or ``""`` if none is near.

    Case is ignored in judging nearness, but the candidate is given as it is spelt.
    """
    spelt: dict[str, str] = {}
    for candidate in candidates:
        spelt.setdefault(candidate.casefold(), candidate)
    near = difflib.get_close_matches(word.casefold(), spelt, n=1, cutoff=0.6)
    return f"did you mean '{spelt[near[0]]}'?" if near else ""


def key_path(parts: Iterable[str | int]) -> str:
    """The key path of a message: keys joined by points, places in a list as ``links[0]`` (counted from 0)."""
    text = ""
    for part in parts:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def quote(text: str) -> str:
    """``text`` in single quotes for a message: on one line, printable, and cut if it is long."""
    shown = one_line(text)
    if len(shown) > _QUOTE_LIMIT:
        shown = shown[: _QUOTE_LIMIT - 1] + "…"
    return f"'{shown}'"


def one_line(text: str) -> str:
    """``text`` with line ends, tabs and other unprintable characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
