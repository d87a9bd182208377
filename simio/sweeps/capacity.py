"""The largest load that keeps promises, by doubling and then by bisection.

All runs have the same seeds, so that arrivals and places are drawn alike at each load (common random numbers: A. M.
Law, "Simulation Modeling and Analysis", 5th edition, section 11.2). Where the limit of a promise lies within the
confidence interval of what was seen, the promise is judged by the mean, and the load counts as uncertain. Between two
uncertain loads there is nothing to be found, as chance decides there: both are run again with more replications, and
where that does not help, the search ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

from simio.errors import SimioError
from simio.result.model import CaseResult
from simio.sweeps.conditions import Requirement
from simio.sweeps.ties import ALIKE
from simio.sweeps.values import value_of

AT_ONCE = 2
"""Loads that are run together, however many processors there are, so that the answer is the same on each machine."""
FACTOR = 2
"""Factor from one load to the next while the end of what holds is looked for."""
MOST_ROUNDS = 40
CURVE = (0.25, 0.5, 0.75, 0.9)
"""Shares of the answer at which loads are run beside those of the search, so that a curve can be drawn."""
MOST_FACTOR = 4
"""Times as many replications as the scenario has, at most, for loads where chance decides."""
NEAR = 0.07
"""Share of a load within which another one is as good for the curve."""


@dataclass(frozen=True)
class TriedLoad:
    """A load that was run: its number and text, the result, and whether every promise holds."""

    value: Fraction
    text: str
    result: CaseResult
    holds: bool
    sure: bool
    factor: int = 1
    """Times as many replications as the scenario has."""
    below: bool = False
    """True if nothing but promises of more than was seen is broken, which a larger load may keep."""


@dataclass
class Capacity:
    """A search for the largest value of a load with which all promises hold.

    `run` gives the results for some texts of values, or why there is none, with a multiple of the scenario's
    replications; values without a `dimension` are counts. `close` is the share to which the answer is known in the
    end; `ends` are those that the user has set. `refused` are the loads that could not be run, by their texts.

    A promise of more than something, such as of throughput, may be broken by a load that is too small. Such a load
    is one below which none holds, if more is seen of what was promised at the next larger load, or that one holds.
    """

    conditions: Sequence[Requirement]
    run: Callable[[Sequence[str], int], Sequence[CaseResult | SimioError]]
    start: Fraction
    dimension: str | None
    close: float = 0.02
    ends: tuple[Fraction | None, Fraction | None] = (None, None)
    loads: list[TriedLoad] = field(default_factory=list)
    refused: dict[str, SimioError] = field(default_factory=dict)
    _upwards: bool = True
    """False once larger loads than one that is too small were of no use."""

    def search(self) -> None:
        """Run loads until the answer is known closely enough. What an interrupt leaves is in `loads`.

        Raises SimioError if no load is found at which the promises begin or cease to hold.
        """
        low, high = self.ends
        first = min(max(self.start, low or self.start), high or self.start)
        self._try([first])
        outside = 0
        for _ in range(2 * MOST_ROUNDS):
            # More replications may take away the only load that held, or broke, a promise.
            inside = self._bottom is not None and self.least_bad is not None
            outside += not inside
            if outside > MOST_ROUNDS:
                raise SimioError("no end was found: the promises hold at any load, or at none")
            if not (self._narrow() if inside else self._widen()):
                return

    def _widen(self) -> bool:
        """Run a load beyond all; False at the user's ends, or where too little is seen of what is promised."""
        beyond = self._beyond()
        if beyond is not None and self._try([beyond]):
            return True
        useless = self._upwards and self.most is None and self._bottom is not None
        self._upwards = not useless and self._upwards
        return useless

    def _narrow(self) -> bool:
        """Run loads between the two that the answer lies between, or these again; False if neither is of use."""
        between = self._between()
        return self._try(between) if between else self._sharpen()

    @property
    def whole(self) -> bool:
        """True for loads that are counts."""
        return self.dimension is None

    @property
    def most(self) -> TriedLoad | None:
        """The largest load below the first that breaks a promise."""
        bad = self.least_bad
        good = [load for load in self.loads if load.holds and (bad is None or load.value < bad.value)]
        return max(good, key=lambda load: load.value, default=None)

    @property
    def least_bad(self) -> TriedLoad | None:
        """The smallest load that breaks a promise and is not too small."""
        return min(self._bad, key=_value, default=None)

    @property
    def _bad(self) -> list[TriedLoad]:
        small = self._too_small
        return [load for load in self.loads if not load.holds and load not in small]

    @property
    def too_small(self) -> TriedLoad | None:
        """The largest of the loads that are too small."""
        return max(self._too_small, key=_value, default=None)

    @property
    def _bottom(self) -> TriedLoad | None:
        """The load that the answer is not below."""
        return self.most or self.too_small

    @property
    def _too_small(self) -> list[TriedLoad]:
        """The loads that are too small; all loads below one of them are."""
        found: list[TriedLoad] = []
        loads = sorted(self.loads, key=_value)
        for number, load in enumerate(loads):
            above = loads[number + 1 :]
            rises = self._rises(load, above[0]) if above else self._upwards
            if not load.below or not (rises or any(other.holds for other in above)):
                break
            found.append(load)
        return found

    def _rises(self, load: TriedLoad, larger: TriedLoad) -> bool:
        """True if more is seen at a larger load of all that a load has too little of."""
        for promise in self.conditions:
            less, more = promise.seen(load.result), promise.seen(larger.result)
            margin = max(less.half_width + more.half_width, ALIKE * abs(less.value))
            if not promise.holds(load.result) and more.value <= less.value + margin:
                return False
        return True

    @property
    def interval(self) -> tuple[TriedLoad | None, TriedLoad | None] | None:
        """The largest load that surely holds and the smallest that surely does not, if chance decides between."""
        if self.uncertain is None:
            return None
        bad = min((load for load in self._bad if load.sure), key=_value, default=None)
        good = (load for load in self.loads if load.sure and load.holds and (bad is None or load.value < bad.value))
        return max(good, key=_value, default=None), bad

    @property
    def knee(self) -> TriedLoad | None:
        """The load with the largest ratio of throughput to the time that is promised; None if no time is.

        Up to it more load is carried at little cost, beyond it the time grows faster than the throughput (L.
        Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications",
        ICC 1979).
        """
        first = self.conditions[0]
        if first.dimension != "time" or len(self.loads) < 3:
            return None
        steady = (load for load in self.loads if not any(each.overloads for each in load.result.loads))
        powers = [(float(load.result.rate) / max(first.seen(load.result).value, 1.0), load) for load in steady]
        return max(powers, key=lambda each: each[0])[1] if powers else None

    def complete(self, shares: Sequence[float] = CURVE) -> None:
        """Run loads at shares of the answer, where none is near, for the curve."""
        top = self.most
        if top is None:
            return
        wanted = []
        for share in shares:
            value = _rounded(float(top.value) * share)
            if self.whole:
                value = Fraction(max(round(value), 1))
            low = self.ends[0]
            if (low is None or value >= low) and all(abs(load.value / value - 1) > NEAR for load in self.loads):
                wanted.append(value)
        for at in range(0, len(wanted), AT_ONCE):
            self._try(wanted[at : at + AT_ONCE])

    @property
    def uncertain(self) -> tuple[TriedLoad, TriedLoad] | None:
        """The smallest and the largest load where chance may decide, and those next to them; None if nowhere."""
        open_ = sorted((load for load in self.loads if not load.sure), key=lambda load: load.value)
        return (open_[0], open_[-1]) if open_ else None

    def _beyond(self) -> Fraction | None:
        """The next load to try, above all that hold or below all that do not; None at the user's ends."""
        low, high = self.ends
        if bottom := self._bottom:
            value = bottom.value * FACTOR
            if high is not None and value >= high:
                return None if bottom.value == high else high
            return value
        assert self.least_bad is not None
        value = self.least_bad.value / FACTOR
        value = Fraction(value.numerator // value.denominator) if self.whole else _rounded(float(value))
        if low is not None and value <= low:
            return None if self.least_bad.value == low else low
        return value if value > 0 else None

    def _between(self) -> list[Fraction]:
        """Loads between the largest that holds and the smallest that does not; none if these are close, or if chance
        decides at both.
        """
        bottom = self._bottom
        assert bottom is not None
        assert self.least_bad is not None
        if self._close or not (bottom.sure or self.least_bad.sure):
            return []
        low, high = bottom.value, self.least_bad.value
        if self.whole:
            inside = int(high - low) - 1
            number = min(AT_ONCE, inside)
            return [low + ceil(Fraction(inside + 1) * (place + 1) / (number + 1)) for place in range(number)]
        ratio = (float(high) / float(low)) ** (1 / (AT_ONCE + 1))
        return [_rounded(float(low) * ratio ** (place + 1)) for place in range(AT_ONCE)]

    @property
    def _close(self) -> bool:
        """True once the end is known closely enough."""
        bottom = self._bottom
        assert bottom is not None
        assert self.least_bad is not None
        low, high = bottom.value, self.least_bad.value
        return high - low <= 1 if self.whole else high <= low * Fraction(1 + self.close)

    def _sharpen(self) -> bool:
        """Run the loads at both ends again with twice the replications; False if that is of no use."""
        ends = [load for load in (self._bottom, self.least_bad) if load and len(load.result.seeds) > 1]
        again = [load for load in ends if load.factor < MOST_FACTOR]
        if self._close or not again:
            return False
        for load in again:
            self.loads.remove(load)
            self._try([load.value], 2 * load.factor)
        return True

    def _try(self, values: Sequence[Fraction], factor: int = 1) -> bool:
        """Run loads that were not run; False if all are refused, or tell too little of what is promised."""
        new = [value for value in dict.fromkeys(values) if all(load.value != value for load in self.loads)]
        texts = [value_of(value, self.dimension) for value in new]
        seen = False
        for value, text, result in zip(new, texts, self.run(texts, factor), strict=True):
            if isinstance(result, SimioError):
                if not self.loads:
                    raise result
                self.refused[text] = result
                continue
            if self.loads and not all(each.observed(result) for each in self.conditions):
                continue
            growing = any(load.overloads for load in result.loads)
            broken = [each for each in self.conditions if not each.holds(result)]
            sure = growing or all(each.sure(result) for each in self.conditions)
            below = not growing and bool(broken) and all(each.comparison in (">", ">=") for each in broken)
            self.loads.append(TriedLoad(value, text, result, not (growing or broken), sure, factor, below))
            seen = True
        return seen


def _value(load: TriedLoad) -> Fraction:
    return load.value


def _rounded(value: float) -> Fraction:
    """A load with four digits: more would say what no run can."""
    return Fraction(f"{value:.4g}")
