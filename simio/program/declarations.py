"""Declarations of a program before its steps: resources, containers, observations, distributions, machines.

A name declared alike again is the same thing, so that components need not know of one another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from simio.errors import OutOfRange
from simio.machines.layout import State, Words
from simio.program.labels import Label
from simio.program.memory import StateWords
from simio.program.steps import (
    UNBOUNDED,
    Bond,
    Container,
    Demand,
    Draw,
    Feed,
    Gauge,
    Guest,
    Load,
    Mark,
    Occupancy,
    Promise,
    Region,
    Resource,
    Table,
    Tally,
    ThreadStart,
    Window,
)

LIMIT = 2**62
"""Constants of a program lie below this."""
Made = TypeVar("Made")
_Row = TypeVar("_Row", Resource, Container, Mark, Window)


class Handle(NamedTuple):
    """The builder's handle of a resource, container, mark or distribution; `number` is its row."""

    kind: str
    number: int
    name: str


class ProgramError(ValueError):
    """A component emitted something that no engine could run; a defect of the component, not of a scenario."""


MOST_STATE = 2**24
"""Words of state of all machines of a program, without last tables; a TCP connection has 750, and takes 90 kB."""
MOST_ROWS = 80_000_000
"""Words of machines' last tables, such as the mapping of a drive: a run has four copies, 2.6 gigabytes."""


class UnfitError(ProgramError, OutOfRange):
    """A value of a component does not fit the engines' arithmetic."""


