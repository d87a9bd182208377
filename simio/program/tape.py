"""A tape records a computation from some numbers, to repeat it from others.

A `TracedValue` behaves as the number that it stands for. Arithmetic on it gives traced values again. What only a
plain value can answer (a comparison, an index, a text) is answered, and the tape records the answer. So a computation
that was traced once can be repeated for other values by its arithmetic alone, as long as all answers are the same:
each of its steps is then the step that the computation itself would take. Nothing else of a value can be seen, so
that nothing can depend on it unnoticed. Tracing compilers call such answers guards.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Number = int | float | Fraction

MOST_KEPT = 16
"""Sets of changed inputs whose steps a replay keeps."""

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lshift", "rshift")
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg, "pos": operator.pos, "abs": operator.abs, "floor": math.floor, "ceil": math.ceil,
    "trunc": math.trunc, "round": round,
}  # fmt: skip
_ANSWERED: dict[str, Callable[..., Any]] = {
    "index": operator.index, "int": int, "float": float, "hash": hash, "str": str, "repr": repr,
    "format": format, "pow": pow, "rpow": lambda value, base: base**value,
}  # fmt: skip
_NUMBERS = (int, float, Fraction)


class UntraceableError(TypeError):
    """An operation on a traced value that a tape cannot record."""


class Tape:
    """Records the computation from `inputs`, and the answers given on the way."""

    def __init__(self, values: Sequence[Number]) -> None:
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]] | None] = [None] * len(values)
        """Operation that makes each number from those before; None for inputs and constants."""
        self._values: list[Any] = list(values)
        self._answers: dict[int, Any] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self.inputs = [TracedValue(self, number, value) for number, value in enumerate(values)]

    def number(self, function: Callable[..., Any], *operands: Any) -> TracedValue:
        """The traced value that a function of these operands gives; the same one for the same operands."""
        numbers = tuple(map(self._number_of, operands))
        at = self._known.get((function, *numbers))
        if at is None:
            value = function(*(self._values[number] for number in numbers))
            at = self._add((function, *numbers), value, (function, numbers))
        return TracedValue(self, at, self._values[at])

    def answer(self, number: TracedValue) -> Any:
        """The plain value, on which all that follows may depend."""
        self._answers[number.at] = number.value
        return number.value

    def _number_of(self, operand: Any) -> int:
        if type(operand) is TracedValue:
            if operand.tape is not self:
                raise UntraceableError("a traced value of another computation")
            return operand.at
        if not isinstance(operand, _NUMBERS):
            raise UntraceableError(f"a traced value together with {type(operand).__name__}")
        # 1, 1.0 and True are equal, as 0.0 and -0.0 are, and do not compute alike.
        key = (type(operand), repr(operand) if isinstance(operand, float) else operand)
        known = self._known.get(key)
        return self._add(key, operand, None) if known is None else known

    def _add(self, key: tuple[object, ...], value: Any, step: Any) -> int:
        self._known[key] = len(self._steps)
        self._steps.append(step)
        self._values.append(value)
        return len(self._steps) - 1

    def replay(self, wanted: Sequence[TracedValue]) -> Recomputation:
        """The computation of the `wanted` numbers, for other inputs."""
        guards = [(at, value) for at, value in self._answers.items() if at < len(self.inputs)]
        ends = [number.at for number in wanted]
        needed = {*ends, *self._answers}
        code: list[_Step] = []
        for at, step in reversed(list(enumerate(self._steps))):
            if step is not None and at in needed:
                function, operands = step
                needed.update(operands)
                code.append((at, function, *operands, *[-1] * (2 - len(operands)), self._answers.get(at, _NO_ANSWER)))
        return Recomputation(len(self.inputs), self._values, guards, code[::-1], ends)


_NO_ANSWER = object()
_Step = tuple[int, Callable[..., Any], int, int, Any]
"""A number, its function, the numbers of its operands (-1 for none), and the answer that it has to give."""


class Recomputation:
    """The computation of a tape, for other inputs: of its steps, those that the inputs that differ lead to."""

    def __init__(
        self,
        inputs: int,
        values: list[Any],
        guards: list[tuple[int, Any]],
        code: list[_Step],
        wanted: list[int],
    ) -> None:
        self._inputs, self._first = inputs, list(values)
        self._guards, self._code, self._wanted = guards, code, wanted
        self._after: dict[tuple[int, ...], list[_Step]] = {}

    def __call__(self, inputs: Sequence[Number]) -> list[Number] | None:
        """The wanted numbers for these inputs, of the types of the first; None if an answer would differ."""
        if any(inputs[at] != answer for at, answer in self._guards):
            return None
        values = [*inputs, *self._first[self._inputs :]]
        pairs = enumerate(zip(inputs, self._first, strict=False))
        # 1, 1.0 and True are equal, and do not compute alike.
        changed = tuple(at for at, (one, first) in pairs if type(one) is not type(first) or one != first)
        try:
            for at, function, one, other, answer in self._steps_after(changed):
                value = function(values[one]) if other < 0 else function(values[one], values[other])
                values[at] = value
                if answer is not _NO_ANSWER and value != answer:
                    return None
        except ArithmeticError:
            return None
        return [values[at] for at in self._wanted]

    def _steps_after(self, changed: tuple[int, ...]) -> list[_Step]:
        """The steps that need one of the inputs that changed, in order."""
        found = self._after.get(changed)
        if found is None:
            found = []
            # The last place stands for an operand that there is not.
            reached = bytearray(len(self._first) + 1)
            for at in changed:
                reached[at] = 1
            for step in self._code:
                if reached[step[2]] or reached[step[3]]:
                    reached[step[0]] = 1
                    found.append(step)
            if len(self._after) >= MOST_KEPT:
                self._after.clear()
            self._after[changed] = found
        return found


class TracedValue(Fraction):
    """A number of a tape.

    It is a subclass of Fraction because Python then calls its operators before those of a plain Fraction, which would
    look into it. `isinstance` sees the type of the value, too.
    """

    __slots__ = ("at", "tape", "value")

    tape: Tape
    at: int
    value: Any

    def __new__(cls, tape: Tape, at: int, value: Any) -> TracedValue:
        self = object.__new__(cls)
        self.tape, self.at, self.value = tape, at, value
        return self

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.value)

    @property
    def numerator(self) -> Any:
        """A plain number: a Fraction that is made of this one would hide a traced numerator."""
        return self.tape.answer(self).numerator

    @property
    def denominator(self) -> Any:
        """1 for a whole number, else a plain number."""
        return 1 if type(self.value) is int else self.tape.answer(self).denominator

    def bit_length(self) -> Any:
        """Bits of a whole number; see `int.bit_length`."""
        return self.tape.number(int.bit_length, self)

    def __bool__(self) -> bool:
        return bool(self.tape.answer(self.tape.number(operator.truth, self)))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __reduce__(self) -> Any:
        raise UntraceableError("a traced value cannot be copied or pickled")

    __copy__ = __deepcopy__ = __reduce__  # type: ignore[assignment]


def traced(function: Callable[..., Any], *numbers: Any) -> Any:
    """The value of a function of these numbers; a traced one where one of them is traced.

    For a function that takes a number apart, such as Fraction(), which a tape would otherwise see as an answer.
    """
    for number in numbers:
        if type(number) is TracedValue:
            return number.tape.number(function, *numbers)
    return function(*numbers)


def _direct(function: Callable[..., Any]) -> Callable[..., Any]:
    def direct(self: TracedValue, other: Any) -> Any:
        return self.tape.number(function, self, other) if isinstance(other, _NUMBERS) else NotImplemented

    return direct


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def reflected(self: TracedValue, other: Any) -> Any:
        return self.tape.number(function, other, self) if isinstance(other, _NUMBERS) else NotImplemented

    return reflected


def _comparison(function: Callable[..., Any]) -> Callable[..., Any]:
    def compare(self: TracedValue, other: Any) -> Any:
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        return self.tape.answer(self.tape.number(function, self, other))

    return compare


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self: self.tape.number(function, self)


def _answered(function: Callable[..., Any]) -> Callable[..., Any]:
    def answered(self: TracedValue, *others: Any) -> Any:
        return function(
            self.tape.answer(self),
            *(other.tape.answer(other) if type(other) is TracedValue else other for other in others),
        )

    return answered


_METHODS = (
    (_ARITHMETIC, "__{}__", _direct),
    (_ARITHMETIC, "__r{}__", _reflected),
    (_COMPARISONS, "__{}__", _comparison),
    (_UNARY, "__{}__", _alone),
    (_ANSWERED, "__{}__", _answered),
)
for _functions, _form, _method in _METHODS:
    for _name, _function in _functions.items():
        setattr(TracedValue, _form.format(_name), _method(_function))
