"""The primitives that every path is lowered to, and the table that holds them.

A program is a table of steps, eight int64 columns a step: the operation and up to six operands. Threads
run steps one after another; a step that cannot block takes no simulated time and costs no event. The contract of
each operation, which both engines keep to the tick, is written down beside its name in `Op`.

Threads that do the same with different rows (the locks, lines and machines of many connections) share their steps:
each is of an instance, a number that it starts with and its children inherit. A step that names a row (`NAMING`) has
a stride as its last operand, and means that row plus stride times the instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simio.machines.layout import Words
from simio.program.labels import Label

COLUMNS = 8
NO_REGISTER = -1
UNBOUNDED = 2**62
"""Capacity of a container that never refuses a put."""
HORIZON = 2**63 - 1
"""Last representable instant in picoseconds, about 106.75 days."""

Table = NDArray[np.int64]


class Op(IntEnum):
    """Operations and their operands, in column order. `reg` is a register number, -1 where there is none."""

    END = 0
    """The thread ends. If its parent waits in JOIN for the last child, the parent is scheduled now."""
    ADVANCE = 1
    """fixed, reg, numerator, denominator: continue after fixed + ceil(reg * numerator / denominator) ps."""
    SEIZE = 2
    """resource, units, priority: wait in line (lower priority number first, then arrival) for the units."""
    RELEASE = 3
    """resource, units: give back, then grant from the head of the line while the head fits."""
    PUT = 4
    """container, reg, amount: add r[reg] (or the constant), waiting in line while it does not fit."""
    GET = 5
    """container, reg, amount: take r[reg] (or the constant), waiting in line while it is not there."""
    FORK = 6
    """entry, delay, joined, daemon, name: start a thread at `entry` after `delay` ps with a copy of the registers.

    A daemon does not keep the run alive, nor does what it starts: the child of a daemon is one.
    """
    JOIN = 7
    """Wait until every joined child of this thread has ended."""
    JUMP = 8
    """target."""
    LOOP = 9
    """reg, target: r[reg] -= 1, and go to target while it is above zero."""
    BRANCH = 10
    """comparison, reg, register operand, constant operand, target: go to target if the comparison holds."""
    LET = 11
    """reg, function, register a, constant a, register b, constant b: r[reg] = function(a, b)."""
    MARK = 12
    """mark, reg, value: record (now, mark, r[reg] or the constant)."""
    DRAW = 13
    """reg, distribution: r[reg] = next value of the distribution's own random stream."""
    CALL = 14
    """function, state offset, a, b, reg: r[reg] = machine function(state, now, a, b).

    a and b are registers, or -1 - constant, which is `~constant`, for constants from 0 on.
    """


NAMING: dict[int, int] = {
    Op.SEIZE: 1, Op.RELEASE: 1, Op.PUT: 1, Op.GET: 1, Op.MARK: 1, Op.DRAW: 2, Op.CALL: 2, Op.FORK: 5,
}  # fmt: skip
"""Column of the operand that names a row: of resources, containers, marks, distributions, the state, or names."""
STRIDE = 6
"""Column of the stride of such a step; no other operand of it is there."""
INSTANCES = 2**32
"""Instances are numbers from 0 to below this."""
NUMBER = "\0"
"""Stands for an instance's number in texts that all instances share: labels, and names while lowering."""
FIRST_NUMBER = 2
"""Number of instance 0 in names: the first of many alike things is written out by itself."""


def numbered(text: str, instance: int) -> str:
    """A text that is the same for all instances, as it reads for one."""
    return text.replace(NUMBER, str(FIRST_NUMBER + instance)) if NUMBER in text else text


def named_row(step: Sequence[int], instance: int) -> int:
    """The row that a step of `NAMING` names for a thread of an instance."""
    return step[NAMING[step[0]]] + step[STRIDE] * instance


class Compare(IntEnum):
    """Comparisons of BRANCH; ANY holds where the operands have a bit in common, NONE where they have not."""

    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5
    ANY = 6
    NONE = 7


