"""Programs of one form: systems that differ in numbers only are lowered once, and then computed.

A sweep lowers thousands of systems that differ in a size, a rate or a number of writes, to programs that differ in a
few words. So lowering is followed once with the numbers that differ in place of plain ones (`simio.program.tracked`);
for other values the words that depend on them are computed and written into a copy. Where lowering would have gone
another way, or looks at what cannot be followed, it is done anew. Either way the program is the one that lowering
gives, word by word.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import BaseModel

from simio.description.model import Part, System
from simio.lower import lower
from simio.program.form import Form, check_plain, filled
from simio.program.steps import Program
from simio.program.tracked import Number, Tape, Tracked

Path = tuple[Any, ...]
"""Names of fields, keys and indices that lead from a system to one of its numbers."""

FAMILIES = 8
"""Families that are kept, the last used first."""
MOST_TEMPLATES = 64
"""Of a family."""
MOST_STEPS = 2_000_000
"""Of all templates of a family together, which are 128 MB."""
PATIENCE = 2
"""Systems of a family that are lowered before one is followed, which takes two to three times as long."""
TRIALS = 24
"""Times that lowering is followed without anything having come of it."""
_UNREAD: dict[type, tuple[str, ...]] = {System: ("title", "report"), Part: ("origins",)}
"""Fields that lowering does not read."""
_NUMBERS = (int, Fraction)
_ROWS = (tuple, list)


class Forms:
    """Lowers systems, those of a family of which one was followed by arithmetic."""

    def __init__(self) -> None:
        self._families: list[_Family] = []

    def lower(self, system: System) -> Program:
        """The program of a system, as `simio.lower.lower` gives it. Raises what that raises."""
        for number, family in enumerate(self._families):
            values = family.values(system)
            if values is not None:
                self._families.insert(0, self._families.pop(number))
                return family.program(system, values)
        self._families.insert(0, _Family(system))
        del self._families[FAMILIES:]
        return lower(system)


class _Family:
    """Systems that differ from `base` in the numbers at `paths` only, as far as that has been seen."""

    def __init__(self, base: System) -> None:
        self.base = base
        self.paths: dict[Path, Number] = {}
        self.templates: list[_Template] = []
        self._seen = 0
        self._trials = TRIALS

    def values(self, system: System) -> list[Number] | None:
        """What a system has at the paths, which become more if need be; None if it is of another form."""
        found: dict[Path, tuple[Number, Number]] = {}
        if not _compare(self.base, system, (), found):
            return None
        if found.keys() - self.paths.keys():
            # Templates know nothing of these numbers.
            self.templates = []
            self.paths |= {path: base for path, (base, _) in found.items()}
        return [found[path][1] if path in found else base for path, base in self.paths.items()]

    def program(self, system: System, values: list[Number]) -> Program:
        for template in self.templates:
            program = template.program(values)
            if program is not None:
                self._trials = min(self._trials + 1, TRIALS)
                return program
        program = lower(system)
        self._seen += 1
        if self._seen > PATIENCE and self._trials > 0 and not program.guests:
            self._trials -= 1
            self._follow(system, values, program)
        return program

    def _follow(self, system: System, values: list[Number], program: Program) -> None:
        """Follow lowering, and keep what comes of it if it is the same."""
        tape = Tape(values)
        try:
            followed = lower(_with(system, dict(zip(self.paths, tape.inputs, strict=True))), kind=object)
            template = _Template(tape, followed)
            again = template.program(values)
        except Exception:
            # Whatever cannot be done with a tracked number: then lowering is what there is.
            self._trials = 0
            return
        if again is None or not same(again, program):
            self._trials = 0
            return
        self.templates.insert(0, template)
        while len(self.templates) > MOST_TEMPLATES or sum(template.steps for template in self.templates) > MOST_STEPS:
            self.templates.pop()


class _Template:
    """A form of programs, and the arithmetic that gives their words from numbers of the system."""

    def __init__(self, tape: Tape, followed: Program) -> None:
        words: list[Tracked] = []
        values: list[Tracked] = []
        plain: dict[str, Any] = {}
        places: dict[str, list[int]] = {}
        spots: dict[str, list[tuple[int, str]]] = {}
        for name in (field.name for field in fields(Program)):
            value = getattr(followed, name)
            if isinstance(value, np.ndarray):
                flat = value.ravel().tolist()
                places[name] = [at for at, word in enumerate(flat) if type(word) is Tracked]
                words += (flat[at] for at in places[name])
                known = [word.value if type(word) is Tracked else word for word in flat]
                plain[name] = np.array(known, dtype=np.int64).reshape(value.shape)
            elif isinstance(value, tuple):
                spots[name] = list(_tracked_fields(value))
                own = [getattr(value[row], key) for row, key in spots[name]]
                values += own
                plain[name] = filled(value, spots[name], [number.value for number in own])
        self._again = tape.again([*words, *values])
        program = replace(followed, **plain)
        check_plain([getattr(program, name) for name in spots])
        self._form = Form(program, places, spots)

    @property
    def steps(self) -> int:
        return len(self._form.program.steps)

    def program(self, values: Sequence[Number]) -> Program | None:
        """The program for these values; None where lowering would not have gone this way."""
        words = self._again(values)
        try:
            return None if words is None else self._form.copy(words)
        except OverflowError:
            return None


def same(one: Program, other: Program) -> bool:
    """Whether two programs are alike in all, also in what serves analysis only."""
    for name in (field.name for field in fields(Program)):
        mine, theirs = getattr(one, name), getattr(other, name)
        if not (np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs):
            return False
    return True


def _tracked_fields(rows: tuple[Any, ...]) -> Any:
    """Row and field of each tracked number in a tuple of records; TypeError for one anywhere else."""
    for number, row in enumerate(rows):
        if is_dataclass(row):
            for key, value in row.__dict__.items():
                if type(value) is Tracked:
                    yield number, key
        elif type(row) is Tracked or (isinstance(row, tuple) and any(type(each) is Tracked for each in row)):
            raise TypeError("a tracked number outside of a record")


def _compare(one: Any, other: Any, at: Path, found: dict[Path, tuple[Number, Number]]) -> bool:
    """Whether two descriptions differ in numbers only, which are added to `found`, both by their path."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in _NUMBERS:
        if one != other:
            found[at] = (one, other)
        return True
    pairs: Iterable[tuple[Any, Any, Any]]
    if kind in _ROWS:
        pairs = ((number, mine, other[number]) for number, mine in enumerate(one))
        alike = len(one) == len(other)
    elif kind is dict:
        pairs = ((key, mine, other[key]) for key, mine in one.items())
        alike = list(one) == list(other)
    elif names := _names(kind):
        pairs = ((name, getattr(one, name), getattr(other, name)) for name in names)
        alike = True
    else:
        return bool(one == other)
    if alike:
        for key, mine, theirs in pairs:
            if mine is not theirs and not _compare(mine, theirs, (*at, key), found):
                return False
    return alike


