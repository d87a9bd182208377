"""Registers of a thread, and the steps that it runs, one method each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from simio.machines.door import Called, UnknownMachineError, number_of
from simio.program.declarations import LIMIT, Handle, ProgramError, UnfitError
from simio.program.operands import (
    INVERSE,
    Condition,
    Expression,
    Operand,
    Register,
    Value,
    reads,
    same,
    since,
)
from simio.program.series import SeriesBuilder
from simio.program.service import ceil_times, fitting, terms
from simio.program.steps import COLUMNS, HORIZON, NO_REGISTER, Compare, Fn, Op
from simio.program.tape import traced
from simio.waiting import watcher

MAX_REGISTERS = 52
"""Registers of a thread."""
MOST_STEPS = 4_000_000
"""Steps of a program, for which writing and bounding it take a gigabyte and a half."""
LOOK = 20_000
"""Steps between two looks at how many there are."""
_COMPARISONS = {
    "==": Compare.EQ, "!=": Compare.NE, "<": Compare.LT, "<=": Compare.LE, ">": Compare.GT, ">=": Compare.GE,
    "&": Compare.ANY,
}  # fmt: skip
_TARGET: dict[int, int] = {Op.FORK: 1, Op.JUMP: 1, Op.BRANCH: 5}
"""Column of a step with the place of the next one."""


class TooManySteps(UnfitError):
    """A program would have more steps than there is room for."""


class Emitting(SeriesBuilder):
    """Writes steps into the program, and knows which registers are free.

    Every method that emits a step raises ProgramError outside of a thread, and UnfitError for a constant that does
    not fit what the engines compute with.
    """

    def __init__(self) -> None:
        super().__init__()
        self._registers = 0
        self._registers_used = 0
        self._look_at = LOOK

    @property
    def written(self) -> int:
        """Number of steps so far."""
        return self._at

    # --- registers ---------------------------------------------------------------------------------------

    def register(self, value: Operand | None = None) -> Register:
        """A fresh register, set to `value` unless that is None; it is free again where the enclosing block ends.

        Raises ProgramError where a thread has no register left.
        """
        self._inside("register")
        if self._registers_used == MAX_REGISTERS:
            raise ProgramError(f"a thread has {MAX_REGISTERS} registers, and needs more")
        register = Register(self._registers_used, self)
        self._registers_used += 1
        if self._registers_used > self._registers:
            self._registers = self._registers_used
        if value is not None:
            self.let(register, value)
        return register

    def now(self) -> Register:
        """A fresh register that holds the present instant, in ps."""
        return self.register(since(0))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block whose registers are free again after it; it emits no step."""
        used = self._registers_used
        yield
        self._registers_used = used

    def let(self, register: Register, value: Operand | str, a: Operand = 0, b: Operand = 0) -> None:
        """Give a register a value; `register.set(value)` does the same.

        With the name of a function of `Fn` in place of a value: register = function(a, b).
        """
        if isinstance(value, str):
            value = Expression(Fn[value], a, b)
        if not isinstance(value, Expression):
            self._emit(Op.LET, register.number, Fn.SET, *self._fields(value), NO_REGISTER, 0)
            return
        used = self._registers_used
        left = self._computed(value.a, None if reads(value.b, register) else register)
        right = self._computed(value.b, None if same(left, register) else register)
        self._registers_used = used
        self._emit(Op.LET, register.number, value.function, *self._fields(left), *self._fields(right))

    # --- time --------------------------------------------------------------------------------------------

    def advance(self, fixed: int, amount: Operand = 0, factor: Fraction | int = 0) -> None:
        """Let `fixed` ps plus `amount` times `factor` ps pass, rounded up once; no time is no step.

        For an amount in a register, a factor of many digits is rounded up to what 64 bits compute with. Raises
        ProgramError for times below zero, UnfitError for those beyond the horizon.
        """
        numerator, denominator, number = 0, 1, NO_REGISTER
        if fixed < 0 or factor < 0 or (isinstance(amount, int) and amount < 0):
            raise ProgramError(f"time cannot go backward: advance({fixed}, {amount}, {factor})")
        if isinstance(amount, Value):
            number = self._fields(self._operand(amount))[0] if factor else NO_REGISTER
            numerator, denominator = terms(traced(fitting, factor, LIMIT))
        else:
            fixed += ceil_times(amount, factor)
        if fixed > HORIZON or numerator * denominator >= LIMIT:
            raise UnfitError(f"advance({fixed}, …, {factor}) does not fit 64 bits")
        if fixed or number != NO_REGISTER:
            self._emit(Op.ADVANCE, fixed, number, numerator, denominator)

    def wait(self, time: Operand) -> None:
        """Let `time` ps pass; the run ends with an error if a register holds less than zero."""
        self.advance(0, time, 1)

    def wait_until(self, instant: Operand) -> None:
        """Let time pass until an instant, in ps, such as `begun + period`; none if that is past."""
        with self.scope():
            begin: Operand = instant
            time: Operand = 0
            if isinstance(instant, Expression) and instant.function == Fn.ADD:
                begin, time = instant.a, instant.b
            rest = self.register(time - since(begin))
            at = self._skip_unless(rest > 0)
            self.wait(rest)
            self._aim(at)

    # --- steps -------------------------------------------------------------------------------------------

    def seize(self, resource: Handle, units: int = 1, priority: int = 0) -> None:
        """Wait for `units` of the resource; lower priority numbers go first.

        Raises ProgramError for more units than the resource has, UnfitError for a priority beyond 2**62.
        """
        self._units("seize", resource, units)
        if not -LIMIT <= priority <= LIMIT:
            raise UnfitError(f"priority {priority} does not fit")
        self._emit(Op.SEIZE, resource.number, units, priority)

    def release(self, resource: Handle, units: int = 1) -> None:
        """Give `units` back. Raises ProgramError for more units than the resource has."""
        self._units("release", resource, units)
        self._emit(Op.RELEASE, resource.number, units)

    def put(self, container: Handle, amount: Operand) -> None:
        """Add `amount`, waiting while it does not fit. Raises UnfitError for a constant that never fits."""
        self._emit(Op.PUT, *self._content("put", container, self._operand(amount)))

    def get(self, container: Handle, amount: Operand) -> None:
        """Take `amount`, waiting while it is not there. Raises UnfitError for a constant that never is."""
        self._emit(Op.GET, *self._content("get", container, self._operand(amount)))

    def join(self) -> None:
        """Wait for every joined child."""
        self._emit(Op.JOIN)

    def mark(self, observation: Handle, value: Operand) -> None:
        """Record `value` now. Raises UnfitError for a constant beyond 2**62."""
        self._emit(Op.MARK, self._row("mark", observation), *self._fields(self._operand(value)))

    def draw(self, register: Register, distribution: Handle) -> None:
        """register = next value of the distribution."""
        self._emit(Op.DRAW, register.number, self._row("distribution", distribution))

    def call(
        self,
        register: Register,
        function: Called,
        offset: int,
        a: Operand = 0,
        b: Operand = 0,
    ) -> None:
        """register = a machine function of the state at `offset`, now, a and b.

        Raises UnfitError for a constant below zero, ProgramError for a function that was not declared with
        `simio.machines.door.machine`.
        """
        used = self._registers_used
        left, right = self._computed(a), self._computed(b)
        self._registers_used = used
        number = self._machine(function)
        self._emit(Op.CALL, number, offset, self._argument(left), self._argument(right), register.number)

    def answer(self, function: Called, offset: int, a: Operand = 0, b: Operand = 0) -> Register:
        """A fresh register with the answer of a machine function. Raises as `call` and `register` do."""
        register = self.register()
        self.call(register, function, offset, a, b)
        return register

    # --- helpers -----------------------------------------------------------------------------------------

    def _computed(self, value: Operand, into: Register | None = None) -> int | Register:
        """An operand of this value: of an expression, the register `into`, or else a fresh one, that is set to it."""
        if not isinstance(value, Expression):
            return value
        if into is None:
            return self.register(value)
        self.let(into, value)
        return into

    def _operand(self, value: Operand) -> int | Register:
        """An operand of this value for the next step, whose register is free again."""
        if not isinstance(value, Expression):
            return value
        register = self.register(value)
        self._registers_used -= 1
        return register

    def _skip_unless(self, condition: Condition) -> int:
        """A branch that is taken unless the condition holds; to be aimed. Returns its step."""
        return self._branch(INVERSE[condition.comparison], condition, 0)

    def _branch(self, comparison: Compare, condition: Condition, target: int) -> int:
        """A branch to `target` that is taken if the operands of a condition compare like this."""
        used = self._registers_used
        left, right = self._computed(condition.a), self._computed(condition.b)
        self._registers_used = used
        assert isinstance(left, Register)
        return self._emit(Op.BRANCH, comparison, left.number, *self._fields(right), target)

    @staticmethod
    def _condition(condition: Condition | Register, comparison: str, operand: Operand) -> Condition:
        if isinstance(condition, Condition):
            return condition
        if comparison not in _COMPARISONS:
            raise ProgramError(f"{comparison!r} is no comparison; there are {', '.join(_COMPARISONS)}")
        return Condition(_COMPARISONS[comparison], condition, operand)

    @staticmethod
    def _machine(function: Called) -> int:
        try:
            return number_of(function)
        except UnknownMachineError as error:
            raise ProgramError(str(error)) from None

    def _units(self, verb: str, resource: Handle, units: int) -> None:
        have = self._resources[self._row("resource", resource)].units
        if not 1 <= units <= have:
            raise ProgramError(f"cannot {verb} {units} of {resource.name!r}, which has {have}")

    def _content(self, verb: str, container: Handle, amount: int | Register) -> tuple[int, int, int]:
        row = self._containers[self._row("container", container)]
        if isinstance(amount, int) and not 0 <= amount <= row.capacity:
            raise UnfitError(f"cannot {verb} {amount} {row.unit}: {row.name!r} holds {row.capacity} at most")
        return (container.number, *self._fields(amount))

    @staticmethod
    def _fields(value: int | Register) -> tuple[int, int]:
        """Register number and constant of an operand."""
        if isinstance(value, Register):
            return value.number, 0
        if not -LIMIT <= value <= LIMIT:
            raise UnfitError(f"constant {value} does not fit")
        return NO_REGISTER, value

    @staticmethod
    def _argument(value: int | Register) -> int:
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
        if self._at >= self._look_at:
            self._look()
        return self._at - 1

    def _look(self) -> None:
        """Report the number of steps, and check it against the limit."""
        if self._at >= MOST_STEPS:
            raise TooManySteps(
                f"its steps are more than {MOST_STEPS:,}; use fewer disks, or blocks and stripe units of which one "
                "divides the other"
            )
        self._look_at = self._at + LOOK
        if by := watcher():
            by.prepares(self._at)

    def _aim(self, at: int) -> None:
        """Let step `at` lead to the next step written."""
        row = at * COLUMNS
        self._steps[row + _TARGET[self._steps[row]]] = self._at
