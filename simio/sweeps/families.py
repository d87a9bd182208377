"""Families of programs: systems that differ only in numbers are lowered once, and then computed.

A sweep lowers thousands of systems that differ in a size, a rate or a number of writes, to programs that differ in a
few words. So lowering is traced once, with traced values in place of the numbers that differ (`simio.program.tape`).
For other numbers, the words that depend on them are computed and filled into a template (`simio.program.template`).
Where lowering would do something else, or looks at what cannot be traced, the system is lowered anew. Either way the
program is the one that lowering gives, word by word.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from pydantic import BaseModel

from simio.bound import bound
from simio.description.model import Part, System
from simio.engines.native import Announce
from simio.engines.prepared import Prepared, ProgramVariants
from simio.limits import Bound
from simio.lower import emit, lower
from simio.program.digest import COUNTED, chunks, content, digest
from simio.program.garbage import uncollected
from simio.program.steps import Program
from simio.program.tape import Number, Tape
from simio.program.template import Template
from simio.running import Lowered

Path = tuple[Any, ...]
"""Names of fields, keys and indices that lead from a system to one of its numbers."""
Found = dict[Path, tuple[Number, Number]]
"""Numbers of two systems that differ, by their paths."""

FAMILIES = 8
"""Families that are kept, the last used first."""
MOST_TEMPLATES = 64
"""Templates of a family, at most."""
MOST_STEPS = 2_000_000
"""Steps of all templates of a family together, at most, which are 128 MB."""
PATIENCE = 2
"""Systems of a family that are lowered before one is traced, which takes two to three times as long."""
TRIALS = 24
"""Times that lowering is traced in vain before a family's systems are always lowered."""
_UNREAD: dict[type, tuple[str, ...]] = {System: ("title", "report", "places"), Part: ("origins",)}
"""Fields that lowering does not read."""
_TABLES = ("steps", "state", "starts", "resources", "containers")
"""Fields of a program whose lengths are its shape."""
_NUMBERS = (int, Fraction)
_ROWS = (tuple, list)


class Families:
    """Lowers systems; once one of a family was traced, the others by arithmetic alone.

    With `trials` 0 only `prepare` traces.
    """

    def __init__(self, trials: int = TRIALS) -> None:
        self._families: list[_Family] = []
        self._trials = trials

    def prepare(self, system: System, others: Sequence[System]) -> None:
        """Trace the lowering of a system, for those that differ from it in numbers in which one of `others` does."""
        family = next((each for each in self._families if each.values(system) is not None), None)
        if family is None:
            family = _Family(system, self._trials)
            self._families.insert(0, family)
        for other in others:
            family.values(other)
        values, program = family.values(system), lower(system)
        if values is not None and not program.guests:
            family.trace(system, values, program)

    def lower(self, system: System) -> Lowered:
        """The program of a system, as `simio.lower.lower` gives it. Raises what that raises."""
        for number, family in enumerate(self._families):
            values = family.values(system)
            if values is not None:
                self._families.insert(0, self._families.pop(number))
                return family.lower(system, values)
        self._families.insert(0, _Family(system, self._trials))
        del self._families[FAMILIES:]
        return self._families[0].lower(system, [])


class _Family:
    """Systems that differ from `base` in the numbers at `paths` only, as far as has been seen."""

    def __init__(self, base: System, trials: int) -> None:
        self.base = base
        self.most_trials = trials
        self.paths: dict[Path, Number] = {}
        self._compared: dict[str, tuple[Any, Found | None]] = {}
        self.templates: list[_Lowering] = []
        self._seen = 0
        self._shapes: set[tuple[int, ...]] = set()
        self._useful = False
        self._trials = trials

    def values(self, system: System) -> list[Number] | None:
        """A system's numbers at the paths, of which there may be more then; None for another family's system."""
        found: Found = {}
        for section in _names(System):
            theirs = getattr(system, section)
            # Systems of one file share the sections that do not vary.
            last, differing = self._compared.get(section, (self.base, None))
            if last is not theirs:
                differing = {}
                if not _compare(getattr(self.base, section), theirs, (section,), differing):
                    differing = None
                self._compared[section] = theirs, differing
            if differing is None:
                return None
            found |= differing
        if found.keys() - self.paths.keys():
            self._useful = False
            self.paths |= {path: base for path, (base, _) in found.items()}
        return [found[path][1] if path in found else base for path, base in self.paths.items()]

    def lower(self, system: System, values: list[Number]) -> Lowered:
        """The program of a system with these numbers at the paths."""
        bases = list(self.paths.values())
        for template in self.templates:
            # A template knows nothing of the numbers at paths that were found later: it has the base's there.
            known = template.inputs
            lowered = template.lower(values[:known]) if values[known:] == bases[known:] else None
            if lowered is not None:
                self._trials = min(self._trials + 1, self.most_trials)
                self._useful = True
                return lowered
        program = lower(system)
        self._seen += 1
        known, shape = len(self._shapes), tuple(len(getattr(program, table)) for table in _TABLES)
        self._shapes.add(shape)
        # A shape that comes once, or before all numbers that differ have been seen, would be traced in vain.
        expected = self._useful or len(self._shapes) == known
        if expected and self._seen > PATIENCE and self._trials > 0 and not program.guests:
            self._trials, self._useful = self._trials - 1, False
            self.trace(system, values, program)
        return Lowered(program)

    def trace(self, system: System, values: list[Number], program: Program) -> None:
        """Trace lowering, and keep the template if it gives the same program."""
        tape = Tape(values)
        try:
            template = _Lowering(tape, _with(system, dict(zip(self.paths, tape.inputs, strict=True))))
            again = template.lower(values)
        except Exception:
            # Something was done that cannot be traced: the family's systems are then always lowered.
            self._trials = 0
            return
        if again is None or not same(again.program, program):
            self._trials = 0
            return
        self.templates.insert(0, template)
        while len(self.templates) > MOST_TEMPLATES or sum(template.steps for template in self.templates) > MOST_STEPS:
            self.templates.pop()