_FIELDS: dict[type, tuple[str, ...]] = {}


def _names(kind: type) -> tuple[str, ...]:
    """Fields of a kind of record that lowering may read; none of what is no record."""
    if kind not in _FIELDS:
        names: Iterable[str] = ()
        if issubclass(kind, BaseModel):
            names = kind.model_fields
        elif is_dataclass(kind):
            names = [field.name for field in fields(kind)]
        _FIELDS[kind] = tuple(name for name in names if name not in _UNREAD.get(kind, ()))
    return _FIELDS[kind]


def _with(one: Any, values: Mapping[Path, Any]) -> Any:
    """A description with other values at these paths; what they do not lead to is shared."""
    if () in values:
        return values[()]
    below: dict[Any, dict[Path, Any]] = {}
    for path, value in values.items():
        below.setdefault(path[0], {})[path[1:]] = value
    if isinstance(one, Mapping):
        return {key: _with(value, below[key]) if key in below else value for key, value in one.items()}
    if isinstance(one, (tuple, list)):
        return type(one)(_with(value, below[index]) if index in below else value for index, value in enumerate(one))
    changed = {name: _with(getattr(one, name), paths) for name, paths in below.items()}
    if isinstance(one, BaseModel):
        return _constructed(one, changed)
    return replace(one, **changed)


def _constructed(one: BaseModel, changed: Mapping[str, Any]) -> BaseModel:
    """A model with other values, not validated; what it has computed of its own is not taken over."""
    copy = one.model_copy()
    values = {name: changed.get(name, getattr(one, name)) for name in type(one).model_fields}
    object.__setattr__(copy, "__dict__", values)
    return copy


class _Kept(threading.local):
    """The forms that this thread has met; workers of a cluster may have several threads."""

    def __init__(self) -> None:
        self.forms = Forms()


_KEPT = _Kept()


def lowered(system: System) -> Program:
    """The program of a system, for whoever lowers many. Raises what `simio.lower.lower` raises."""
    return _KEPT.forms.lower(system)
