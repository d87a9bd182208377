"""What the compiled engine makes of a program before it runs it, for programs of one form once where it can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simio.engines import layout as c
from simio.engines.native import code
from simio.engines.outcome import Ints
from simio.engines.runs import LOOKED_AT, RUN, plain_lets, with_runs
from simio.machines.door import numbered
from simio.program.form import Form, once
from simio.program.steps import COLUMNS, Op, Program

MOST_ROOM = 2**14
"""Rows that a run has from the beginning since the one before it needed them, at most: 9 MB of threads."""


def families(program: Program) -> frozenset[str]:
    """The families of machine functions that a program calls."""
    alike = _alike(program)
    return alike.families if alike else _families(program)


def engine_steps(program: Program) -> Ints:
    """The program's steps as the loop has them (`simio.engines.runs`)."""
    alike = _alike(program)
    return alike.table(program) if alike else _engine_steps(program)


def zeros(*shape: int) -> Ints:
    """A table of zeros."""
    return np.zeros(shape, dtype=np.int64)


def _families(program: Program) -> frozenset[str]:
    called = program.steps[program.steps[:, 0] == Op.CALL, 1]
    return frozenset(numbered(function).family for function in set(called.tolist()))


def _engine_steps(program: Program) -> Ints:
    table = with_runs(program.steps)
    calls = table[:, 0] == Op.CALL
    table[calls, 1] = [code(number) for number in table[calls, 1].tolist()]
    return table


def _alike(program: Program) -> _Alike | None:
    """What is alike in the steps of programs of one form, None where they do not all do the same."""
    alike = program.copied.form.kept(_Alike) if program.copied else None
    return alike if alike and alike.same else None


class _Alike:
    """The steps of programs of one form, some rows of which differ."""

    def __init__(self, form: Form) -> None:
        program, own = form.program, form.program.steps[form.rows]
        places = form.places.get("steps", np.empty(0, dtype=np.int64))
        calls = form.rows[own[:, 0] == Op.CALL]
        self.same = form.operations and not np.isin(places, calls * COLUMNS + 1).any()
        self.families = _families(program)
        lets = np.isin(places // COLUMNS, form.rows[own[:, 0] == Op.LET])
        self._rows = np.unique(places[lets & np.isin(places % COLUMNS, LOOKED_AT)] // COLUMNS)
        """LETs whose function may have another name in each."""
        self._places = places
        self._steps = _engine_steps(program)

    def table(self, program: Program) -> Ints:
        """The engine's steps of one of them."""
        steps = self._steps.copy()
        steps.ravel()[self._places] = program.steps.ravel()[self._places]
        if len(self._rows):
            own = program.steps[self._rows]
            plain_lets(own)
            own[:, RUN] = steps[self._rows, RUN]
            steps[self._rows] = own
        return steps


class Room:
    """Rows of tables that the last run of a program of one form came to need, and the next has at once."""

    def __init__(self, form: Form | None = None) -> None:
        self.threads = self.log = 0

    def note(self, threads: int, log: int) -> None:
        """What a run has come to."""
        self.threads, self.log = min(threads, MOST_ROOM), min(log, MOST_ROOM)


def room(program: Program) -> Room:
    """What the last run of a program of this form needed; nothing is known of a program by itself."""
    return program.copied.form.kept(Room) if program.copied else Room()


def resources(program: Program) -> Ints:
    """The resources as they are at first."""
    return once(_resources, program, "resources").copy()


def _resources(program: Program) -> Ints:
    table = zeros(len(program.resources), c.RESOURCE_COLUMNS)
    table[:, c.UNITS] = [resource.units for resource in program.resources]
    table[:, [c.HEAD, c.TAIL]] = -1
    return table


def containers(program: Program) -> Ints:
    """The containers as they are at first."""
    return once(_containers, program, "containers").copy()


def _containers(program: Program) -> Ints:
    table = zeros(len(program.containers), c.CONTAINER_COLUMNS)
    table[:, c.CAPACITY] = [container.capacity for container in program.containers]
    levels = np.array([container.level for container in program.containers], dtype=np.int64)
    table[:, [c.LEVEL, c.LOWEST, c.HIGHEST]] = levels[:, np.newaxis]
    table[:, [c.GET_HEAD, c.GET_TAIL, c.PUT_HEAD, c.PUT_TAIL]] = -1
    return table


def gauges(program: Program) -> Ints:
    """Where in the state the gauges are."""
    return once(_gauges, program, "gauges")


def _gauges(program: Program) -> Ints:
    return np.array([gauge.at for gauge in program.gauges], dtype=np.int64)


class First(NamedTuple):
    """The first threads, their names' table, the serial numbers of those due now, and the heap of the others.

    `working` of them keep the run alive.
    """

    threads: Ints
    stats: Ints
    due: Ints
    later: Ints
    working: int


def first(program: Program) -> First:
    """The first threads in order: those of time zero are due now, the others wait in the heap. Not to be changed."""
    return once(_first, program, "starts")


def _first(program: Program) -> First:
    stats = zeros(len(program.names), c.STAT_COLUMNS)
    count = sum(start.count for start in program.starts)
    threads = zeros(count, c.THREAD_COLUMNS)
    names = {name: number for number, name in enumerate(program.names)}
    due: list[int] = []
    later: list[tuple[int, int, int]] = []
    serial = working = 0
    for start in program.starts:
        name = names[start.name]
        end = serial + start.count
        rows = threads[serial:end]
        rows[:, [c.PC, c.NAME, c.PARENT]] = start.entry, name, -1
        rows[:, c.SERIAL] = range(serial, end)
        rows[:, c.FLAGS] = c.LIVE | (c.DAEMON if start.daemon else 0) | start.instance << c.INSTANCE
        if start.time:
            later += [(start.time, len(later) + number, serial + number) for number in range(start.count)]
        else:
            due += range(serial, end)
        serial = end
        stats[name, 0] += start.count
        working += 0 if start.daemon else start.count
    # Entries in order are a heap.
    heap = np.array(sorted(later), dtype=np.int64).reshape(-1, c.HEAP_COLUMNS)
    return First(threads, stats, np.array(due, dtype=np.int64), heap, working)
