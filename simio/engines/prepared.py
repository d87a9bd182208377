"""Tables of the compiled engine as a run of a program begins."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from simio.engines import codes
from simio.engines import layout as c
from simio.engines.alike import Alike, alike
from simio.engines.native import Announce, entry, function_address, step_addresses
from simio.engines.outcome import FIRST_INTERVAL, Ints
from simio.engines.support import refuse_unknown
from simio.engines.threaded import CODE, kinds
from simio.machines.door import numbered
from simio.program.steps import COLUMNS, Op, Program

_DECIDES = np.zeros((len(Op), COLUMNS), dtype=bool)
"""Operations, and columns that decide which function a step has."""
for _op, _columns in ((Op.LET, (2, 3, 5, 6)), (Op.BRANCH, (1, 3)), (Op.CALL, (3, 4))):
    _DECIDES[_op, _columns] = True
MOST_ROOM = 2**14
"""Most rows that a run has from its beginning because an earlier run needed them: 9 MB of threads."""
SHORTER = 4
"""Factor by which a run may be shorter than the one before, for its timeline to begin with a longer interval."""


class FirstThreads(NamedTuple):
    """The threads that a run begins with, and the table of their names.

    `due` are the serial numbers of those that start at once, `later` is the heap of the others, and `working` the
    number of those that keep the run alive.
    """

    threads: Ints
    stats: Ints
    due: Ints
    later: Ints
    working: int


class Room:
    """The last run's rows of tables and table of threads, for the next run of a program like it.

    What a processor's caches have of that table is still there, and no page of memory has to be found for it.
    `interval` is what a timeline may begin with: a run that is as long gets there in any case, and drops all rows but
    those at multiples of it.
    """

    def __init__(self) -> None:
        self.threads = self.log = 0
        self.interval = FIRST_INTERVAL
        self._alike = True
        self._spare: list[Ints] = []

    def threads_of(self, rows: int) -> Ints:
        """A table of threads that no other run has, with anything in it."""
        # Another thread of Python may take the last one in between.
        with suppress(IndexError):
            spare = self._spare.pop()
            if len(spare) == rows:
                return spare
        return np.empty((rows, c.THREAD_COLUMNS), dtype=np.int64)

    def differs(self) -> None:
        """Note that runs differ much in length, so that the next timeline begins with the first interval."""
        self._alike, self.interval = False, FIRST_INTERVAL

    def note(self, threads: Ints, log: int, interval: int) -> None:
        """Note the rows and the interval of a run that has ended, and keep its table for another."""
        if self._alike:
            self.interval = max(interval // SHORTER, FIRST_INTERVAL)
        self.threads, self.log = min(len(threads), MOST_ROOM), min(log, MOST_ROOM)
        if len(threads) <= MOST_ROOM:
            self._spare[:] = [threads]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A program as the compiled loop takes it; a run changes copies of these tables, never the tables.

    `families` are those of the machine functions that it calls, `gauges` are offsets in the state, and `alike` says
    which of the `first` threads can run the same steps.
    """

    families: frozenset[str]
    steps: Ints
    resources: Ints
    containers: Ints
    gauges: Ints
    first: FirstThreads
    alike: Alike
    room: Room = field(default_factory=Room)


def prepare(program: Program, announce: Announce | None = None) -> Prepared:
    """Prepare a program, and load the families of its machine functions, which gives these their codes.

    `announce` gets a message if they have to be compiled first. Raises RunError if the program has an operation that
    the compiled engine lacks.
    """
    refuse_unknown(program, "compiled", codes.OPERATIONS, codes.FUNCTIONS, codes.COMPARISONS)
    families = _families(program)
    entry(announce, families)
    same = alike(program)
    return Prepared(
        families,
        _steps(program, same),
        _resources(program),
        _containers(program),
        _gauges(program),
        _first(program),
        same,
    )