class Fn(IntEnum):
    """Functions of LET on int64; DIV and MOD round toward minus infinity, as in Python."""

    SET = 0
    ADD = 1
    SUB = 2
    MUL = 3
    DIV = 4
    MOD = 5
    MIN = 6
    MAX = 7
    SINCE = 8
    """now - a, so that SINCE 0 is the time."""


class Draw(IntEnum):
    """Kinds of distribution, all drawn in integer arithmetic (see `simio.machines.random`)."""

    UNIFORM = 0
    """a to b, both included."""
    EXPONENTIAL = 1
    """mean a."""
    DISCRETE = 2
    """One of the table's values, in proportion to its weight."""


class Resource(NamedTuple):
    """A server with `units` identical units; threads wait in order of (priority, arrival).

    A `lock` orders its users, but does no work.
    """

    name: str
    units: int
    lock: bool = False


class Container(NamedTuple):
    """An amount (bytes, credits, packets) between 0 and `capacity`; puts and gets each wait in arrival order."""

    name: str
    capacity: int
    level: int
    unit: str


class Mark(NamedTuple):
    """A named observation.

    `role` is 'delivered' (bytes that count as throughput), 'sent' (bytes whose rate stands beside it), 'latency'
    (ps, once a request), 'time' (ps, of a part of a request or of no request), 'counted' (a number of requests that
    were done together), 'packet' (fields of packets, see `simio.components.network.capture`), 'begun' (a program
    begins what it is measured by) or 'other'.
    """

    name: str
    role: str
    unit: str


@dataclass(frozen=True)
class ThreadStart:
    """`count` threads of an instance that start at step `entry` at `time` ps; daemons do not keep the run alive."""

    name: str
    entry: int
    time: int
    count: int
    daemon: bool
    workload: int
    instance: int = 0


ENDLESS = 2**53
"""Turns of a loop that only a time limit ends: as many as the steps that a run may have at most."""


class Region(NamedTuple):
    """Steps `start` to `end` (excluded) run at least `least` times for each time their surroundings run.

    A `least` that is not whole is a share of how often the surroundings run in all.
    """

    start: int
    end: int
    least: Fraction | int


class Window(NamedTuple):
    """Slots for what can be under way at once without a resource of its own: credits, a medium that streams.

    `together`: they are the units of resources and the slots of windows of which something takes one or another.
    """

    name: str
    slots: int
    together: bool = False


class Occupancy(NamedTuple):
    """Each time that execution passes step `at`, a slot of a window is taken for at least `time` ps in all."""

    at: int
    window: int
    time: int
    stride: int = 0


class Demand(NamedTuple):
    """Each time that execution passes step `at`, a resource will serve at least `time` unit-ps in consequence."""

    at: int
    resource: int
    time: int
    stride: int = 0


class Promise(NamedTuple):
    """Each time that execution passes step `at`, `amount` bytes are delivered in consequence, unless they are lost.

    Where a program has promises, marks of deliveries whose amount is only known when they happen do not count.
    """

    at: int
    amount: int


class Tally(NamedTuple):
    """A count that a machine keeps, at `at` of the state: `what`, or in ps how long `owner` waited for it.

    Of a wait that may go on when the run ends, the word at `since` has the instant in ps at which it began, or 0.
    """

    owner: str
    what: str
    at: int
    unit: str
    since: int = -1


CPU_TIME, PROFILED = "CPU time", "CPU time in "
"""Tallies in ns: of a process, its time on its core; of a host, with a class of functions, theirs on all cores."""
BUFFER = "{} buffer"
"""Name of the container of a solid-state drive that has the room for data that are written and not stored yet."""
PROGRAMMED = "programmed for the host"
"""Tally in sectors: what such a drive has stored of what its host wrote."""
PAUSES = "the end of pauses"
"""Tally in ps: time for which pause frames stop a wire, so that all wait that send over it."""


@dataclass(frozen=True)
class Load:
    """A load on the system, of workload `name`; the mark `served` records each request that is done.

    An open load has a `rate` of arrivals a second, of which a `lossy` one loses some; a closed one has `users` who
    wait for an answer and then think for `think` ps in the mean. `count` is the number of all its requests, 0 where
    that is not known.
    """

    name: str
    served: str
    rate: Fraction
    lossy: bool = False
    users: int = 0
    think: int = 0
    count: int = 0


