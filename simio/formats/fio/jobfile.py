"""The sections of a fio job file.

`configparser` does not do: sections may have the same name, a [global] section holds for those below it only, and
messages need lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from simio.errors import Place, Problem, ScenarioError, quote

GLOBAL = "global"
MOST_INCLUDES = 32
"""Files that include one another, at most."""
_VARIABLE = re.compile(r"\$\{(\w*)\}")


@dataclass(frozen=True)
class Given:
    """The value of an option as it is written, and where; no value for an option alone, no
    place for one of the scenario."""

    value: str | None
    place: Place | None


@dataclass(frozen=True)
class Section:
    """A job: its options by the names that the file uses, those of [global] sections above it among them."""

    name: str
    place: Place | None
    options: Mapping[str, Given]

    @property
    def written(self) -> dict[str, str]:
        """The options as fio's JSON has them."""
        return {name: "1" if given.value is None else given.value for name, given in self.options.items()}

    def path_of(self, name: str, given: Given) -> str:
        """The place of an option: this section, [global] above it, or the options of a scenario."""
        if given.place is None:
            return f"options.{name}"
        above = self.place is not None and given.place.line < self.place.line
        return f"[{GLOBAL if above else self.name}]"


def text_of(name: str, given: Given) -> str:
    """An option as it was written, in quotes."""
    return quote(name if given.value is None else f"{name}={given.value}")


Read = Callable[[Path], str]


def sections(text: str, file: str, read: Read) -> list[Section]:
    """The jobs of a file, in order; `read` gives the text of an included file.

    Raises ScenarioError with all mistakes of form.
    """
    reader = _Reader(read)
    reader.lines(text, file, included=0)
    reader.end_section()
    if not reader.found and not reader.problems:
        expected = "a section such as [job] with its options"
        reader.problems.append(Problem("", "no job", expected, place=Place(file, 1, 1)))
    if reader.problems:
        raise ScenarioError(reader.problems)
    return reader.found


class _Reader:
    def __init__(self, read: Read) -> None:
        self.read = read
        self.found: list[Section] = []
        self.problems: list[Problem] = []
        self.common: dict[str, Given] = {}
        self.open: tuple[str, Place] | None = None
        self.own: dict[str, Given] = {}

    def lines(self, text: str, file: str, included: int) -> None:
        """Take the lines of a file, which is `included` files deep in others."""
        for number, written in enumerate(text.splitlines(), 1):
            # fio cuts a line at either character, wherever it stands (init.c, strip_blank_end).
            line = re.split("[;#]", written, maxsplit=1)[0].strip()
            if not line:
                continue
            place = Place(file, number, len(written) - len(written.lstrip()) + 1)
            if line.startswith("["):
                self._section(line, place, included)
            elif line.split()[0] == "include":
                self._include(line, place, included)
            elif self.open is None:
                self._problem(quote(line), "a section such as [global] before the first option", place)
            else:
                self._option(line, place)

    def end_section(self) -> None:
        """The section that is open ends."""
        if self.open is None:
            return
        name, place = self.open
        if name == GLOBAL:
            self.common = {**self.common, **self.own}
        else:
            self.found.append(Section(name, place, {**self.common, **self.own}))
        self.open, self.own = None, {}

    def _section(self, line: str, place: Place, included: int) -> None:
        if included:
            self._problem(quote(line), "options only, in a file that is included", place)
        elif not line.endswith("]") or not line[1:-1].strip():
            self._problem(quote(line), "the name of a job in brackets, such as [job]", place)
        else:
            self.end_section()
            self.open = line[1:-1].strip(), place

    def _include(self, line: str, place: Place, included: int) -> None:
        name = line.removeprefix("include").strip()
        if self.open is None:
            self._problem(quote(line), "a section such as [global] before an include", place)
        elif included == MOST_INCLUDES:
            self._problem("an include", f"at most {MOST_INCLUDES} files that include one another", place)
        else:
            path = Path(place.file).parent / name
            try:
                text = self.read(path)
            except ScenarioError as error:
                reason = error.problems[0].found
                self._problem(f"{quote(name)}: {reason}" if reason else quote(name), "a file that can be read", place)
                return
            self.lines(text, str(path), included + 1)

    def _option(self, line: str, place: Place) -> None:
        name, equals, value = (part.strip() for part in line.partition("="))
        given = _VARIABLE.sub(lambda found: os.environ.get(found[1], ""), value) if equals else None
        # A later value takes the place of an earlier one, and its line counts.
        self.own.pop(name, None)
        self.own[name] = Given(given, place)

    def _problem(self, found: str, expected: str, place: Place) -> None:
        self.problems.append(Problem("", found, expected, place=place))