class ProgramVariants:
    """Prepares programs that differ from one program only in some `fields`, and in some `words` of its flat steps."""

    def __init__(self, program: Program, fields: Container[str], words: Ints) -> None:
        self._prepared = prepare(program)
        self._words = words
        self._made = [made for name, made in _MADE_FROM.items() if name in fields]
        rows, columns = words // COLUMNS, words % COLUMNS
        calls = program.steps[rows, 0] == Op.CALL
        self._anew = bool(((columns == 0) | calls & (columns == 1)).any())
        """True if operations or the functions of CALLs may differ."""
        self._rows = np.unique(rows[_DECIDES[program.steps[rows, 0], columns]])

    def prepare(self, program: Program) -> Prepared:
        """Prepare one of these programs. Raises as the function `prepare` does."""
        if self._anew:
            return prepare(program)
        changed: dict[str, Any] = {name: make(program) for name, make in self._made}
        if len(self._words):
            steps = changed["steps"] = self._prepared.steps.copy()
            steps.ravel()[self._words] = program.steps.ravel()[self._words]
            changed["alike"] = alike(program)
            changed["alike"].give_strides(steps)
            if len(self._rows):
                steps[self._rows, CODE] = _codes(steps[self._rows], program.steps[self._rows])
        return replace(self._prepared, **changed)


def zeros(*shape: int) -> Ints:
    """A table of zeros."""
    return np.zeros(shape, dtype=np.int64)


def _families(program: Program) -> frozenset[str]:
    called = program.steps[program.steps[:, 0] == Op.CALL, 1]
    return frozenset(numbered(function).family for function in set(called.tolist()))


def _steps(program: Program, same: Alike) -> Ints:
    """The program's table with strides, threaded code, and the addresses or words that CALLs name."""
    table = np.ascontiguousarray(program.steps).copy()
    same.give_strides(table)
    table[:, CODE] = _codes(table, program.steps)
    calls = np.flatnonzero(table[:, 0] == Op.CALL)
    meant = {number: _meant(number) for number in set(table[calls, 1].tolist())}
    table[calls, 1] = [meant[number] for number in table[calls, 1].tolist()]
    return table


def _codes(table: Ints, steps: Ints) -> Ints:
    """Addresses of threaded code for rows of the engine's table, which are these steps of a program."""
    return step_addresses()[kinds(table, steps[:, 1])]


def _meant(number: int) -> int:
    """The word that a machine function answers with, or its address."""
    word = numbered(number).word
    return function_address(number) if word is None else word


def _resources(program: Program) -> Ints:
    table = zeros(len(program.resources), c.RESOURCE_COLUMNS)
    table[:, c.UNITS] = [resource.units for resource in program.resources]
    table[:, [c.HEAD, c.TAIL, c.PASSED]] = -1
    return table


def _containers(program: Program) -> Ints:
    table = zeros(len(program.containers), c.CONTAINER_COLUMNS)
    table[:, c.CAPACITY] = [container.capacity for container in program.containers]
    levels = np.array([container.level for container in program.containers], dtype=np.int64)
    table[:, [c.LEVEL, c.LOWEST, c.HIGHEST]] = levels[:, np.newaxis]
    table[:, [c.GET_HEAD, c.GET_TAIL, c.PUT_HEAD, c.PUT_TAIL]] = -1
    return table


def _gauges(program: Program) -> Ints:
    return np.array([gauge.at for gauge in program.gauges], dtype=np.int64)


def _first(program: Program) -> FirstThreads:
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
    return FirstThreads(threads, stats, np.array(due, dtype=np.int64), heap, working)


_MADE_FROM: dict[str, tuple[str, Callable[[Program], Any]]] = {
    "resources": ("resources", _resources),
    "containers": ("containers", _containers),
    "gauges": ("gauges", _gauges),
    "starts": ("first", _first),
}
"""Fields of a program, and the field of what is prepared that is made from each."""
