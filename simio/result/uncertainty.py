"""Uncertainty of a predicted value: its interval and the basis of that."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """Interval that has a value with a probability of 90 %, in the unit of the value.

    `spread` is the standard deviation that uncertain values alone give its logarithm; `certain` the share at which it
    runs of a bound that no uncertain value moves, 0 without such a bound.
    """

    low: float
    high: float
    spread: float = 0.0
    certain: float = 0.0


@dataclass(frozen=True)
class Dependence:
    """A value of the catalogue without a source, and the shares by which the throughput of a case changes with it.

    `changes` are those with the value at the `ends`, a standard deviation of its class below and above.
    """

    name: str
    written: str
    basis: str
    case: int
    ends: tuple[str, str]
    changes: tuple[float, float]

    @property
    def size(self) -> float:
        """The larger change."""
        return max(map(abs, self.changes))


@dataclass(frozen=True)
class Guess:
    """A value of the catalogue without a source on which the throughput of a case depends.

    `change` is the larger change of the throughput, as a share, with the value times 1.5 and divided by 1.5 (less
    where the parts refuse that; of a count, with one more or less at least).
    """

    name: str
    written: str
    basis: str
    case: int
    change: float

    @property
    def sentence(self) -> str:
        """Sentence that names the value, its basis and its effect."""
        by = f"varied alone, it changed case {self.case + 1} by {self.change:.0%}"
        return f"rests most on {self.name} = {self.written}, which has no source ({self.basis}): {by}"


@dataclass(frozen=True)
class Uncertainty:
    """Basis of the intervals of a result.

    `samples` are draws of `values` catalogue values, `by_rule` of which have no stated interval but the width of
    their class; `runs` are the short runs that the effects of values come from. `halved` values could be tried only
    nearer, `failed` groups of cases could not be run. `model_error` is the scale of log(measured / predicted), learnt
    from `evidence`; None without any. `pooled` are the intervals of rows over several cases, `unsourced` the values
    without a source that an answer depends on, the largest effect first.
    """

    samples: int
    values: int
    by_rule: int
    halved: int
    failed: int
    evidence: str
    model_error: float | None
    pooled: tuple[Interval | None, ...] = ()
    runs: int = 0
    unsourced: tuple[Dependence, ...] = ()
