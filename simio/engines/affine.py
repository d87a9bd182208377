"""Whole numbers that grow by a fixed step with every period of a run that repeats itself.

A period is run once on numbers of the form value + k * step, k being how many periods have passed. Sums, differences
and multiples of such numbers are such numbers. A comparison comes out as in the period that is run for k = 0 up to
some k, and so does what a division rounds; `Horizon` keeps the least of these. What leaves the form raises
`NotAffine`, and then nothing is said of other periods.

Some numbers are instants that somebody sleeps until. They do not grow, and later they are others, while all else is
as it was. So they may be of the form value + w, w being free: what was asked of it is kept (`Horizon.asked`), and can
be asked again for another w. Steps are integers without limit, and the coefficients of what is free are their high
digits, so that sums and differences are those of other numbers.
"""

from __future__ import annotations

from typing import Any

_INFINITY = float("inf")
"""SimPy's instant of no event."""
_DIGIT = 2**256
"""Base of a step's digits: its own, and the coefficient of each free number. No step comes near it."""
_HALF = _DIGIT // 2


class NotAffine(Exception):
    """A value does not grow evenly, or what depends on it cannot be told for other periods."""


class Horizon:
    """For how many periods (k = 0, 1, …) everything comes out as in the first; None where there is no end.

    Fewer than `least` are of no use: they raise NotAffine.
    """

    def __init__(self, least: int = 1) -> None:
        self.least = least
        self.periods: int | None = None
        self.always: int | None = None
        """The same, whatever is free."""
        self.asked: set[tuple[int, int, bool, bool]] = set()
        """What was asked of numbers with something free: value, step, whether about zero or below it, the answer."""
        self.pinned: set[int] = set()
        """Which of the free numbers something depends on in another way."""

    def limit(self, periods: int) -> None:
        """At most so many periods are alike."""
        if self.always is None or periods < self.always:
            self.always = periods
        self._shorten(periods)

    def _shorten(self, periods: int) -> None:
        if self.periods is None or periods < self.periods:
            self.periods = periods
            if periods < self.least:
                raise NotAffine

    def number(self, value: int, step: int) -> Any:
        """The number value + k * step: a plain one where the step is zero."""
        return Affine(value, step, self) if step else value

    def below_zero(self, value: int, step: int) -> bool:
        """Whether value + k * step < 0 for k = 0, and so for all k within the limit."""
        if not -_HALF < step < _HALF:
            return self._ask(value, step, False)
        if value < 0:
            if step > 0:
                self.limit((-value - 1) // step + 1)
            return True
        if step < 0:
            self.limit(value // -step + 1)
        return False

    def zero(self, value: int, step: int) -> bool:
        """Whether value + k * step = 0, likewise."""
        if not -_HALF < step < _HALF:
            return self._ask(value, step, True)
        if step and value == 0:
            self.limit(1)
        elif step and value % step == 0 and -value // step > 0:
            self.limit(-value // step)
        return value == 0

    def _ask(self, value: int, step: int, zero: bool) -> bool:
        answer, periods = asked(value, digits(step)[0], zero)
        self.asked.add((value, step, zero, answer))
        if periods is not None:
            self._shorten(periods)
        return answer

    def pin(self, step: int) -> int:
        """The step without what is free in it, which from now on is not."""
        own, *free = digits(step)
        self.pinned.update(which for which, coefficient in enumerate(free) if coefficient)
        return own


def asked(value: int, step: int, zero: bool) -> tuple[bool, int | None]:
    """Whether value + k * step is zero, or else below it, for k = 0, and for how many k that is so."""
    horizon = Horizon()
    answer = horizon.zero(value, step) if zero else horizon.below_zero(value, step)
    return answer, horizon.periods


def unit(which: int) -> int:
    """The step of a free number that does not grow."""
    return int(_DIGIT ** (which + 1))


def digits(step: int) -> list[int]:
    """A step itself, and the coefficient of each free number."""
    found = []
    while not -_HALF < step < _HALF:
        digit = (step + _HALF) % _DIGIT - _HALF
        found.append(digit)
        step = (step - digit) // _DIGIT
    return [*found, step]


def parts(number: Any) -> tuple[int, int]:
    """Value and step of a number of which nothing is to be free."""
    if not isinstance(number, Affine):
        return number, 0
    step = number.step
    return number.value, step if -_HALF < step < _HALF else number.horizon.pin(step)


class Affine:
    """value + k * step, the step not zero; behaves as an int in all that keeps the form."""

    __slots__ = ("horizon", "step", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: int, step: int, horizon: Horizon) -> None:
        self.value, self.step, self.horizon = value, step, horizon

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not Affine:
            return Affine(self.value + other, self.step, self.horizon)
        return self.horizon.number(self.value + other.value, self.step + other.step)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if other.__class__ is not Affine:
            return Affine(self.value - other, self.step, self.horizon)
        return self.horizon.number(self.value - other.value, self.step - other.step)

    def __rsub__(self, other: Any) -> Any:
        return Affine(other - self.value, -self.step, self.horizon)

    def __neg__(self) -> Any:
        return Affine(-self.value, -self.step, self.horizon)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Affine):
            raise NotAffine
        return self.horizon.number(self.value * other, self.step * other)

    __rmul__ = __mul__

    def _divided(self, divisor: Any) -> tuple[int, int, int, int]:
        """Quotient, its step, rest, its step; within the limit the rest stays between 0 and the divisor."""
        if isinstance(divisor, Affine) or divisor <= 0:
            raise NotAffine
        value, step = parts(self)
        quotient, rest = divmod(value, divisor)
        quotients = (step + divisor // 2) // divisor
        rests = step - quotients * divisor
        self.horizon.below_zero(rest, rests)
        self.horizon.below_zero(rest - divisor, rests)
        return quotient, quotients, rest, rests

    def __floordiv__(self, divisor: Any) -> Any:
        return self.horizon.number(*self._divided(divisor)[:2])

    def __mod__(self, divisor: Any) -> Any:
        return self.horizon.number(*self._divided(divisor)[2:])

    def __rfloordiv__(self, _: Any) -> Any:
        raise NotAffine

    __rmod__ = __rfloordiv__

    def __lshift__(self, bits: Any) -> Any:
        return self * 2 ** _plain(bits)

    def __rshift__(self, bits: Any) -> Any:
        return self // 2 ** _plain(bits)

    def __and__(self, mask: Any) -> Any:
        if isinstance(mask, Affine) or mask <= 0 or mask & (mask + 1):
            raise NotAffine
        return self % (mask + 1)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        """Of numbers that share no bit, as where words are packed, the sum."""
        for high, low in ((self, other), (other, self)):
            value, step = parts(high)
            bits = value | step
            room = bits & -bits
            low_value, low_step = parts(low)
            if 0 <= low_value < room:
                self.horizon.below_zero(low_value, low_step)
                self.horizon.below_zero(low_value - room, low_step)
                return self + other
        raise NotAffine

    __ror__ = __or__

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    # Most comparisons are of instants, which grow by the same step.

    def __lt__(self, other: Any) -> bool:
        if other.__class__ is Affine:
            if self.step == other.step:
                return bool(self.value < other.value)
            return self.horizon.below_zero(self.value - other.value, self.step - other.step)
        return other == _INFINITY or self.horizon.below_zero(self.value - other, self.step)

    def __gt__(self, other: Any) -> bool:
        if other.__class__ is Affine:
            if self.step == other.step:
                return bool(self.value > other.value)
            return self.horizon.below_zero(other.value - self.value, other.step - self.step)
        return other != _INFINITY and self.horizon.below_zero(other - self.value, -self.step)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        if other.__class__ is Affine:
            return self._is(other.value, other.step)
        return isinstance(other, int) and self._is(other, 0)

    def _is(self, value: int, step: int) -> bool:
        """Whether the number is value + k * step."""
        if self.step == step:
            return self.value == value
        return self.horizon.zero(self.value - value, self.step - step)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        return not self.horizon.zero(self.value, self.step)

    def __index__(self) -> int:
        raise NotAffine

    __int__ = __index__


def _plain(number: Any) -> int:
    if isinstance(number, Affine):
        raise NotAffine
    return int(number)
