"""Series: many alike things that are declared one by one, such as the disks behind a switch, and steps for each.

As with `simio.program.copies`, the first is written out, the second once more, and so is the third: if that says
just what the second does, of rows that each lie so far behind those of the second, these are the strides, and threads
of all others run the steps of the second. Whatever does not fit is written out for each, as it would be otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from simio.program.copies import KINDS, Copies
from simio.program.declarations import Handle
from simio.program.likeness import Likeness, Naming
from simio.program.shapes import TARGETS, naming, strides
from simio.program.steps import COLUMNS, FIRST_NUMBER, NAMING, STRIDE, Op, Table, numbered

LEAST = 32
"""Things from which on they are compared: a few disks are written out sooner."""
_NONE = ("state", "machine", "table", "tally", "gauge", "guest", "feed", "load", "ahead", "behind", "early", "owned")
"""Declarations that end a series, as they would be for one of its things only."""
_ROWS = ("resource", "container", "mark", "window")


class Named(Protocol):
    """A thing with a name."""

    @property
    def name(self) -> str:
        """Its name."""
        ...


Thing = TypeVar("Thing", bound=Named)


class SeriesBuilder(Copies):
    """Declarations, and steps for each of a series."""

    def each(self, things: Sequence[Thing]) -> Iterator[Thing]:
        """Run a for loop's body for each of these things, which writes threads for it and may declare what they need.

        Things that are numbered from 1 on and alike share the steps of the second. The body must do the same for all
        but for their names, and change nothing of a thing that later steps depend on.
        """
        number = FIRST_NUMBER
        prefix = things[1].name[:-1] if len(things) >= LEAST else ""
        told = Naming(prefix, number)
        like = Likeness(told, self._machines)
        if not prefix or not all(
            thing.name == f"{prefix}{at}" and (at <= number or like.holds(things[1], thing, at))
            for at, thing in enumerate(things, 1)
        ):
            yield from things
            return
        yield things[0]
        extents = [self._numbers()]
        for thing in things[1:3]:
            yield thing
            extents.append(self._numbers())
        found = _Found(self, told, like, len(things), extents)
        if found.alike():
            found.copy()
        else:
            yield from things[3:]

    def _numbers(self) -> dict[str, int]:
        """The number of everything that there is until now."""
        return self._extent() | {
            "label": len(self._labels), "region": len(self._regions), "body": len(self._bodies),
            "promise": len(self._promises), "feed": len(self._feeds), "load": len(self._loads),
            "ahead": len(self._ahead), "behind": len(self._behind), "early": len(self._early),
            "owned": len(self._owned),
        }  # fmt: skip


class _Found:
    """Steps and rows of the second and the third of a series, from `extents` on."""

    def __init__(
        self, p: SeriesBuilder, told: Naming, like: Likeness, count: int, extents: Sequence[dict[str, int]]
    ) -> None:
        self.p, self.told, self.like, self.count = p, told, like, count
        self.first, self.second, self.end = extents
        self.new = {kind: self.second[kind] - at for kind, at in self.first.items()}
        self.names = list(p._names)
        self.rows: dict[str, list[Any]] = {
            "resource": p._resources, "container": p._containers, "mark": p._marks, "window": p._windows,
        }  # fmt: skip

    def alike(self) -> bool:
        """True if the third wrote what the second did, and the rows of the others are where they are looked for."""
        if any(self.new[kind] for kind in _NONE):
            return False
        if any(self.end[kind] - self.second[kind] != new for kind, new in self.new.items()):
            return False
        one, two = self._block(self.first), self._block(self.second)
        if one is None or two is None:
            return False
        common = self._common(one)
        found = strides(one, two, self.new["step"], common)
        if found is None or (common.size and self._strided()):
            return False
        self.naming, self.strides = naming(one), found
        named = set()
        for step, stride in zip(one[self.naming].tolist(), found.tolist(), strict=True):
            named.add((KINDS[step[0]], step[NAMING[step[0]]], stride))
        return self._same_declared() and self._same_facts(named) and all(self._in_place(*each) for each in named)

    def _block(self, first: dict[str, int]) -> Table | None:
        """The steps of a block as a table; None if a sweep traces them."""
        at = first["step"] * COLUMNS
        words = self.p._steps[at : at + self.new["step"] * COLUMNS]
        if not all(isinstance(word, int) for word in words):
            return None
        return np.array(words, dtype=np.int64).reshape(-1, COLUMNS)

    def _common(self, block: Table) -> Table:
        """Steps of the second's block that start a thread with steps written before, which all run."""
        return np.flatnonzero((block[:, 0] == Op.FORK) & (block[:, TARGETS[Op.FORK]] < self.first["step"]))

    def _strided(self) -> bool:
        """True if a step before the second has a stride: children inherit the number of the series, not of that."""
        before = np.array(self.p._steps[: self.first["step"] * COLUMNS]).reshape(-1, COLUMNS)
        return bool(before[naming(before), STRIDE].any())

    def _two(self, kind: str, rows: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
        """Rows of the second with those of the third in a table."""
        one, two, end = self.first[kind], self.second[kind], self.end[kind]
        return zip(rows[one:two], rows[two:end], strict=True)

    def _third(self, text: str) -> str:
        return self.told.of(text, FIRST_NUMBER + 1)

    def _same_declared(self) -> bool:
        """True if what both declared is the same but for the names."""
        p, third = self.p, self._third
        return (
            all(
                one._replace(name=third(one.name)) == two and self.told.template(one.name) != one.name
                for kind in _ROWS
                for one, two in self._two(kind, self.rows[kind])
            )
            and all(third(one) == two != one for one, two in self._two("name", self.names))
            and all(third(one) == two for one, two in self._two("distribution", p._draw_names))
            and all(one == two for one, two in self._two("distribution", p._draws))
        )

    def _same_facts(self, named: set[tuple[str, int, int]]) -> bool:
        """True if what both said for analysis is the same, and of rows that lie as far apart; notes these."""
        p, apart, third = self.p, self.new["step"], self._third
        for kind, rows, field in (("demand", p._demands, "resource"), ("occupancy", p._occupancies, "window")):
            for one, two in self._two(kind, rows):
                row, other = getattr(one, field), getattr(two, field)
                if one._replace(at=one.at + apart, **{field: other}) != two or one.stride:
                    return False
                named.add((field, row, other - row))
        new = self.first["name"]
        return (
            all(
                one._replace(start=one.start + apart, end=one.end + apart, where=third(one.where)) == two
                for one, two in self._two("label", p._labels)
            )
            and all(
                one._replace(start=one.start + apart, end=one.end + apart) == two
                for one, two in self._two("region", p._regions)
            )
            and all(one._replace(at=one.at + apart) == two for one, two in self._two("promise", p._promises))
            and all(
                (one[0] + apart, one[1] + apart, one[2] + self.new["name"] * (one[2] >= new)) == two
                for one, two in self._two("body", p._bodies)
            )
            and all(
                replace(one, name=third(one.name), entry=one.entry + apart) == two
                for one, two in self._two("start", p._starts)
            )
        )

    def _in_place(self, kind: str, row: int, stride: int) -> bool:
        """True if each of the others has its row of a kind so many strides behind the row that the second names."""
        if stride == 0:
            return True
        if row >= self.first[kind]:
            return stride == self.new[kind]
        numbers = range(FIRST_NUMBER + 1, self.count + 1)
        if kind == "state":
            last = row + stride * (self.count - FIRST_NUMBER)
            return 0 <= last < self.first[kind] and all(
                self.like.machine(row, row + stride * (number - FIRST_NUMBER), number) for number in numbers
            )
        if kind not in _ROWS:
            return False
        rows, one = self.rows[kind], self.rows[kind][row]
        if not 0 <= row + stride * (self.count - FIRST_NUMBER) < self.first[kind]:
            return False
        _, *rest = one
        for number in numbers:
            name, *own = rows[row + stride * (number - FIRST_NUMBER)]
            if own != rest or name != self.told.of(one.name, number):
                return False
        return True

    def copy(self) -> None:
        """Declare for all behind the third what the second declared, and give its steps their strides."""
        p, template = self.p, self.told.template
        blocks = {kind: self.rows[kind][self.first[kind] : self.second[kind]] for kind in _ROWS}
        names = [template(name) for name in self.names[self.first["name"] : self.second["name"]]]
        starts = p._starts[self.first["start"] : self.second["start"]]
        draws = slice(self.first["distribution"], self.second["distribution"])
        drawn, called = p._draws[draws], [template(name) for name in p._draw_names[draws]]
        for instance in range(2, self.count - 1):
            for kind, block in blocks.items():
                rows = self.rows[kind]
                for one in block:
                    row = one._replace(name=numbered(template(one.name), instance))
                    p._known[kind, row.name] = Handle(kind, len(rows), row.name)
                    rows.append(row)
            p._draws += drawn
            p._draw_names += [numbered(name, instance) for name in called]
            for name in names:
                p._names[numbered(name, instance)] = len(p._names)
            p._starts += [
                replace(start, name=numbered(template(start.name), instance), instance=instance) for start in starts
            ]
        self._stride()

    def _stride(self) -> None:
        """Give strides to the steps, demands and occupancies of the second, and its labels the names of all."""
        p = self.p
        for at, stride in zip(self.naming.tolist(), self.strides.tolist(), strict=True):
            p._steps[(self.first["step"] + at) * COLUMNS + STRIDE] = stride
        facts: tuple[tuple[str, list[Any], str], ...] = (
            ("demand", p._demands, "resource"), ("occupancy", p._occupancies, "window"),
        )  # fmt: skip
        for kind, rows, field in facts:
            for at in range(self.first[kind], self.second[kind]):
                other = getattr(rows[at + self.new[kind]], field)
                rows[at] = rows[at]._replace(stride=other - getattr(rows[at], field))
        for at in range(self.first["label"], self.second["label"]):
            label = p._labels[at]
            p._labels[at] = label._replace(where=self.told.template(label.where))
