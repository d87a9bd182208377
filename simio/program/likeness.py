"""Likeness of components: whether one differs from another of the same make only in its own name and rows.

Two disks behind one switch are alike if whatever their objects hold is equal, or is called after each of them. Steps
that one of them writes are then those of the other, but for the rows that they name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from types import FunctionType, MethodType
from typing import Any

from simio.program.declarations import Handle
from simio.program.steps import NUMBER


class Naming:
    """Texts that are called after thing 2 of many, such as `d2`, as they are for the others."""

    def __init__(self, prefix: str, second: int) -> None:
        self._own = re.compile(rf"(?<![\w-]){re.escape(f'{prefix}{second}')}(?![\w-])")
        self._named = f"{prefix}{NUMBER}"
        self.template = cache(self._template)

    def _template(self, text: str) -> str:
        """A text of thing 2 with NUMBER for its number."""
        return self._own.sub(self._named, text)

    def of(self, text: str, number: int) -> str:
        """A text of thing 2 as it reads for thing `number`."""
        return self.template(text).replace(NUMBER, str(number))


class Likeness:
    """Compares what component 2 of many holds with what another holds, all the way down."""

    def __init__(self, naming: Naming, machines: Sequence[tuple[str, int]]) -> None:
        self._naming = naming
        self._machines = machines

    @cached_property
    def _offsets(self) -> list[int]:
        return [offset for _, offset in self._machines]

    def holds(self, second: Any, other: Any, number: int) -> bool:
        """True if component `number` is like component 2."""
        return self._same(second, other, number, set())

    def _same(self, one: Any, two: Any, number: int, seen: set[tuple[int, int]]) -> bool:
        if one is two:
            return True
        kind = type(one)
        if kind is not type(two):
            return False
        if kind is str:
            return bool(self._naming.of(one, number) == two)
        if kind is int:
            return bool(one == two) or self.machine(one, two, number)
        if kind is Handle:
            return bool(one.kind == two.kind and self._naming.of(one.name, number) == two.name)
        if kind in (tuple, list):
            return len(one) == len(two) and self._all(one, two, number, seen)
        pair = id(one), id(two)
        if pair in seen:
            return True
        seen.add(pair)
        return self._same_parts(kind, one, two, number, seen)

    def _same_parts(self, kind: type, one: Any, two: Any, number: int, seen: set[tuple[int, int]]) -> bool:
        """The comparison of what has parts that have names."""
        if kind is MethodType:
            return one.__func__ is two.__func__ and self._same(one.__self__, two.__self__, number, seen)
        if kind is FunctionType:
            mine, own = ([cell.cell_contents for cell in each.__closure__ or ()] for each in (one, two))
            return one.__code__ is two.__code__ and self._same(mine, own, number, seen)
        if isinstance(one, Mapping):
            return self._same(list(one.items()), list(two.items()), number, seen)
        if not hasattr(one, "__dict__") or callable(one):
            return bool(one == two)
        ones, others = vars(one), vars(two)
        return list(ones) == list(others) and self._all(ones.values(), others.values(), number, seen)

    def _all(self, ones: Iterable[Any], others: Iterable[Any], number: int, seen: set[tuple[int, int]]) -> bool:
        """True if the parts are alike, one by one; a loop, since most are the same object."""
        for one, two in zip(ones, others, strict=True):
            if one is not two and not self._same(one, two, number, seen):
                return False
        return True

    def machine(self, one: int, two: int, number: int) -> bool:
        """True if two places in the state are the same word of a machine of component 2 and of another."""
        at = [bisect_right(self._offsets, place) - 1 for place in (one, two)]
        if min(at) < 0:
            return False
        (name, start), (other, begin) = (self._machines[row] for row in at)
        return one - start == two - begin and self._naming.of(name, number) == other
