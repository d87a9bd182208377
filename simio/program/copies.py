"""Replication: of many things that do the same, the first is written out, and the second once more for all others.

Each of the others gets copies of what the second declares: its locks, containers, machines and first threads. The
steps of the second stay as they are. Threads of the others run them, too, as instances of their own, and a step that
names something of the second has a stride to the same thing of the next (`simio.program.steps`). So a program of ten
thousand connections has the steps of two, and behaves as if each had been written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from dataclasses import replace
from itertools import chain
from typing import Any

from simio.program.declarations import Declarations, Handle, ProgramError, UnfitError
from simio.program.steps import COLUMNS, INSTANCES, NAMING, NUMBER, STRIDE, Draw, Gauge, Op, Tally, numbered

KINDS: dict[int, str] = {
    Op.SEIZE: "resource", Op.RELEASE: "resource", Op.PUT: "container", Op.GET: "container", Op.MARK: "mark",
    Op.DRAW: "distribution", Op.CALL: "state", Op.FORK: "name",
}  # fmt: skip
"""The kind of thing that the operand of a step names."""


class _Names:
    """Texts as they read for each of `count` instances: many rows have the same text, which is written once."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._numbers = [numbered(NUMBER, instance) for instance in range(count)]
        self._known: dict[str, list[str]] = {}

    def of(self, texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """The texts of each instance, with its number in them."""
        for text in texts:
            if text not in self._known:
                parts = text.split(NUMBER)
                self._known[text] = [number.join(parts) for number in self._numbers]
        return zip(*(self._known[text] for text in texts), strict=True)


class Copies(Declarations):
    """Declarations, and their replication."""

    def replicate(self, name: str, count: int) -> Iterator[str]:
        """Run a for loop's body for each of `count` alike things, and yield their names: NAME, or NAME 1, NAME 2, ….

            for own in p.replicate("stream", 1000):
                lock = p.resource(f"{own} lock", lock=True)
                with p.thread(own), p.hold(lock):
                    p.advance(1000)

        The body runs at most twice, and the second time stands for all others. So it must not depend on the number,
        and names of what it declares must contain the name that it is given, unless they are known from the first
        time. Raises ProgramError if they do not, or inside of another replication.
        """
        if NUMBER in name or count >= INSTANCES:
            raise ProgramError(f"{count} times {name!r} are too many, or inside of others")
        if count == 1:
            yield name
            return
        yield f"{name} 1"
        if count == 2:
            yield f"{name} 2"
            return
        first = self._extent()
        yield f"{name} {NUMBER}"
        self._copy(first, count - 1)

    def _extent(self) -> dict[str, int]:
        """The number of everything declared until now."""
        tables: dict[str, Sized] = {
            "resource": self._resources, "container": self._containers, "mark": self._marks,
            "window": self._windows, "distribution": self._draws, "table": self._draw_table, "state": self._state,
            "machine": self._machines, "name": self._names, "start": self._starts, "tally": self._tallies,
            "gauge": self._gauges, "step": range(self._at), "demand": self._demands,
            "occupancy": self._occupancies, "guest": self._guests,
        }  # fmt: skip
        return {kind: len(table) for kind, table in tables.items()}

    def _copy(self, first: dict[str, int], count: int) -> None:
        """Make declarations since `first` those of instance 0, and repeat them for all `count`."""
        last = self._extent()
        strides = {kind: last[kind] - first[kind] for kind in first}
        if strides["guest"]:
            raise ProgramError("processes in Python cannot be copied")
        names = _Names(count)
        self._copy_named("resource", self._resources, first["resource"], names)
        self._copy_named("container", self._containers, first["container"], names)
        self._copy_named("mark", self._marks, first["mark"], names)
        self._copy_named("window", self._windows, first["window"], names)
        self._copy_draws(first, count)
        self._copy_machines(first, strides["state"], names)
        self._copy_threads(first, names)
        self._stride(first, strides)

    def _copy_named(self, kind: str, rows: list[Any], first: int, names: _Names) -> None:
        """Copy rows whose first field is their name."""
        block = [(type(row), *row) for row in rows[first:]]
        del rows[first:]
        for _, name, *_ in block:
            del self._known[kind, _own(name)]
        known = self._known
        makers = [(make, rest) for make, _, *rest in block]
        for each in names.of([template for _, template, *_ in block]):
            for name, (make, rest) in zip(each, makers, strict=True):
                if (kind, name) in known:
                    raise UnfitError(f"there are two of the name {name!r}")
                known[kind, name] = Handle(kind, len(rows), name)
                rows.append(make(name, *rest))

    def _copy_draws(self, first: dict[str, int], count: int) -> None:
        names, rows = self._draw_names[first["distribution"] :], self._draws[first["distribution"] :]
        table = self._draw_table[first["table"] :]
        self._draw_names[first["distribution"] :] = [
            numbered(_own(name), instance) for instance in range(count) for name in names
        ]
        for instance in range(1, count):
            for kind, a, b, length in rows:
                moved = instance * len(table) if kind == Draw.DISCRETE else 0
                self._draws.append((kind, a, b + moved, length))
        self._draw_table += table * (count - 1)

    def _copy_machines(self, first: dict[str, int], stride: int, names: _Names) -> None:
        self.room(numbered(_own(self._machines[-1][0]), 0) if stride else "", stride * (names.count - 1))
        self._state.repeat(first["state"], names.count - 1)
        for rows, kind in ((self._tallies, "tally"), (self._gauges, "gauge")):
            block: list[Any] = rows[first[kind] :]
            rows[first[kind] :] = [
                row._replace(owner=owner, at=row.at + instance * stride, **_since(row, instance * stride))
                for instance, owners in enumerate(names.of([_own(row.owner) for row in block]))
                for owner, row in zip(owners, block, strict=True)
            ]
        self._words += self._words[first["machine"] :] * (names.count - 1)
        machines = self._machines[first["machine"] :]
        self._machines[first["machine"] :] = [
            (name, at + instance * stride)
            for instance, each in enumerate(names.of([_own(name) for name, _ in machines]))
            for name, (_, at) in zip(each, machines, strict=True)
        ]

    def _copy_threads(self, first: dict[str, int], names: _Names) -> None:
        own = list(self._names)[first["name"] :]
        for name in own:
            del self._names[_own(name)]
        for name in chain.from_iterable(names.of(own)):
            if self._names.setdefault(name, len(self._names)) < first["name"]:
                raise UnfitError(f"there are two of the name {name!r}")
        starts = self._starts[first["start"] :]
        self._starts[first["start"] :] = [
            replace(start, name=name, instance=instance)
            for instance, each in enumerate(names.of([start.name for start in starts]))
            for name, start in zip(each, starts, strict=True)
        ]

    def _stride(self, first: dict[str, int], strides: dict[str, int]) -> None:
        """Give strides to steps, demands and occupancies that name something of the instances."""
        steps = self._steps
        for row in range(first["step"] * COLUMNS, self._at * COLUMNS, COLUMNS):
            kind = KINDS.get(steps[row])
            if kind and steps[row + NAMING[steps[row]]] >= first[kind]:
                steps[row + STRIDE] = strides[kind]
        for at, demand in enumerate(self._demands[first["demand"] :], first["demand"]):
            if demand.resource >= first["resource"]:
                self._demands[at] = demand._replace(stride=strides["resource"])
        for at, occupancy in enumerate(self._occupancies[first["occupancy"] :], first["occupancy"]):
            if occupancy.window >= first["window"]:
                self._occupancies[at] = occupancy._replace(stride=strides["window"])


def _since(row: Tally | Gauge, by: int) -> dict[str, int]:
    """The word of a tally that says since when it waits, so much further on; nothing where it has none."""
    return {"since": row.since + by} if type(row) is Tally and row.since >= 0 else {}


def _own(name: str) -> str:
    """The name. Raises ProgramError if it is not one of an instance."""
    if NUMBER not in name:
        raise ProgramError(f"{name!r} is declared for one of many, and not called after it")
    return name