class Declarations:
    """Collects declarations, and facts for analysis beside the steps."""

    def __init__(self) -> None:
        self._steps: list[int] = []
        """Rows end to end: a list of lists would be gone through again and again by Python's garbage collector."""
        self._at = 0
        """Number of the next step."""
        self._resources: list[Resource] = []
        self._containers: list[Container] = []
        self._marks: list[Mark] = []
        self._draws: list[tuple[int, int, int, int]] = []
        self._draw_names: list[str] = []
        self._draw_table: list[tuple[int, int]] = []
        self._state = StateWords()
        self._rows = 0
        """Words of last tables in the state."""
        self._machines: list[tuple[str, int]] = []
        self._words: list[tuple[Words, ...]] = []
        self._windows: list[Window] = []
        self._occupancies: list[Occupancy] = []
        self._demands: list[Demand] = []
        self._promises: list[Promise] = []
        self._ahead: dict[int, None] = {}
        self._behind: dict[int, None] = {}
        self._early: dict[tuple[str, int], int] = {}
        self._tallies: list[Tally] = []
        self._gauges: list[Gauge] = []
        self._loads: dict[str, Load] = {}
        self._bonds: list[Bond] = []
        self._joined: dict[int, None] = {}
        self._told: dict[str, None] = {}
        self._feeds: list[Feed] = []
        self._guests: list[Guest] = []
        self._labels: list[Label] = []
        self._regions: list[Region] = []
        self._bodies: list[tuple[int, int, int]] = []
        self._names: dict[str, int] = {}
        self._starts: list[ThreadStart] = []
        self._known: dict[tuple[str, str], Handle] = {}
        self._depth = 0
        self._owned: dict[int, tuple[object, Any]] = {}

    def resource(self, name: str, units: int = 1, lock: bool = False) -> Handle:
        """A resource of `units` units; the same name declared alike again is the same resource.

        A `lock` (a driver's, or the place of a command in a drive) orders its users, but does no work while it is
        held. Raises ProgramError for less than one unit, and for a name that is declared in another way already.
        """
        if units < 1:
            raise ProgramError(f"resource {name!r} needs at least one unit, not {units}")
        return self._declare("resource", name, Resource(name, units, lock), self._resources)

    def container(self, name: str, capacity: int = UNBOUNDED, level: int = 0, unit: str = "bytes") -> Handle:
        """A container that starts at `level` and holds at most `capacity`.

        Raises UnfitError for a level that it does not hold, ProgramError for a name that is declared in another way.
        """
        if not 0 <= level <= capacity or capacity > UNBOUNDED:
            raise UnfitError(f"container {name!r} cannot start at {level} of {capacity}")
        return self._declare("container", name, Container(name, capacity, level, unit), self._containers)

    def observation(self, name: str, role: str = "other", unit: str = "") -> Handle:
        """A mark that MARK steps record into; see `Mark` for roles.

        Raises ProgramError for a name that is declared in another way already.
        """
        return self._declare("mark", name, Mark(name, role, unit), self._marks)

    def joined(self, name: str) -> Handle:
        """A stream of deliveries that is measured as one with all others declared so, and reported apart."""
        found = self.observation(name, "delivered", "bytes")
        self._joined[found.number] = None
        return found

    def uniform(self, name: str, low: int, high: int) -> Handle:
        """Whole numbers from `low` to `high`, both included. Raises UnfitError where there are none, or too many."""
        if low > high or low <= -LIMIT or high >= LIMIT or high - low >= LIMIT:
            raise UnfitError(f"uniform {name!r} cannot draw from {low} to {high}")
        return self._distribution(name, (Draw.UNIFORM, low, high, 0))

    def exponential(self, name: str, mean: int) -> Handle:
        """Exponential with a mean, rounded down to whole numbers. Raises UnfitError for a mean of 2**56 or more."""
        if not 0 <= mean < 2**56:
            raise UnfitError(f"exponential {name!r} cannot have mean {mean}")
        return self._distribution(name, (Draw.EXPONENTIAL, mean, 0, 0))

    def discrete(self, name: str, weights: Sequence[tuple[int, int]]) -> Handle:
        """One of the values of (value, weight) pairs, in proportion to its positive weight.

        Raises ProgramError for a weight below one, UnfitError for no pairs, and for values or weights too large.
        """
        total = 0
        offset = len(self._draw_table)
        for value, weight in weights:
            if weight < 1:
                raise ProgramError(f"discrete {name!r} needs positive weights, not {weight}")
            if not -LIMIT < value < LIMIT:
                raise UnfitError(f"discrete {name!r} cannot draw {value}: it does not fit")
            total += weight
            self._draw_table.append((value, total))
        if not 0 < total < LIMIT:
            raise UnfitError(f"discrete {name!r} needs values with weights below 2**62")
        return self._distribution(name, (Draw.DISCRETE, total, offset, len(weights)))

    def machine(self, name: str, state: Sequence[int]) -> int:
        """Lay a machine's initial state into the program; returns its offset for `call`.

        A state that a `Layout` has made is listed by the names of its words.
        """
        rows = state.rows if isinstance(state, State) else ()
        self.room(name, len(state), len(rows))
        offset = len(self._state)
        self._state.extend(state)
        self._state.extend(rows)
        self._rows += len(rows)
        self._words.append(state.words if isinstance(state, State) else ())
        self._machines.append((name, offset))
        return offset

    def set_word(self, offset: int, value: int) -> None:
        """Give a word of a machine's initial state another value than it was laid down with."""
        self._state[offset] = value

    def word(self, offset: int) -> int:
        """The value that a word of a machine's initial state has so far."""
        return self._state[offset]

    def once(self, owner: object, make: Callable[[], Made]) -> Made:
        """The result of `make`, such as the offset of a machine; it is called the first time that an owner asks."""
        if id(owner) not in self._owned:
            self._owned[id(owner)] = (owner, make())
        made: Made = self._owned[id(owner)][1]
        return made

    def room(self, name: str, words: int, rows: int = 0) -> None:
        """Raise UnfitError if so many more words of state, or `rows` of a last table, are too many for a program."""
        for more, used, most in ((words, len(self._state) - self._rows, MOST_STATE), (rows, self._rows, MOST_ROWS)):
            if more and used + more > most:
                beside = f" beside {used:,} of others" if more <= most else ""
                raise UnfitError(
                    f"{name!r} would need {more:,} words of state{beside}, and a program has {most:,} at most; "
                    "use fewer streams, connections or disks, or smaller windows, files or disks"
                )

    def tally(self, owner: str, what: str, offset: int, unit: str, since: int = -1) -> None:
        """The word at `offset` counts `what` of `owner` in `unit`, or in ps how long it waited for it; no step.

        The word at `since` has the instant in ps from which on it waits, or 0; without it, a wait counts as it ends.
        """
        self._tallies.append(Tally(owner, what, offset, unit, since))

    def load(self, name: str, served: Handle, rate: Fraction, lossy: bool = False, count: int = 0) -> None:
        """`rate` requests a second arrive for `name`, each of which `served` records when it is done; no step.

        Some of a `lossy` load are lost and never done. `count` is their number in all, 0 where it is not known.
        """
        self._loads[name] = Load(name, served.name, rate, lossy, count=count)

    def users(self, name: str, served: Handle, users: int, think: int) -> None:
        """`users` ask for one thing after another and think for `think` ps in the mean in between; no step."""
        self._loads[name] = Load(name, served.name, Fraction(0), users=users, think=think)

    def feed(self, offset: int, source: Callable[[], Iterator[Table]]) -> None:
        """The machine at `offset` gets more words from `source` when it refuses a call (`Feed`); no step."""
        self._feeds.append(Feed(offset, source))

    def gauge(self, owner: str, what: str, offset: int, unit: str) -> None:
        """The word at `offset` is at any time `what` of `owner` in `unit`; for the timeline, no step."""
        self._gauges.append(Gauge(owner, what, offset, unit))

    def servers(self, owner: str, what: str, offset: int, number: int) -> None:
        """The word at `offset` sums up the time in ps that `number` servers, `what` of `owner`, have worked; no step.

        A machine has them in place of resources, and they are reported like these.
        """
        self._gauges.append(Gauge(owner, what, offset, "ps", number))

    def line(self, resource: str, offset: int) -> None:
        """A machine lets packets wait for a resource, and counts them from `offset` on (`Gauge`); no step."""
        self._gauges.append(Gauge(resource, "line", offset, "ps", line=True))

    def window(self, name: str, slots: int) -> Handle:
        """Something of which at most `slots` can be under way at once (credits); for the bound, not run.

        Raises ProgramError for a name that is declared in another way already.
        """
        return self._declare("window", name, Window(name, slots), self._windows)

    def together(self, handles: Sequence[Handle]) -> Handle:
        """The window of all units of resources and windows of which something takes one or another; not run."""
        name = f"{handles[0].name} and {len(handles) - 1} more together"
        slots = {"resource": lambda row: self._resources[row].units, "window": lambda row: self._windows[row].slots}
        total = sum(slots[each.kind](each.number) for each in handles)
        found = self._declare("window", name, Window(name, total, together=True), self._windows)
        # Whatever each lets pass before it has served it, all let pass together.
        if early := sum(self._early.get((each.kind, each.number), 0) for each in handles):
            self.early(found, early)
        return found

    def bond(self, name: str, resources: Sequence[str], single: bool = False) -> None:
        """Resources of these names are members of one bond, of which each packet takes one; for reports, not run.

        Of a `single` one, all take the same at a time.
        """
        self._bonds.append(Bond(name, tuple(resources), single))

    def tell(self, sentence: str) -> None:
        """Tell the reader of a result, once, what is modelled otherwise than they may think; not run."""
        self._told[sentence] = None

    def occupy(self, window: Handle, time: int) -> None:
        """Passing here takes slots of the window for at least `time` ps in all; for the bound, no step."""
        self._inside("occupy")
        self._occupancies.append(Occupancy(self._at, self._row("window", window), time))

    def demand(self, resource: Handle, time: int) -> None:
        """Passing here causes a resource to serve at least `time` unit-ps; for the bound, no step."""
        self._inside("demand")
        self._demands.append(Demand(self._at, self._row("resource", resource), time))

    def ahead(self, container: Handle) -> None:
        """Bytes in this container count as delivered before what they need is done; for the bound, no step."""
        self._ahead[self._row("container", container)] = None

    def behind(self, container: Handle) -> None:
        """Bytes in this container are yet to be delivered, whatever fills it; for reports, no step."""
        self._behind[self._row("container", container)] = None

    def early(self, served: Handle, time: int) -> None:
        """Work of `time` ps may pass this before it has served it, as with tokens; for the bound, no step."""
        self._early[served.kind, self._row("window" if served.kind == "window" else "resource", served)] = time

    def promise(self, amount: int) -> None:
        """Passing here causes `amount` bytes to be delivered; for the bound, no step."""
        self._inside("promise")
        self._promises.append(Promise(self._at, amount))

    @contextmanager
    def label(self, what: str, where: str = "", call: bool = False, byte: str = "") -> Iterator[None]:
        """Steps inside are `what`, at the place `where`, for analysis; see `simio.program.labels`."""
        start = self._at
        yield
        self.label_from(start, what, where, call, byte)

    def label_from(self, start: int, what: str, where: str, call: bool, byte: str) -> None:
        """Steps from `start` on are `what`, as inside of `label`."""
        if self._at > start:
            self._labels.append(Label(start, self._at, what, where, call, byte))

    def guest(self, name: str, function: Callable[..., Any], daemon: bool = False) -> None:
        """A process in Python, run by the reference engine only; see `simio.engines.guests`."""
        self._guests.append(Guest(name, function, daemon))

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _inside(self, what: str) -> None:
        if not self._depth:
            raise ProgramError(f"{what} stands outside of any thread")

    def _row(self, kind: str, handle: Handle) -> int:
        if handle.kind != kind:
            raise ProgramError(f"{handle.name!r} is a {handle.kind}, not a {kind}")
        return handle.number

    def _declare(self, kind: str, name: str, row: _Row, rows: list[_Row]) -> Handle:
        known = self._known.get((kind, name))
        if known is not None:
            if rows[known.number] != row:
                raise ProgramError(f"{kind} {name!r} is declared twice, not alike")
            return known
        handle = self._known[(kind, name)] = Handle(kind, len(rows), name)
        rows.append(row)
        return handle

    def _distribution(self, name: str, row: tuple[int, int, int, int]) -> Handle:
        self._draws.append(row)
        self._draw_names.append(name)
        return Handle("distribution", len(self._draws) - 1, name)
