"""The largest load that keeps promises, by doubling and then by bisection.

All runs have the same seeds, so that arrivals and places are drawn alike at each load (common random numbers: A. M.
Law, "Simulation Modeling and Analysis", 5th edition, section 11.2). Where the limit of a promise lies within the
confidence interval of what was seen, the promise is judged by the mean, and the load counts as uncertain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from simio.errors import SimioError
from simio.result.model import CaseResult
from simio.sweeps.conditions import Condition
from simio.sweeps.values import value_of

AT_ONCE = 2
"""Loads that are run together, however many processors there are, so that the answer is the same on each machine."""
FACTOR = 2
"""Factor from one load to the next while the end of what holds is looked for."""
MOST_ROUNDS = 40


@dataclass(frozen=True)
class Load:
    """A load that was run: its number and text, the result, and whether every promise holds."""

    value: Fraction
    text: str
    result: CaseResult
    holds: bool
    sure: bool


@dataclass
class Capacity:
    """Looks for the largest value of a load with which all promises hold.

    `run` gives the results for some texts of values; those without a `dimension` are counts. `close` is the share to
    which the answer is known in the end; `ends` are those that the user has set.
    """

    conditions: Sequence[Condition]
    run: Callable[[Sequence[str]], Sequence[CaseResult]]
    start: Fraction
    dimension: str | None
    close: float = 0.02
    ends: tuple[Fraction | None, Fraction | None] = (None, None)
    loads: list[Load] = field(default_factory=list)

    def search(self) -> None:
        """Run loads until the answer is known closely enough. What an interrupt leaves is in `loads`."""
        low, high = self.ends
        first = min(max(self.start, low or self.start), high or self.start)
        self._try([first])
        for _ in range(MOST_ROUNDS):
            if self.most and self.least_bad:
                break
            beyond = self._beyond()
            if beyond is None:
                return
            self._try([beyond])
        else:
            raise SimioError("no end was found: the promises hold at any load, or at none")
        for _ in range(MOST_ROUNDS):
            between = self._between()
            if not between:
                return
            self._try(between)

    @property
    def whole(self) -> bool:
        """True for loads that are counts."""
        return self.dimension is None

    @property
    def most(self) -> Load | None:
        """The largest load below the first that breaks a promise."""
        bad = self.least_bad
        good = [load for load in self.loads if load.holds and (bad is None or load.value < bad.value)]
        return max(good, key=lambda load: load.value, default=None)

    @property
    def least_bad(self) -> Load | None:
        """The smallest load that breaks a promise."""
        return min((load for load in self.loads if not load.holds), key=lambda load: load.value, default=None)

    @property
    def uncertain(self) -> tuple[Load, Load] | None:
        """The smallest and the largest load where chance may decide, and those next to them; None if nowhere."""
        open_ = sorted((load for load in self.loads if not load.sure), key=lambda load: load.value)
        return (open_[0], open_[-1]) if open_ else None

    def _beyond(self) -> Fraction | None:
        """The next load to try, above all that hold or below all that do not; None at the user's ends."""
        low, high = self.ends
        if self.most:
            value = self.most.value * FACTOR
            if high is not None and value >= high:
                return None if self.most.value == high else high
            return value
        assert self.least_bad is not None
        value = self.least_bad.value / FACTOR
        if self.whole:
            value = Fraction(value.numerator // value.denominator)
        if low is not None and value <= low:
            return None if self.least_bad.value == low else low
        return value if value > 0 else None

    def _between(self) -> list[Fraction]:
        """Loads between the largest that holds and the smallest that does not; none if these are close."""
        assert self.most is not None
        assert self.least_bad is not None
        low, high = self.most.value, self.least_bad.value
        if self.whole:
            inside = int(high - low) - 1
            number = min(AT_ONCE, inside)
            return [low + ceil(Fraction(inside + 1) * (place + 1) / (number + 1)) for place in range(number)]
        if high <= low * Fraction(1 + self.close):
            return []
        ratio = (float(high) / float(low)) ** (1 / (AT_ONCE + 1))
        return [_rounded(float(low) * ratio ** (place + 1)) for place in range(AT_ONCE)]

    def _try(self, values: Sequence[Fraction]) -> None:
        new = [value for value in dict.fromkeys(values) if all(load.value != value for load in self.loads)]
        texts = [value_of(value, self.dimension) for value in new]
        for value, text, result in zip(new, texts, self.run(texts), strict=True):
            growing = any(load.grows for load in result.loads)
            holds = not growing and all(each.holds(result) for each in self.conditions)
            sure = growing or all(each.sure(result) for each in self.conditions)
            self.loads.append(Load(value, text, result, holds, sure))


def _rounded(value: float) -> Fraction:
    """A load with four digits: more would say what no run can."""
    return Fraction(f"{value:.4g}")