class Bond(NamedTuple):
    """Resources, by name, that are members of one bond in one direction: each packet takes one of them.

    Of a `single` one, all packets take the same at a time, as of an active backup.
    """

    name: str
    resources: tuple[str, ...]
    single: bool = False


class Gauge(NamedTuple):
    """A level that a machine keeps, at `at` of the state: `what` of `owner` in `unit`; the timeline has it.

    With `servers` it is the time in ps that so many servers of the machine have worked, all together. As a `line` it
    is the time in ps that all packets which the machine lets wait for the resource `owner` have waited up to an
    instant; the three words behind it are this instant, how many wait then, and the most that ever did.
    """

    owner: str
    what: str
    at: int
    unit: str
    servers: int = 0
    line: bool = False

    @property
    def name(self) -> str:
        """Name in results, timelines and traces."""
        return f"{self.owner} {self.what}"


class Feed(NamedTuple):
    """Words for a machine that has more of them than its state has room for, such as the requests of a long trace.

    When the machine whose state begins at `at` refuses a CALL, the next item of `source()` takes the place of its
    first words, and the CALL is made again; without a next item, the refusal stands. The state has to say by itself
    what the source gives, as by a hash of it, since a program's hash does not look into sources.
    """

    at: int
    source: Callable[[], Iterator[Table]]


class Guest(NamedTuple):
    """A process written in Python, `function(io)` being its generator; only the reference engine runs it."""

    name: str
    function: Callable[..., Any]
    daemon: bool


@dataclass(frozen=True, eq=False)
class Program:
    """Everything an engine needs, and nothing about disks or networks.

    `steps` has shape (n, 8). `names` are the names of threads, by the number that FORK and the starts use.
    `draws` has shape (d, 4): kind, a, b or table offset, table length; `draw_table` holds (value, cumulative
    weight) pairs of discrete distributions. `state` is the initial state of all machines, laid end to end.
    `words` are the names of the words of each machine, as far as they are known.
    `feeds` are the machines that get more words while the program runs.
    `regions`, `windows`, `occupancies`, `demands`, `promises`, `ahead` (containers of bytes that count as delivered
    before what they need is done), `behind` (those of bytes yet to be delivered), `early` (kinds
    and rows of resources and windows, and the ps of work that each lets pass before it has served it), `tallies`,
    `gauges`, `loads`, `bonds`, `labels` (inner ones first), `bodies` (first step, end, name number of each thread
    body), `joined` (rows of marks whose deliveries are measured as one stream) and `told` (sentences on what is
    modelled otherwise than a reader may think) serve analysis only.
    """

    steps: Table
    registers: int
    names: tuple[str, ...]
    starts: tuple[ThreadStart, ...]
    resources: tuple[Resource, ...]
    containers: tuple[Container, ...]
    marks: tuple[Mark, ...]
    draws: Table
    draw_names: tuple[str, ...]
    draw_table: Table
    state: Table
    machines: tuple[tuple[str, int], ...]
    workloads: tuple[str, ...]
    regions: tuple[Region, ...]
    windows: tuple[Window, ...]
    occupancies: tuple[Occupancy, ...]
    demands: tuple[Demand, ...]
    promises: tuple[Promise, ...]
    ahead: tuple[int, ...]
    bodies: tuple[tuple[int, int, int], ...]
    guests: tuple[Guest, ...] = ()
    tallies: tuple[Tally, ...] = ()
    labels: tuple[Label, ...] = ()
    gauges: tuple[Gauge, ...] = ()
    words: tuple[tuple[Words, ...], ...] = ()
    loads: tuple[Load, ...] = ()
    bonds: tuple[Bond, ...] = ()
    feeds: tuple[Feed, ...] = ()
    behind: tuple[int, ...] = ()
    early: tuple[tuple[str, int, int], ...] = ()
    joined: tuple[int, ...] = ()
    told: tuple[str, ...] = ()

    @cached_property
    def random(self) -> bool:
        """True if any thread can draw a random number."""
        return bool((self.steps[:, 0] == Op.DRAW).any())
