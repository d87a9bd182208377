"""Numbers that write down what is computed with them, so that it can be computed again from others.

A `Tracked` number behaves as the one that it stands for. What arithmetic makes of it is tracked as well; what only a
value can answer (a comparison, an index, a text) is answered, and the answer written down. So a computation that was
followed once can be repeated for other values by its arithmetic alone, as long as all answers are the same: then each
step that it took is the one that it would take. Nothing else of a value can be seen, so that nothing can depend on it
unnoticed. Tracing compilers do the same with what they call guards.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

Number = int | float | Fraction

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


class UnfollowedError(TypeError):
    """Something was done with a tracked number that cannot be written down."""


class Tape:
    """What is computed from `inputs`, and the answers that are given on the way."""

    def __init__(self, values: Sequence[Number]) -> None:
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...]] | None] = [None] * len(values)
        """How each number comes from those before; None for inputs and constants."""
        self._values: list[Any] = list(values)
        self._answers: dict[int, Any] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self.inputs = [Tracked(self, number, value) for number, value in enumerate(values)]

    def number(self, function: Callable[..., Any], *operands: Any) -> Tracked:
        """The tracked number that a function of these operands gives; the same for the same."""
        places = tuple(map(self._place, operands))
        at = self._known.get((function, *places))
        if at is None:
            value = function(*(self._values[place] for place in places))
            at = self._add((function, *places), value, (function, places))
        return Tracked(self, at, self._values[at])

    def answer(self, number: Tracked) -> Any:
        """The value itself, on which all that follows may depend."""
        self._answers[number.at] = number.value
        return number.value

    def _place(self, operand: Any) -> int:
        if type(operand) is Tracked:
            if operand.tape is not self:
                raise UnfollowedError("a tracked number of another computation")
            return operand.at
        if not isinstance(operand, _NUMBERS):
            raise UnfollowedError(f"a tracked number together with {type(operand).__name__}")
        # 1, 1.0 and True are equal, as 0.0 and -0.0 are, and do not compute alike.
        key = (type(operand), repr(operand) if isinstance(operand, float) else operand)
        known = self._known.get(key)
        return self._add(key, operand, None) if known is None else known

    def _add(self, key: tuple[object, ...], value: Any, step: Any) -> int:
        self._known[key] = len(self._steps)
        self._steps.append(step)
        self._values.append(value)
        return len(self._steps) - 1

    def again(self, wanted: Sequence[Tracked]) -> Again:
        """What computes the `wanted` numbers once more."""
        asked = [(at, value) for at, value in self._answers.items() if self._steps[at] is None]
        ends = [number.at for number in wanted]
        needed = {*ends, *self._answers}
        code: list[_Step] = []
        for at, step in reversed(list(enumerate(self._steps))):
            if step is not None and at in needed:
                function, places = step
                needed.update(places)
                code.append((at, function, *places, *[-1] * (2 - len(places)), self._answers.get(at, _NO_ANSWER)))
        return Again(len(self.inputs), self._values, asked, code[::-1], ends)


_NO_ANSWER = object()
_Step = tuple[int, Callable[..., Any], int, int, Any]
"""Where a number goes, its function, where its operands are (-1 for none), and the answer that it has to give."""


class Again:
    """The computation of a tape, for other inputs."""

    def __init__(
        self,
        inputs: int,
        values: list[Any],
        asked: list[tuple[int, Any]],
        code: list[_Step],
        wanted: list[int],
    ) -> None:
        self._inputs, self._rest = inputs, values[inputs:]
        self._asked, self._code, self._wanted = asked, code, wanted

    def __call__(self, inputs: Sequence[Number]) -> list[Number] | None:
        """The wanted numbers for these inputs, of the types of the first ones; None where an answer would differ."""
        values = [*inputs, *self._rest]
        if any(values[at] != answer for at, answer in self._asked):
            return None
        try:
            for at, function, one, other, answer in self._code:
                value = function(values[one]) if other < 0 else function(values[one], values[other])
                values[at] = value
                if answer is not _NO_ANSWER and value != answer:
                    return None
        except ArithmeticError:
            return None
        return [values[at] for at in self._wanted]


class Tracked(Fraction):
    """A number of a tape.

    It is a Fraction for the sake of Python's order of operands: a Fraction asks one that is more special than itself
    first, and so does not look into it. `isinstance` is told the type of the value, too.
    """

    __slots__ = ("at", "tape", "value")

    tape: Tape
    at: int
    value: Any

    def __new__(cls, tape: Tape, at: int, value: Any) -> Tracked:
        self = object.__new__(cls)
        self.tape, self.at, self.value = tape, at, value
        return self

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.value)

    @property
    def numerator(self) -> Any:
        """Of the value itself: in a plain Fraction that is made of it, a tracked one would be out of sight."""
        return self.tape.answer(self).numerator

    @property
    def denominator(self) -> Any:
        """Of the value itself, but for a whole number."""
        return 1 if type(self.value) is int else self.tape.answer(self).denominator

    def bit_length(self) -> Any:
        """Of a whole number, as `int.bit_length`."""
        return self.tape.number(int.bit_length, self)

    def __bool__(self) -> bool:
        return bool(self.tape.answer(self.tape.number(operator.truth, self)))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __reduce__(self) -> Any:
        raise UnfollowedError("a tracked number on its way elsewhere")

    __copy__ = __deepcopy__ = __reduce__  # type: ignore[assignment]


def _direct(function: Callable[..., Any]) -> Callable[..., Any]:
    def direct(self: Tracked, other: Any) -> Any:
        return self.tape.number(function, self, other) if isinstance(other, _NUMBERS) else NotImplemented

    return direct


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    def reflected(self: Tracked, other: Any) -> Any:
        return self.tape.number(function, other, self) if isinstance(other, _NUMBERS) else NotImplemented

    return reflected


def _comparison(function: Callable[..., Any]) -> Callable[..., Any]:
    def compare(self: Tracked, other: Any) -> Any:
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        return self.tape.answer(self.tape.number(function, self, other))

    return compare


def _alone(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self: self.tape.number(function, self)


def _answered(function: Callable[..., Any]) -> Callable[..., Any]:
    def answered(self: Tracked, *others: Any) -> Any:
        return function(
            self.tape.answer(self),
            *(other.tape.answer(other) if type(other) is Tracked else other for other in others),
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
        setattr(Tracked, _form.format(_name), _method(_function))
