"""Conditions that a user promises: `p99 of reads < 20 ms`, `utilisation of a.cpu < 70%`, `late of video = 0`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

from simio import units
from simio.errors import SimioError, did_you_mean, quote
from simio.program.steps import Program
from simio.result.model import CaseResult
from simio.result.recorded import Observation

_CONDITION = re.compile(r"\s*(?:(?P<what>[\w.]+) of )?(?P<name>.+?)\s*(?P<op><=|>=|<|>|=)\s*(?P<limit>[^<>=]+?)\s*")
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
STATISTICS = {
    "mean": "mean", "median": "p50", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p999",
    "p99.9": "p999",
}  # fmt: skip
"""Statistics of an observation, by what they are called in a condition."""
FEWEST = {"p90": 10, "p95": 20, "p99": 100, "p999": 1000}
"""Values of which one is beyond a percentile in the mean; of fewer, it is about their maximum."""
MEASURED = ("utilisation", "rate", "served")
"""Other quantities that a condition may name, each of a part, a stream or a load."""
EXAMPLE = "'p99 of reader < 20 ms', 'utilisation of a.cpu < 70 %' or 'throughput > 80 MB/s'"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


class Counter(Protocol):
    """A count that a machine keeps."""

    @property
    def owner(self) -> str:
        """The name of whatever the machine belongs to."""

    @property
    def what(self) -> str:
        """The noun of what it counts."""


@dataclass(frozen=True)
class SeenValue:
    """The value of a quantity in its base unit, and half of its 95% confidence interval where that is known."""

    value: float
    half_width: float = 0.0


@dataclass(frozen=True)
class Requirement:
    """A comparison of `what` of `name` with a limit in the base unit of its `dimension` ('' for a plain number)."""

    what: str
    name: str
    comparison: str
    limit: float
    dimension: str
    text: str

    @property
    def quantity(self) -> str:
        """The comparison, in words."""
        return f"{self.what} of {self.name}" if self.what else self.name

    def seen(self, result: CaseResult) -> SeenValue:
        """The value in a result. Raises SimioError if the result has none of that name or of another dimension."""
        if self.what in STATISTICS or self.what == "most":
            return self._observed(result)
        if self.what == "utilisation":
            use = _named(result.resources, self.name, "resource")
            return SeenValue(self._checked(use.utilisation, "share"))
        if self.what == "rate":
            return SeenValue(self._checked(float(_named(result.streams, self.name, "stream").rate), "rate"))
        if self.what == "served":
            return SeenValue(self._checked(_named(result.loads, self.name, "open load").served, "request_rate"))
        if self.name == "throughput" and not self.what:
            return SeenValue(self._checked(float(result.rate), "rate"), result.half_width or 0.0)
        return self._tallied(result)

    def observed(self, result: CaseResult) -> bool:
        """True unless it is on times of which each run of the result has too few to tell."""
        if self.what not in STATISTICS and self.what != "most":
            return True
        fewest = FEWEST.get(STATISTICS.get(self.what, ""), 1) * len(result.seeds)
        return any(self.name in _names(each.name) and each.count >= fewest for each in result.observations)

    def few(self, result: CaseResult) -> str:
        """Why the times of a result tell little of the condition; '' where they are enough."""
        if self.observed(result):
            return ""
        counts = [each.count for each in result.observations if self.name in _names(each.name)]
        a_run = max(counts, default=0) // len(result.seeds)
        needed = FEWEST.get(STATISTICS.get(self.what, ""), 1)
        return f"a run has {a_run} times of {self.name}, and {self.what} takes {needed}: a longer run.until has them"

    def holds(self, result: CaseResult) -> bool:
        """True where the value fulfils the condition."""
        return OPERATORS[self.comparison](self.seen(result).value, self.limit)

    def sure(self, result: CaseResult) -> bool:
        """True where the limit lies outside of the value's confidence interval."""
        seen = self.seen(result)
        return abs(seen.value - self.limit) > seen.half_width or self.comparison == "="

    def value_text(self, result: CaseResult) -> str:
        """The value with half of its confidence interval."""
        return self.seen_text(self.seen(result))

    def seen_text(self, seen: SeenValue) -> str:
        """A value with half of its confidence interval."""
        width = f" ± {self._text(seen.half_width, 2)}" if seen.half_width else ""
        return self._text(seen.value, 4) + width

    def _text(self, value: float, digits: int) -> str:
        if self.dimension == "share":
            return f"{value:.1%}"
        if self.dimension:
            rounded = Fraction(f"{value:.{digits}g}")
            whole = round(rounded) if self.dimension == "time" else rounded
            return units.format_quantity(whole, self.dimension, digits=digits)
        return f"{value:.{digits}g}"

    def _observed(self, result: CaseResult) -> SeenValue:
        known = {each.name: each for each in result.observations}
        own: Observation = known[_check_times(self, list(known))]
        if self.what == "most":
            return SeenValue(self._checked(float(own.most), "time" if own.unit == "ps" else ""))
        value, width = own.estimate(STATISTICS[self.what])
        return SeenValue(self._checked(value, "time" if own.unit == "ps" else ""), width or 0.0)

    def _tallied(self, result: CaseResult) -> SeenValue:
        name = self.quantity
        own = self.name, self.what
        found = [each for each in result.tallies if name in (each.name, each.what) or (each.owner, each.what) == own]
        total = float(sum(each.value for each in found))
        # An event that never happened is not listed, and its count is 0; `check_counted` has looked for the name.
        return SeenValue(self._checked(total, "time" if any(each.unit == "ps" for each in found) else self.dimension))

    def _checked(self, value: float, dimension: str) -> float:
        check_dimension(self, dimension)
        return value


