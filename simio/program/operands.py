"""Operands of steps: constants, registers of a thread, and arithmetic and comparisons written with them.

    rest = p.register()
    rest.set(unit - position % unit)
    with p.when(rest > limit):
        rest.set(limit)

An expression is not a value. It stands for one, and the steps that compute it are emitted where it is used.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, overload

from simio.program.steps import Compare, Fn

INVERSE = {
    Compare.EQ: Compare.NE, Compare.NE: Compare.EQ, Compare.LT: Compare.GE, Compare.GE: Compare.LT,
    Compare.GT: Compare.LE, Compare.LE: Compare.GT, Compare.ANY: Compare.NONE, Compare.NONE: Compare.ANY,
}  # fmt: skip
"""The comparison that holds exactly where another does not."""


class Value:
    """A term of arithmetic: a register or an expression.

    The operators are `+`, `-`, `*`, `//` and `%` (rounding toward minus infinity, as in Python), the comparisons
    `==`, `!=`, `<`, `<=`, `>` and `>=`, and `a & b`, the comparison that holds where a and b have a bit in common.
    """

    __slots__ = ()

    def __add__(self, other: Operand) -> Expression:
        return Expression(Fn.ADD, self, other)

    def __radd__(self, other: int) -> Expression:
        return Expression(Fn.ADD, other, self)

    def __sub__(self, other: Operand) -> Expression:
        return Expression(Fn.SUB, self, other)

    def __rsub__(self, other: int) -> Expression:
        return Expression(Fn.SUB, other, self)

    def __mul__(self, other: Operand) -> Expression:
        return Expression(Fn.MUL, self, other)

    def __rmul__(self, other: int) -> Expression:
        return Expression(Fn.MUL, other, self)

    def __floordiv__(self, other: Operand) -> Expression:
        return Expression(Fn.DIV, self, other)

    def __rfloordiv__(self, other: int) -> Expression:
        return Expression(Fn.DIV, other, self)

    def __mod__(self, other: Operand) -> Expression:
        return Expression(Fn.MOD, self, other)

    def __rmod__(self, other: int) -> Expression:
        return Expression(Fn.MOD, other, self)

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return Condition(Compare.EQ, self, other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return Condition(Compare.NE, self, other)

    def __lt__(self, other: Operand) -> Condition:
        return Condition(Compare.LT, self, other)

    def __le__(self, other: Operand) -> Condition:
        return Condition(Compare.LE, self, other)

    def __gt__(self, other: Operand) -> Condition:
        return Condition(Compare.GT, self, other)

    def __ge__(self, other: Operand) -> Condition:
        return Condition(Compare.GE, self, other)

    def __and__(self, other: Operand) -> Condition:
        return Condition(Compare.ANY, self, other)

    __hash__ = object.__hash__


class Emitter(Protocol):
    """The builder of a register's thread."""

    def let(self, register: Register, value: Operand) -> None:
        """Emit the steps that give a register a value."""


class Register(Value):
    """A thread's own int64 variable, of the builder that gave it."""

    __slots__ = ("_emitting", "number")

    def __init__(self, number: int, emitting: Emitter | None = None) -> None:
        self.number = number
        self._emitting = emitting

    def set(self, value: Operand) -> None:
        """Emit the steps that give this register a value: `at.set(at + size)`."""
        assert self._emitting is not None
        self._emitting.let(self, value)

    def __hash__(self) -> int:
        return hash((Register, self.number))

    def __repr__(self) -> str:
        return f"r{self.number}"


class Expression(Value):
    """A function of `Fn` of two operands or expressions."""

    __slots__ = ("a", "b", "function")
    a: Operand
    b: Operand

    def __init__(self, function: Fn, a: Any, b: Any = 0) -> None:
        self.function, self.a, self.b = function, a, b

    def __bool__(self) -> bool:
        raise TypeError("the value of an expression is known when the program runs, not when it is written")

    def reads(self, register: Register) -> bool:
        """True if the value depends on a register."""
        return reads(self.a, register) or reads(self.b, register)


Operand = int | Register | Expression
"""A constant, a register or an expression."""
OperandT = TypeVar("OperandT", int, Operand)
"""The same where constants give a constant."""


class Condition:
    """A comparison of two operands or expressions, for `Builder.when` and `Builder.until`."""

    __slots__ = ("a", "b", "comparison")
    a: Operand
    b: Operand

    def __init__(self, comparison: Compare, a: Any, b: Any) -> None:
        self.comparison, self.a, self.b = comparison, a, b

    def __bool__(self) -> bool:
        """True if two registers are the same one, so that Python can compare them.

        Raises TypeError for other comparisons: whether they hold is known only when the program runs.
        """
        if self.comparison in (Compare.EQ, Compare.NE) and isinstance(self.b, Value):
            return same(self.a, self.b) == (self.comparison == Compare.EQ)
        raise TypeError("whether a comparison holds is known when the program runs; write it in p.when or p.until")


def same(a: object, b: object) -> bool:
    """True if two things are one register."""
    return a is b or (isinstance(a, Register) and isinstance(b, Register) and a.number == b.number)


def reads(value: object, register: Register) -> bool:
    """True if the value of an operand or expression depends on a register."""
    return value.reads(register) if isinstance(value, Expression) else same(value, register)


@overload
def minimum(a: int, b: int) -> int: ...
@overload
def minimum(a: Operand, b: Operand) -> Operand: ...
def minimum(a: Operand, b: Operand) -> Operand:
    """The smaller of two operands; a plain number of two constants."""
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else Expression(Fn.MIN, a, b)


@overload
def maximum(a: int, b: int) -> int: ...
@overload
def maximum(a: Operand, b: Operand) -> Operand: ...
def maximum(a: Operand, b: Operand) -> Operand:
    """The larger of two operands; a plain number of two constants."""
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else Expression(Fn.MAX, a, b)


def least(value: Operand) -> int:
    """The certain part of a value that is never below zero: a constant itself, and of any other 0."""
    return value if isinstance(value, int) else 0


def since(instant: Operand) -> Expression:
    """The time since an instant in ps, at the moment at which it is used."""
    return Expression(Fn.SINCE, instant)
