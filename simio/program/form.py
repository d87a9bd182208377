"""Programs of one form: copies of one program with other words in some places, as a sweep has them by the thousand.

What else is worked out of a program can follow its form: what no changing word decides is kept (`Form.kept`), and
arithmetic is followed once and then done again with other words (`Form.of`, see `simio.program.tracked`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from simio.program.steps import COLUMNS, Program
from simio.program.tracked import Number, Tape, Tracked

T = TypeVar("T")
Found = tuple[Any, list[Any]]
"""What stays the same for all programs that take the same way, and numbers."""
Function = Callable[[Program], Found]

WAYS = 8
"""Ways through a function that are kept, the last found first."""
TRIALS = 24
"""Times that a function is followed without anything having come of it."""


class Form:
    """`program` and the copies of it that differ in `places` of its flat tables and `fields` of its records only.

    A field is told by the row of its record and its name.
    """

    def __init__(
        self,
        program: Program,
        places: Mapping[str, Sequence[int]],
        fields: Mapping[str, Sequence[tuple[int, str]]],
    ) -> None:
        self.program = program
        self.places: dict[str, NDArray[np.int64]] = {
            name: np.array(own, dtype=np.int64) for name, own in places.items() if own
        }
        self.fields = {name: own for name, own in fields.items() if own}
        steps = self.places.get("steps", np.empty(0, dtype=np.int64))
        self.rows = np.unique(steps // COLUMNS)
        """Steps in which copies differ."""
        self.operations = not (steps % COLUMNS == 0).any()
        """Whether each step does the same in all of them."""
        self._before: dict[str, tuple[list[Number], Any]] = {}
        self._kept: dict[Callable[[Form], Any], Any] = {}
        self._shared: dict[Callable[[Program], Any], Any] = {}
        self._ways: dict[Function, _Ways] = {}

    def copy(self, words: list[Number]) -> Program:
        """The program with these words, those of tables first; what has the same words again is the same object.

        Raises OverflowError for a word that does not fit.
        """
        changed = {}
        for name, own in self._shared_out(words):
            before = self._before.get(name)
            if before is None or before[0] != own:
                made = self._table(name, own) if name in self.places else self._records(name, own)
                before = self._before[name] = own, made
            changed[name] = before[1]
        copy = replace(self.program, **changed)
        if self.operations:
            copy.__dict__["random"] = self.program.random
        object.__setattr__(copy, "copied", Copied(self, words))
        return copy

    def kept(self, make: Callable[[Form], T]) -> T:
        """What is made of this form, once."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def shared(self, make: Callable[[Program], T]) -> T:
        """What is made of its program, once."""
        if make not in self._shared:
            self._shared[make] = make(self.program)
        found: T = self._shared[make]
        return found

    def of(self, function: Function, program: Program, words: list[Number]) -> Found:
        """A function of the copy with these words, by arithmetic once that was followed."""
        ways = self._ways.setdefault(function, _Ways())
        for way in ways.known:
            numbers = way.numbers(words)
            if numbers is not None:
                ways.trials = min(ways.trials + 1, TRIALS)
                return way.fixed, numbers
        found = function(program)
        if ways.trials > 0:
            ways.trials -= 1
            self._follow(function, words, found, ways)
        return found

    def _follow(self, function: Function, words: list[Number], found: Found, ways: _Ways) -> None:
        """Follow a function, and keep what comes of it if it is the same."""
        tape = Tape(words)
        try:
            fixed, numbers = function(replace(self.program, **self._tracked(tape.inputs)))
            check_plain(fixed)
            way = _Way(tape, fixed, numbers)
            same = (fixed, way.numbers(words)) == found
        except Exception:
            # Whatever cannot be done with a tracked number: then the function itself is what there is.
            same = False
        if not same:
            ways.trials = 0
            return
        ways.known.insert(0, way)
        del ways.known[WAYS:]

    def _tracked(self, words: Sequence[Tracked]) -> dict[str, Any]:
        """Tables, of objects, and tuples of records with tracked words."""
        changed = {}
        for name, own in self._shared_out(words):
            if name in self.places:
                table = getattr(self.program, name).astype(object)
                table.ravel()[self.places[name]] = own
                changed[name] = table
            else:
                changed[name] = self._records(name, own)
        return changed

    def _shared_out(self, words: Sequence[Any]) -> Iterator[tuple[str, list[Any]]]:
        """The words of each table and of each tuple of records."""
        at = 0
        counts = [(name, len(own)) for name, own in self.places.items()]
        for name, count in (*counts, *((name, len(own)) for name, own in self.fields.items())):
            yield name, list(words[at : at + count])
            at += count

    def _table(self, name: str, words: Sequence[Number]) -> Any:
        table = getattr(self.program, name).copy()
        table.ravel()[self.places[name]] = words
        return table

    def _records(self, name: str, words: Sequence[Any]) -> tuple[Any, ...]:
        return filled(getattr(self.program, name), self.fields[name], words)


@dataclass(frozen=True)
class Copied:
    """What a program is a copy of, and its words at the places where copies differ."""

    form: Form
    words: list[Number]


@dataclass
class _Ways:
    """What is known of a function of programs of one form."""

    known: list[_Way] = field(default_factory=list)
    trials: int = TRIALS


class _Way:
    """One way through a function: the arithmetic that gives its numbers."""

    def __init__(self, tape: Tape, fixed: Any, numbers: Sequence[Number]) -> None:
        self.fixed = fixed
        self._plain = [number.value if type(number) is Tracked else number for number in numbers]
        self._spots = [at for at, number in enumerate(numbers) if type(number) is Tracked]
        self._again = tape.again([number for number in numbers if type(number) is Tracked])

    def numbers(self, words: Sequence[Number]) -> list[Number] | None:
        """The numbers for these words; None where the function would go another way."""
        found = self._again(words)
        if found is None:
            return None
        numbers = self._plain.copy()
        for at, number in zip(self._spots, found, strict=True):
            numbers[at] = number
        return numbers


def worked_out(function: Function, program: Program) -> Found:
    """A function of a program, by arithmetic where it is a copy of a form for which that was followed."""
    copied = program.copied
    return copied.form.of(function, program, copied.words) if copied else function(program)


def once(make: Callable[[Program], T], program: Program, reads: str) -> T:
    """What is made of a program's field `reads`, once for copies that are alike there; nobody may change it."""
    copied = program.copied
    if copied is None or reads in copied.form.places or reads in copied.form.fields:
        return make(program)
    return copied.form.shared(make)


def filled(rows: tuple[Any, ...], spots: Sequence[tuple[int, str]], values: Sequence[Any]) -> tuple[Any, ...]:
    """Records with other values in some fields."""
    changed = list(rows)
    for (row, key), value in zip(spots, values, strict=True):
        changed[row] = replace(changed[row], **{key: value})
    return tuple(changed)


def check_plain(value: Any) -> None:
    """TypeError for a tracked number anywhere inside of records, where it would not be seen to change."""
    if type(value) is Tracked:
        raise TypeError("a tracked number out of sight")
    if isinstance(value, (tuple, list)):
        for each in value:
            check_plain(each)
    elif is_dataclass(value):
        check_plain(list(value.__dict__.values()))