class _Lowering:
    """A trace of lowering: a template, and the arithmetic that gives its words from numbers of the system."""

    def __init__(self, tape: Tape, system: System) -> None:
        self.inputs = len(tape.inputs)
        with uncollected():
            self.template = Template(emit(system).build(dtype=object))
        self._replay = tape.replay(self.template.holes)

    @property
    def steps(self) -> int:
        return len(self.template.program.steps)

    def lower(self, values: Sequence[Number]) -> Lowered | None:
        """The program for these values; None where lowering would do something else."""
        words = self._replay(values)
        try:
            return None if words is None else _Variant(self, words)
        except OverflowError:
            return None

    @cached_property
    def variants(self) -> ProgramVariants:
        """The engine's tables of the template, from which those of its programs are made."""
        return ProgramVariants(self.template.program, self.template.changing, self.template.step_words)

    @cached_property
    def hashed(self) -> list[str | bytes]:
        """The bytes that are hashed of all programs alike, and between them the names of the fields that differ."""
        parts: list[str | bytes] = []
        for name in COUNTED:
            *shape, values = map(bytes, chunks(name, getattr(self.template.program, name)))
            parts += [*shape, name if name in self.template.changing else values]
        return parts


class _Variant(Lowered):
    """A program made of a template; what follows from it is computed from what follows from the template's."""

    def __init__(self, lowering: _Lowering, words: Sequence[Number]) -> None:
        super().__init__(lowering.template.fill(words))
        self._lowering, self._words = lowering, words

    @cached_property
    def bound(self) -> Bound:
        return self._lowering.template.compute(bound, self.program, self._words)

    @cached_property
    def hash(self) -> str:
        return digest(
            part if isinstance(part, bytes) else content(part, getattr(self.program, part))
            for part in self._lowering.hashed
        )

    def _prepare(self, announce: Announce | None) -> Prepared:
        return self._lowering.variants.prepare(self.program)


def same(one: Program, other: Program) -> bool:
    """True if two programs are equal in every field, also in those that serve analysis only."""
    for name in (field.name for field in fields(Program)):
        mine, theirs = getattr(one, name), getattr(other, name)
        if not (np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs):
            return False
    return True


def _compare(one: Any, other: Any, at: Path, found: Found) -> bool:
    """True if two descriptions differ in numbers only; adds both numbers to `found` by their path."""
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
    """Fields of a type of record that lowering may read; none for other types."""
    if kind not in _FIELDS:
        names: Iterable[str] = ()
        if issubclass(kind, BaseModel):
            names = [*kind.model_fields, *kind.__private_attributes__]
        elif is_dataclass(kind):
            names = [field.name for field in fields(kind)]
        _FIELDS[kind] = tuple(name for name in names if name not in _UNREAD.get(kind, ()))
    return _FIELDS[kind]


def _with(one: Any, values: Mapping[Path, Any]) -> Any:
    """A description with other values at these paths; all else is shared."""
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
    """A model with other values, not validated, and without what it has computed and kept."""
    copy = one.model_copy()
    values = {name: changed.get(name, getattr(one, name)) for name in type(one).model_fields}
    object.__setattr__(copy, "__dict__", values)
    return copy


class _Kept(threading.local):
    """The families that this thread has met; workers of a cluster may have several threads."""

    def __init__(self) -> None:
        self.families = Families()


_KEPT = _Kept()


def lowered(system: System) -> Lowered:
    """The program of a system, for callers that lower many. Raises what `simio.lower.lower` raises."""
    return _KEPT.families.lower(system)
