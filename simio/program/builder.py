"""Writing programs: components call these methods and the code reads like a SimPy process.

    with p.thread("reader"), p.loop(100):
        with p.hold(cpu):
            p.advance(20_000)
        with p.fork("dma", joined=True):
            p.put(buffer, 4096)
        p.get(buffer, 4096)
        p.mark(delivered, 4096)
        p.join()

Bodies of forked threads stand where they are forked, so that a reader sees them in place; the child has a copy
of its parent's registers, so that a name means the same inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np

from simio.program.copies import Copies
from simio.program.declarations import (
    LIMIT,
    Amount,
    Handle,
    Procedure,
    ProgramError,
    Register,
    UnfitError,
)
from simio.program.service import fitting
from simio.program.steps import (
    COLUMNS,
    HORIZON,
    NO_REGISTER,
    Compare,
    Fn,
    Op,
    Program,
    Region,
    Table,
    ThreadStart,
)

_INVERSE = {
    "==": Compare.NE, "!=": Compare.EQ, "<": Compare.GE, "<=": Compare.GT, ">": Compare.LE, ">=": Compare.LT,
    "&": Compare.NONE,
}  # fmt: skip
__all__ = ["MAX_REGISTERS", "Amount", "Builder", "Handle", "Procedure", "ProgramError", "Register"]

MAX_REGISTERS = 52
"""Registers of a thread."""
_REGISTERS = tuple(Register(number) for number in range(MAX_REGISTERS))
_FUNCTIONS = {function.name: function for function in Fn}
_TARGET: dict[int, int] = {Op.FORK: 1, Op.JUMP: 1, Op.BRANCH: 5}
"""Column of a step that says where execution goes on."""


class Builder(Copies):
    """Collects declarations and steps; `build` returns the frozen `Program`.

    The first `arguments` registers of each thread are set aside for what procedures are given.
    """

    def __init__(self, arguments: int = 0) -> None:
        super().__init__()
        self.arguments = _REGISTERS[:arguments]
        self._regions: list[Region] = []
        self._bodies: list[tuple[int, int, int]] = []
        self._workloads: list[str] = []
        self._registers = arguments
        self._registers_used = 0

    # --- threads and structure ---------------------------------------------------------------------------

    @contextmanager
    def workload(self, name: str) -> Iterator[None]:
        """Threads that start inside belong to this workload."""
        self._workloads.append(name)
        yield

    @contextmanager
    def thread(self, name: str, count: int = 1, start: int = 0, daemon: bool = False) -> Iterator[None]:
        """The body of `count` threads that start at `start` ps; daemons do not keep the run alive."""
        if self._depth:
            raise ProgramError(f"thread {name!r} stands inside another thread; use fork")
        if count < 1 or not 0 <= start <= HORIZON:
            raise UnfitError(f"thread {name!r} cannot start {count} times at {start} ps")
        if not self._workloads:
            self._workloads.append("workload")
        entry, number = self._at, self._name(name)
        workload = len(self._workloads) - 1
        self._starts.append(ThreadStart(name, entry, start, count, daemon, workload))
        self._depth, self._registers_used = 1, len(self.arguments)
        yield
        self._emit(Op.END)
        self._bodies.append((entry, self._at, number))
        self._depth = 0

    @contextmanager
    def fork(self, name: str, delay: int = 0, joined: bool = False, daemon: bool = False) -> Iterator[None]:
        """Start a child that runs the body after `delay` ps; with `joined`, JOIN waits for it."""
        self._inside(f"fork {name!r}")
        if not 0 <= delay <= HORIZON:
            raise UnfitError(f"fork {name!r} cannot start after {delay} ps")
        number = self._name(name)
        at = self._emit(Op.FORK, 0, delay, int(joined), int(daemon), number)
        jump = self._emit(Op.JUMP, 0)
        entry = self._at
        self._aim(at)
        used, self._depth = self._registers_used, self._depth + 1
        yield
        self._emit(Op.END)
        self._bodies.append((entry, self._at, number))
        self._aim(jump)
        self._registers_used, self._depth = used, self._depth - 1

    def procedure(self, name: str, parameters: int, body: Callable[..., None]) -> Procedure:
        """Steps that `spawn` starts a thread with, wherever it is called; they are written once, at its first call.

        `body` emits them and is given the argument registers that hold the parameters. It must use no register of
        the place that it is called from, since there are others.
        """
        if parameters > len(self.arguments):
            raise ProgramError(
                f"procedure {name!r} needs {parameters} arguments, and threads have {len(self.arguments)}"
            )
        return Procedure(name, body, parameters)

    def spawn(
        self,
        procedure: Procedure,
        *values: Amount,
        delay: int = 0,
        joined: bool = False,
        daemon: bool = False,
    ) -> None:
        """Start a child that runs a procedure with these values, after `delay` ps; with `joined`, JOIN waits for it.

        The caller's own argument registers hold these values afterwards.
        """
        if len(values) != procedure.parameters:
            raise ProgramError(f"procedure {procedure.name!r} takes {procedure.parameters} values, not {len(values)}")
        for register, value in zip(self.arguments, values, strict=False):
            if value != register:
                self.let(register, "SET", value)
        if procedure.entry is not None:
            number = self._name(procedure.name)
            self._emit(Op.FORK, procedure.entry, delay, int(joined), int(daemon), number)
            return
        with self.fork(procedure.name, delay, joined, daemon):
            procedure.entry = self._at
            self._registers_used = len(self.arguments)
            with self.label(""):
                procedure.body(*self.arguments[: procedure.parameters])

    @contextmanager
    def loop(self, count: Amount) -> Iterator[None]:
        """Run the body `count` times; a register's count may be zero and is not changed."""
        used = self._registers_used
        if isinstance(count, int) and count == 1:
            yield
        else:
            counter = self.register(count)
            least = max(count, 0) if isinstance(count, int) else 0
            skip = None if least else self._emit(Op.BRANCH, Compare.LE, counter.number, NO_REGISTER, 0, 0)
            start = self._at
            yield
            self._emit(Op.LOOP, counter.number, start)
            if skip is not None:
                self._aim(skip)
            self._regions.append(Region(start, self._at, least))
        self._registers_used = used

    def pieces(self, size: int, piece: int) -> Iterator[int]:
        """Run a for loop's body for each whole `piece` of `size`, and for the rest; gives the amount of each.

            for amount in p.pieces(10_000, 4096):
                p.put(buffer, amount)

        emits the body once in a loop of two for 4096, and once more for 1808.
        """
        for count, amount in ((size // piece, piece), (1, size % piece)):
            if count and amount:
                with self.loop(count):
                    yield amount

    def turns(self, size: int, piece: int, places: int) -> Iterator[tuple[int, int]]:
        """As `pieces`, but each in the next of `places` places, in turn; gives the place and the amount."""
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
    def forever(self) -> Iterator[None]:
        """Run the body until the run ends; for daemons and for runs with a time limit."""
        start = self._at
        yield
        self._emit(Op.JUMP, start)
        self._regions.append(Region(start, self._at, 0))

    @contextmanager
    def when(self, register: Register, comparison: str, operand: Amount, share: Fraction | int = 0) -> Iterator[None]:
        """Run the body only if the comparison ('<', '==', …; '&': a bit in common) holds.

        `share` is what the bound may count on: of n times that execution comes by here, in all threads that run this
        body, the comparison holds at least n * share times, rounded down.
        """
        self._compares(comparison)
        reg, const = self._operand(operand)
        at = self._emit(Op.BRANCH, _INVERSE[comparison], register.number, reg, const, 0)
        yield
        self._aim(at)
        self._regions.append(Region(at + 1, self._at, int(share) if share.denominator == 1 else share))

    @contextmanager
    def until(self, register: Register, comparison: str, operand: Amount) -> Iterator[None]:
        """Run the body again and again until the comparison holds after it."""
        self._inside("until")
        self._compares(comparison)
        reg, const = self._operand(operand)
        start = self._at
        yield
        self._emit(Op.BRANCH, _INVERSE[comparison], register.number, reg, const, start)
        self._regions.append(Region(start, self._at, 1))

    @contextmanager
    def hold(self, resource: Handle, units: int = 1, priority: int = 0) -> Iterator[None]:
        """Seize, run the body, release."""
        self.seize(resource, units, priority)
        yield
        self.release(resource, units)

    # --- steps -------------------------------------------------------------------------------------------

    def register(self, value: Amount | None = None) -> Register:
        """A fresh register, set to `value` unless that is None; freed where the enclosing block ends."""
        self._inside("register")
        if self._registers_used == MAX_REGISTERS:
            raise ProgramError(f"a thread has {MAX_REGISTERS} registers, and needs more")
        register = _REGISTERS[self._registers_used]
        self._registers_used += 1
        if self._registers_used > self._registers:
            self._registers = self._registers_used
        if value is not None:
            self.let(register, "SET", value)
        return register

    def advance(self, fixed: int, amount: Amount = 0, factor: Fraction | int = 0) -> None:
        """Let `fixed` ps plus `amount` times `factor` ps pass, rounded up once.

        For an amount in a register, a factor of many digits is rounded up to what 64 bits compute with.
        """
        numerator, denominator, number = factor.numerator, factor.denominator, NO_REGISTER
        if fixed < 0 or numerator < 0 or (isinstance(amount, int) and amount < 0):
            raise ProgramError(f"time cannot go backward: advance({fixed}, {amount}, {factor})")
        if isinstance(amount, Register):
            number = amount.number if numerator else NO_REGISTER
            fits = fitting(Fraction(factor), LIMIT)
            numerator, denominator = fits.numerator, fits.denominator
        else:
            fixed -= -amount * numerator // denominator
            numerator, denominator = 0, 1
        if fixed > HORIZON or numerator * denominator >= LIMIT:
            raise UnfitError(f"advance({fixed}, …, {factor}) does not fit 64 bits")
        if fixed or number != NO_REGISTER:
            self._emit(Op.ADVANCE, fixed, number, numerator, denominator)

    def seize(self, resource: Handle, units: int = 1, priority: int = 0) -> None:
        """Wait for `units` of the resource; lower priority numbers go first."""
        self._units("seize", resource, units)
        if not -LIMIT <= priority <= LIMIT:
            raise UnfitError(f"priority {priority} does not fit")
        self._emit(Op.SEIZE, resource.number, units, priority)

    def release(self, resource: Handle, units: int = 1) -> None:
        """Give `units` back."""
        self._units("release", resource, units)
        self._emit(Op.RELEASE, resource.number, units)

    def put(self, container: Handle, amount: Amount) -> None:
        """Add `amount`, waiting while it does not fit."""
        self._emit(Op.PUT, *self._content("put", container, amount))

    def get(self, container: Handle, amount: Amount) -> None:
        """Take `amount`, waiting while it is not there."""
        self._emit(Op.GET, *self._content("get", container, amount))

    def join(self) -> None:
        """Wait for every joined child."""
        self._emit(Op.JOIN)

    def let(self, register: Register, function: str, a: Amount, b: Amount = 0) -> None:
        """r = function(a, b); see `Fn`."""
        self._emit(Op.LET, register.number, _FUNCTIONS[function], *self._operand(a), *self._operand(b))

    def mark(self, observation: Handle, value: Amount) -> None:
        """Record `value` now."""
        self._emit(Op.MARK, self._row("mark", observation), *self._operand(value))

    def draw(self, register: Register, distribution: Handle) -> None:
        """r = next value of the distribution."""
        self._emit(Op.DRAW, register.number, self._row("distribution", distribution))

    def call(self, register: Register, function: int, offset: int, a: Amount = 0, b: Amount = 0) -> None:
        """r = machine function `function` of the state at `offset`, now, a and b; constants are not negative."""
        self._emit(Op.CALL, function, offset, self._argument(a), self._argument(b), register.number)

    # --- the end -----------------------------------------------------------------------------------------

    def build(self, dtype: type = np.int64) -> Program:
        """The finished program, its tables being arrays of this type."""
        if all([start.daemon for start in self._starts] + [guest.daemon for guest in self._guests]):
            raise ProgramError("a program needs at least one thread that is not a daemon")
        draws: Table = np.array(self._draws, dtype=dtype).reshape(-1, 4)
        table: Table = np.array(self._draw_table, dtype=dtype).reshape(-1, 2)
        return Program(
            steps=np.array(self._steps, dtype=dtype).reshape(-1, COLUMNS),
            registers=max(self._registers, 1),
            names=tuple(self._names),
            starts=tuple(self._starts),
            resources=tuple(self._resources),
            containers=tuple(self._containers),
            marks=tuple(self._marks),
            draws=draws,
            draw_names=tuple(self._draw_names),
            draw_table=table,
            state=np.array(self._state, dtype=dtype),
            machines=tuple(self._machines),
            workloads=tuple(self._workloads),
            regions=tuple(self._regions),
            windows=tuple(self._windows),
            occupancies=tuple(self._occupancies),
            demands=tuple(self._demands),
            promises=tuple(self._promises),
            tallies=tuple(self._tallies),
            labels=tuple(self._labels),
            gauges=tuple(self._gauges),
            bodies=tuple(self._bodies),
            guests=tuple(self._guests),
        )

    # --- helpers -----------------------------------------------------------------------------------------

    @staticmethod
    def _compares(comparison: str) -> None:
        if comparison not in _INVERSE:
            raise ProgramError(f"{comparison!r} is no comparison; there are {', '.join(_INVERSE)}")

    def _units(self, verb: str, resource: Handle, units: int) -> None:
        have = self._resources[self._row("resource", resource)].units
        if not 1 <= units <= have:
            raise ProgramError(f"cannot {verb} {units} of {resource.name!r}, which has {have}")

    def _content(self, verb: str, container: Handle, amount: Amount) -> tuple[int, int, int]:
        row = self._containers[self._row("container", container)]
        if isinstance(amount, int) and not 0 <= amount <= row.capacity:
            raise UnfitError(f"cannot {verb} {amount} {row.unit}: {row.name!r} holds {row.capacity} at most")
        return (container.number, *self._operand(amount))

    @staticmethod
    def _operand(value: Amount) -> tuple[int, int]:
        if isinstance(value, Register):
            return value.number, 0
        if not -LIMIT <= value <= LIMIT:
            raise UnfitError(f"constant {value} does not fit")
        return NO_REGISTER, value

    @staticmethod
    def _argument(value: Amount) -> int:
        if isinstance(value, Register):
            return value.number
        if not 0 <= value <= LIMIT:
            raise UnfitError(f"constant {value} does not fit")
        return -1 - value

    def _emit(self, op: Op, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0) -> int:
        """Write a step with its operands; returns its number."""
        if not self._depth:
            self._inside(op.name)
        self._steps += (op, a, b, c, d, e, f, 0)
        self._at += 1
        return self._at - 1

    def _aim(self, at: int) -> None:
        """Let step `at` lead to what is written next."""
        row = at * COLUMNS
        self._steps[row + _TARGET[self._steps[row]]] = self._at
