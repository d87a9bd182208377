"""Records of a run: distributions of values, and timelines; most are made at their first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True)
class Later:
    """A part of a result that `later` makes at its first use; a sweep uses none.

    Defaults of fields come from factories: a default that is an attribute of the class would be found first.
    """

    @classmethod
    def later(cls, make: Callable[[], Self]) -> Self:
        """The result of `make`, which is called at the first use."""
        made = object.__new__(cls)
        made.__dict__["_make"] = make
        return made

    def __getattr__(self, name: str) -> Any:
        make = self.__dict__.get("_make") if name in (item.name for item in fields(self)) else None
        if make is None:
            if name in self.__dict__:  # made by another thread in between
                return self.__dict__[name]
            raise AttributeError(name)
        made = make().__getstate__()
        self.__dict__.update(made)
        self.__dict__.pop("_make", None)
        return made[name]

    def __getstate__(self) -> dict[str, Any]:
        """All of it, made by now."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


class Rows(Sequence[T]):
    """Records that `make` makes at their first use; a sweep uses none."""

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make = make

    @cached_property
    def _all(self) -> tuple[T, ...]:
        return self._make()

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...

    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._all[index]

    def __eq__(self, other: object) -> bool:
        return self._all == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    def __reduce__(self) -> Any:
        return tuple, (self._all,)


@dataclass(frozen=True)
class Distribution(Later):
    """A histogram: `counts` of values from each of `edges` to below the next; there is one edge more than counts.

    Edges are those of one scale for all results, so that histograms can be added.
    """

    edges: tuple[int, ...] = field(default_factory=tuple)
    counts: tuple[int, ...] = field(default_factory=tuple)

    @property
    def shares(self) -> list[float]:
        """The share of all values below each edge: the cumulative distribution."""
        total, below = sum(self.counts), 0
        found = [0.0] if self.counts else []
        for count in self.counts:
            below += count
            found.append(below / total)
        return found


@dataclass(frozen=True)
class Observation:
    """Distribution of the values that a mark recorded in the measured span, in `unit` (ps for latencies).

    Of several runs, mean and percentiles are the means of theirs, and `half_widths` are half of the 95% confidence
    intervals of the mean, the median, p90 and p99, `tail_half_widths` those of p95 and p99.9; `count` and
    `distribution` are those of all runs.
    """

    name: str
    unit: str
    count: int
    mean: float
    least: int
    p50: int
    p90: int
    p99: int
    most: int
    half_widths: tuple[float, float, float, float] | None = None
    p95: int = 0
    p999: int = 0
    tail_half_widths: tuple[float, float] | None = None
    distribution: Distribution = Distribution()

    def estimate(self, name: str) -> tuple[float, float | None]:
        """A statistic (mean, p50, p90, p95, p99, p999), and half of its interval, where that is known."""
        widths = dict(zip(("mean", "p50", "p90", "p99"), self.half_widths or (), strict=False))
        widths |= zip(("p95", "p999"), self.tail_half_widths or (), strict=False)
        return float(getattr(self, name)), widths.get(name)


class Level(NamedTuple):
    """The level of a container or a machine at each row of a timeline: `what` of `name`, in `unit`."""

    name: str
    what: str
    unit: str
    values: Sequence[int]


@dataclass(frozen=True)
class Timeline(Later):
    """Rows at `times` ps: utilisation of each resource since the row before, and bytes delivered so far.

    `lines` is the mean length of the line of each resource that anything waited for, since the row before; `levels`
    are those of congestion windows, queues and buffers that were not always the same.
    """

    times: Sequence[int]
    resources: Mapping[str, Sequence[float]]
    delivered: Sequence[int]
    lines: Mapping[str, Sequence[float]] = field(default_factory=dict)
    levels: tuple[Level, ...] = field(default_factory=tuple)


@dataclass(frozen=True)
class DeliveredBytes(Later):
    """Bytes delivered up to each of the instants `times` in ps, a delivery accruing evenly since the one before."""

    times: tuple[int, ...] = field(default_factory=tuple)
    totals: tuple[float, ...] = field(default_factory=tuple)