def check_dimension(condition: Requirement, dimension: str) -> None:
    """Refuse a limit that is not of a dimension, '' for a plain number. Raises SimioError."""
    if dimension != condition.dimension:
        wanted = units.DIMENSIONS[dimension].noun if dimension else "a plain number"
        example = f" such as '{units.example(dimension)}'" if dimension else ""
        raise SimioError(f"{quote(condition.text)}: found a limit of another kind; expected {wanted}{example}")


def _named(items: Iterable[N], name: str, noun: str) -> N:
    known = {item.name: item for item in items}
    if name not in known:
        near = did_you_mean(name, known) or f"there are {', '.join(map(quote, list(known)[:12])) or 'none'}"
        raise SimioError(f"found no {noun} {quote(name)}; {near}")
    return known[name]


def check_named(conditions: Iterable[Requirement], program: Program) -> None:
    """Refuse a condition on times that a program does not observe, or on a count that no machine of it keeps.

    Raises SimioError.
    """
    check_counted(conditions, program.tallies)
    times = [mark.name for mark in program.marks if mark.unit == "ps"]
    for each in conditions:
        if each.what in (*STATISTICS, "most") and not program.guests:
            _check_times(each, times)


def _check_times(condition: Requirement, times: Sequence[str]) -> str:
    """The name of the observation that a condition is on. Raises SimioError if there is none, or several."""
    found = [name for name in times if condition.name in _names(name)]
    if len(found) == 1:
        return found[0]
    named = f"{len(found)} times" if found else "no times"
    near = did_you_mean(condition.name, [name.partition(":")[0] for name in times])
    options = near or f"there are {', '.join(map(quote, times)) or 'none'}"
    raise SimioError(f"{quote(condition.text)}: found {named} of {quote(condition.name)}; {options}")


def _names(times: str) -> tuple[str, str]:
    """The names by which a condition has such times: their own, and that of their workload."""
    return times, times.partition(":")[0]


def check_counted(conditions: Iterable[Requirement], counters: Iterable[Counter]) -> None:
    """Refuse a condition on a count that no machine of a program keeps. Raises SimioError."""
    known: dict[str, None] = {}
    for counter in counters:
        own = f"{counter.what} of {counter.owner}", f"{counter.owner} {counter.what}"
        known |= dict.fromkeys((counter.what, *own))
    for each in conditions:
        if each.what in (*STATISTICS, "most", *MEASURED) or each.quantity in {"throughput", *known}:
            continue
        if each.quantity in (*STATISTICS, "most", *MEASURED):
            raise SimioError(
                f"{quote(each.text)}: found {quote(each.quantity)} of nothing; expected the name of what it is of, "
                f"as in {EXAMPLE}"
            )
        options = f"{', '.join(STATISTICS)}, most, {', '.join(MEASURED)} of NAME, throughput, or a count"
        near = did_you_mean(each.quantity, known)
        raise SimioError(
            f"{quote(each.text)}: found {quote(each.quantity)}; {near or f'expected one of {options}'}"
            + (f" such as {quote(min(known, key=len))}" if known and not near else "")
        )


def condition(text: str) -> Requirement:
    """The condition that a text says. Raises SimioError if it says none."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise SimioError(f"found {quote(text)}; expected a condition such as {EXAMPLE}")
    what, name, written = match["what"] or "", match["name"], match["limit"]
    limit, dimension = _limit(text, written)
    return Requirement(what, name, match["op"], limit, dimension, text.strip())


def _limit(text: str, written: str) -> tuple[float, str]:
    try:
        return float(written), ""
    except ValueError:
        pass
    dimension = units.dimension_of(written.lstrip("+0123456789_.eE- "))
    if dimension is None:
        raise SimioError(
            f"{quote(text)}: found the limit {quote(written)}; expected a number or a quantity such as '20 ms'"
        )
    try:
        return float(units.parse(written, dimension)), dimension
    except units.UnitError as error:
        raise SimioError(f"{quote(text)}: {error}") from None
