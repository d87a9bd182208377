"""Threads, and the blocks that they are made of: loops, conditions, children, procedures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from simio.program.declarations import Handle, ProgramError, UnfitError
from simio.program.emitting import Emitting
from simio.program.operands import INVERSE, Condition, Operand, OperandT, Register, same, since
from simio.program.steps import HORIZON, NO_REGISTER, Compare, Op, Region, ThreadStart


@dataclass
class Procedure:
    """Steps that several places start a thread with; see `Builder.procedure`."""

    name: str
    body: Callable[..., None]
    parameters: int
    entry: int | None = None
    """Its first step, once it is written."""
    spawned: list[int] = field(default_factory=list)
    """Steps that start a thread with it, until it is written."""


class Blocks(Emitting):
    """Context managers around steps.

    The first `arguments` registers of each thread are set aside for what procedures are given.
    """

    def __init__(self, arguments: int = 0) -> None:
        super().__init__()
        self._registers = arguments
        self._arguments = arguments
        self._workloads: list[str] = []
        self._pending: list[Procedure] = []
        """Procedures that a thread is started with, and that are not written yet."""
        self._shared: dict[Hashable, int] | None = None
        """First steps of the children that are written already, inside of `sharing`."""

    @property
    def arguments(self) -> tuple[Register, ...]:
        """The argument registers of each thread."""
        return tuple(Register(number, self) for number in range(self._arguments))

    # --- threads -----------------------------------------------------------------------------------------

    @property
    def doing(self) -> str:
        """The workload whose threads are being written; '' before the first."""
        return self._workloads[-1] if self._workloads else ""

    @contextmanager
    def workload(self, name: str) -> Iterator[None]:
        """Threads that start inside belong to this workload."""
        self._workloads.append(name)
        yield

    @contextmanager
    def thread(self, name: str, count: int = 1, start: int = 0, daemon: bool = False) -> Iterator[None]:
        """The body of `count` threads that start at `start` ps; daemons do not keep the run alive.

        Procedures that it is the first to start are written behind it. Raises ProgramError inside of another thread,
        UnfitError for a count below one, and for a start below zero or beyond the horizon.
        """
        if self._depth:
            raise ProgramError(f"thread {name!r} stands inside another thread; use fork")
        if count < 1 or not 0 <= start <= HORIZON:
            raise UnfitError(f"thread {name!r} cannot start {count} times at {start} ps")
        if not self._workloads:
            self._workloads.append("workload")
        entry, number = self._at, self._name(name)
        workload = len(self._workloads) - 1
        self._starts.append(ThreadStart(name, entry, start, count, daemon, workload))
        self._depth, self._registers_used = 1, self._arguments
        yield
        self._end(entry, number)
        self._write_procedures()
        self._depth = 0

    @contextmanager
    def fork(self, name: str, delay: int = 0, joined: bool = False, daemon: bool = False) -> Iterator[None]:
        """Start a child that runs the body after `delay` ps; with `joined`, JOIN waits for it.

        Raises UnfitError for a delay below zero or beyond the horizon.
        """
        self._inside(f"fork {name!r}")
        number = self._name(name)
        at = self._fork(0, name, delay, joined, daemon)
        jump = self._emit(Op.JUMP, 0)
        entry = self._at
        self._aim(at)
        used, self._depth = self._registers_used, self._depth + 1
        yield
        self._end(entry, number)
        self._aim(jump)
        self._registers_used, self._depth = used, self._depth - 1

    def rest(self, time: Operand, name: str = "clock", daemon: bool = False) -> None:
        """Let `time` pass in ps by a clock of its own, a child of this name, so that the thread is not busy."""
        with self.fork(name, joined=True, daemon=daemon):
            self.wait(time)
        self.join()

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Children of `fork_once` inside of this, and of others of these blocks inside of it, are written once."""
        before = self._shared
        self._shared = {} if before is None else before
        yield
        self._shared = before

    def fork_once(self, key: Hashable, name: str, body: Callable[[], None]) -> None:
        """A joined child as of `fork`; inside of `sharing`, one with the same key runs the steps of the first.

        `body` emits what follows from the key alone, which names the registers of its place that it uses.
        """
        entry = None if self._shared is None else self._shared.get(key)
        if entry is not None:
            self._fork(entry, name, 0, True, False)
            return
        with self.fork(name, joined=True):
            if self._shared is not None:
                self._shared[key] = self._at
            body()

    def procedure(self, name: str, parameters: int, body: Callable[..., None]) -> Procedure:
        """Steps that `spawn` starts a thread with, wherever it is called, and that are written once.

        `body` emits them and is given the argument registers that hold the parameters. It must use no register of
        the places that it is called from. Raises ProgramError for more parameters than there are arguments.
        """
        if parameters > self._arguments:
            raise ProgramError(f"procedure {name!r} needs {parameters} arguments, and threads have {self._arguments}")
        return Procedure(name, body, parameters)

    def spawn(
        self,
        procedure: Procedure,
        *values: Operand,
        delay: int = 0,
        joined: bool = False,
        daemon: bool = False,
    ) -> None:
        """Start a child that runs a procedure with these values, after `delay` ps; with `joined`, JOIN waits for it.

        The caller's own argument registers hold these values afterwards. Raises ProgramError for another number of
        values than the procedure has parameters, UnfitError for a delay below zero or beyond the horizon.
        """
        if len(values) != procedure.parameters:
            raise ProgramError(f"procedure {procedure.name!r} takes {procedure.parameters} values, not {len(values)}")
        for register, value in zip(self.arguments, values, strict=False):
            if not same(value, register):
                self.let(register, value)
        at = self._fork(procedure.entry or 0, procedure.name, delay, joined, daemon)
        if procedure.entry is None:
            if not procedure.spawned:
                self._pending.append(procedure)
            procedure.spawned.append(at)

    def _fork(self, entry: int, name: str, delay: int, joined: bool, daemon: bool) -> int:
        if not 0 <= delay <= HORIZON:
            raise UnfitError(f"fork {name!r} cannot start after {delay} ps")
        return self._emit(Op.FORK, entry, delay, int(joined), int(daemon), self._name(name))

    def _end(self, entry: int, number: int) -> None:
        """The body of a thread that began at step `entry` ends here."""
        self._emit(Op.END)
        self._bodies.append((entry, self._at, number))

    def _write_procedures(self) -> None:
        """Write the procedures that wait for it, and those that these are the first to start."""
        for procedure in self._pending:
            procedure.entry = self._at
            for at in procedure.spawned:
                self._aim(at)
            self._registers_used = self._arguments
            procedure.body(*self.arguments[: procedure.parameters])
            self._end(procedure.entry, self._name(procedure.name))
        self._pending.clear()

    # --- repetition --------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, count: Operand) -> Iterator[None]:
        """Run the body `count` times; a register's count may be zero and is not changed."""
        with self.scope():
            if isinstance(count, int) and count == 1:
                yield
                return
            counter = self.register(count)
            least = max(count, 0) if isinstance(count, int) else 0
            skip = None if least else self._emit(Op.BRANCH, Compare.LE, counter.number, NO_REGISTER, 0, 0)
            start = self._at
            yield
            self._emit(Op.LOOP, counter.number, start)
            if skip is not None:
                self._aim(skip)
            self._regions.append(Region(start, self._at, least))

    def pieces(self, size: OperandT, piece: int | None) -> Iterator[OperandT]:
        """Run a for loop's body for each whole `piece` of `size`, and for the rest; gives the amount of each.

            for amount in p.pieces(10_000, 4096):
                p.put(buffer, amount)

        emits the body once in a loop of two for 4096, and once more for 1808. Without a `piece`, all is one. Of a
        size that is no constant, the rest is in a register.
        """
        if not isinstance(size, int):
            yield from self._pieces_of(size, piece)
            return
        if piece is None:
            piece = size
        if not piece:
            return
        for count, amount in ((size // piece, piece), (1, size % piece)):
            if count and amount:
                with self.loop(count):
                    yield amount

    def _pieces_of(self, size: Operand, piece: int | None) -> Iterator[Any]:
        with self.scope():
            rest = self.register(size)
            if piece is not None:
                with self.loop(rest // piece):
                    yield piece
                rest.set(rest % piece)
            with self.when(rest > 0):
                yield rest

    def turns(self, size: int, piece: int, places: int) -> Iterator[tuple[int, int]]:
        """The `pieces` of a size, each in the next of `places` places, in turn; gives the place and the amount."""
        whole, rest = divmod(size, piece)
        if whole >= places:
            with self.loop(whole // places):
                for place in range(places):
                    yield place, piece
        for place in range(whole % places):
            yield place, piece
        if rest:
            yield whole % places, rest

    @contextmanager
    def forever(self, least: int = 0) -> Iterator[None]:
        """Run the body until the run ends; for daemons and for runs with a time limit.

        `least` is what the bound may count on: `ENDLESS` for work that only a time limit ends, 0 if nothing is.
        """
        start = self._at
        yield
        self._emit(Op.JUMP, start)
        self._regions.append(Region(start, self._at, least))

    # --- conditions --------------------------------------------------------------------------------------

    @contextmanager
    def when(
        self,
        condition: Condition | Register,
        comparison: str = "",
        operand: Operand = 0,
        share: Fraction | int = 0,
    ) -> Iterator[None]:
        """Run the body only if a condition such as `size > limit` holds.

        `share` is what the bound may count on: of n times that execution comes by here, in all threads that run this
        body, the condition holds at least n * share times, rounded down.
        """
        at = self._skip_unless(self._condition(condition, comparison, operand))
        yield
        self._aim(at)
        self._regions.append(Region(at + 1, self._at, int(share) if share.denominator == 1 else share))

    @contextmanager
    def either(self, condition: Condition) -> Iterator[Callable[[], None]]:
        """Run the first part of the body if a condition holds, else the rest, which a call of what this gives begins.

        with p.either(left == 0) as otherwise:
            p.mark(empty, 1)
            otherwise()
            p.get(buffer, left)
        """
        first = self._skip_unless(condition)
        jumps: list[int] = []

        def otherwise() -> None:
            jumps.append(self._emit(Op.JUMP, 0))
            self._aim(first)
            self._regions.append(Region(first + 1, self._at, 0))

        yield otherwise
        (jump,) = jumps
        self._aim(jump)
        self._regions.append(Region(jump + 1, self._at, 0))

    @contextmanager
    def until(
        self, condition: Condition | Register, comparison: str = "", operand: Operand = 0, least: int = 1
    ) -> Iterator[None]:
        """Run the body again and again until a condition such as `left == 0` holds after it.

        `least` is what the bound may count on: how often the body runs, 0 if nothing is to follow from that.
        """
        self._inside("until")
        holds = self._condition(condition, comparison, operand)
        start = self._at
        yield
        self._branch(INVERSE[holds.comparison], holds, start)
        self._regions.append(Region(start, self._at, least))

    @contextmanager
    def while_(self, condition: Condition, share: Fraction | int = 0) -> Iterator[None]:
        """Run the body again and again as long as a condition holds before it.

        `share` is as for `when`, of runs of the body; above 1, the condition holds that often each time.
        """
        with self.when(condition, share=min(share, 1)):
            self._inside("while_")
            start = self._at
            yield
            self._branch(condition.comparison, condition, start)
            self._regions.append(Region(start, self._at, max(share, 1)))

    # --- around steps ------------------------------------------------------------------------------------

    @contextmanager
    def hold(self, resource: Handle, units: int = 1, priority: int = 0) -> Iterator[None]:
        """Seize, run the body, release."""
        self.seize(resource, units, priority)
        yield
        self.release(resource, units)

    @contextmanager
    def timed(self, observation: Handle, arrived: Register | None = None) -> Iterator[None]:
        """Run the body, and record how long it took, in ps; from an instant before it on if one is given."""
        with self.scope():
            begun = self.now() if arrived is None else self.register(arrived)
            yield
            begun.set(since(begun))
            self.mark(observation, begun)
