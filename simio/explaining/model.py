"""An explanation as plain data for terminals, pages and programs.

Rates are bytes a second, times picoseconds, gains shares of the whole (0.03 is 3 per cent more).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from simio.result.model import CaseResult, Limiter

NOTHING = 0.0005
"""Gains below this share are reported as none."""
LEAST = 0.005
"""Gains below this share, and shares of a unit's time, are summed up on one row; less than free is then not tried."""


@dataclass(frozen=True)
class FirstRun:
    """The state of an explanation's first run when it was interrupted; `unit` is that of its throughput."""

    result: CaseResult
    unit: str


@dataclass(frozen=True)
class Gain:
    """The effect of one change on the whole: `rate` in bytes a second and `gain` as a share of what there was.

    `half_width` is half of the 95% confidence interval of the gain, over seeds in pairs; None where nothing is
    random. Where an explanation is about latency (`CausalProfile.metric`), `gain` is the share by which that is
    shorter.
    """

    rate: Fraction
    gain: float
    half_width: float | None = None


def certain(gain: Gain | None) -> bool:
    """True if a gain is one: more than nothing, and than what chance makes of it."""
    return gain is not None and gain.gain >= max(NOTHING, gain.half_width or 0.0)


@dataclass(frozen=True)
class Component:
    """A thing that is made faster as one: a name, and the key paths of the times and rates that belong to it."""

    name: str
    values: tuple[str, ...]


def noise(gain: Gain | None) -> bool:
    """True if a gain cannot be distinguished from none by its confidence interval."""
    return gain is not None and gain.half_width is not None and abs(gain.gain) <= gain.half_width


@dataclass(frozen=True)
class ComponentRow:
    """A component made 10% faster, twice as fast, and free; None for what was not run.

    Of a component that gains less than `LEAST` when it is free, or of `together`, the names of components that were
    made free at once, nothing less is run. `slower` is why more speed loses, where it does ('' where it does not).
    """

    component: Component
    slightly: Gain | None
    twice: Gain | None
    free: Gain | None
    together: tuple[str, ...] = ()
    slower: str = ""

    @property
    def bounded(self) -> bool:
        """True if free gains so little that less was not run."""
        return self.twice is None and self.free is not None and abs(self.free.gain) < LEAST


@dataclass(frozen=True)
class WhatIf:
    """A change of something that serves nothing: a window, a timer, a queue; None where it cannot be run."""

    what: str
    values: tuple[str, ...]
    gain: Gain | None


@dataclass(frozen=True)
class Next:
    """The system with a component free: its name, the rate then, the limit, and what would help next.

    `helped` is what `helps`, made twice as fast, gains beyond that; None where nothing helps.
    """

    removed: str
    gain: Gain
    limiter: Limiter
    helps: str
    helped: Gain | None


@dataclass(frozen=True)
class Call:
    """Time that a thread spends in one kind of call, as shares of its time: waiting, and at work on a CPU itself.

    `waits_for` says what it mostly waits for, with the share of its time that this takes.
    """

    what: str
    share: float
    waiting: float
    waits_for: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Alternation:
    """A thread that does one thing after another: its calls by share, and their sum.

    `overlapped` is the rate at which the busiest resource would be busy all the time: what overlapping the calls
    can reach at most (operational analysis: X <= X0 / U); `busiest` is that resource.
    """

    thread: str
    calls: tuple[Call, ...]
    overlapped: Fraction
    busiest: str


@dataclass(frozen=True)
class CausalProfile:
    """The effect of each component and each setting on the result of a case.

    `limiter` is that of a run of the case; `held` says why making what it names faster gains nothing, if that is so.
    `metric` is 'throughput', or the name of an observation whose mean is meant where throughput does not depend on
    anything. `base` is the rate without a change and `value` that of the metric, in bytes a second or ps; `answer` is
    the former in words, in the unit of the report, and `unit` one of bytes for other rates. `notes` are
    sentences about how the figures were got (a shortened run, fewer seeds), and `untried` is the number of components
    that there was no time for. `cut_off` says where the run of the case ended early, as it used up its steps. An
    interrupt leaves the rows so far.
    """

    title: str
    settings: dict[str, str]
    unit: str
    metric: str
    answer: str
    base: Fraction
    value: float
    limiter: Limiter
    rows: tuple[ComponentRow, ...]
    what_ifs: tuple[WhatIf, ...]
    next: Next | None
    alternations: tuple[Alternation, ...]
    runs: int
    notes: tuple[str, ...] = ()
    complete: bool = True
    held: str = ""
    untried: int = 0
    cut_off: str = ""


@dataclass(frozen=True)
class Stage:
    """The part of a unit's time that goes to one work at one place.

    `time` is ps a unit, `share` of the whole; `kind` is 'service' (something works), 'waiting' (for a resource that
    serves others) or 'delay' (nothing works: a signal under way, a timer). Stages are in the order of the path.
    """

    where: str
    what: str
    kind: str
    time: float
    share: float


@dataclass(frozen=True)
class Segment:
    """One stretch of one unit's way: from `begin` to `end` in ps since the unit before was delivered."""

    where: str
    what: str
    kind: str
    begin: int
    end: int


@dataclass(frozen=True)
class Waterfall:
    """Stages of the time of a unit of work: what had to happen, one after another, between two units' deliveries.

    `unit` bytes are delivered each `period` ps in the mean over `units` of them; the times of all stages add up to
    that. `segments` are the way of one of these units, whose lengths add up to its own time. `thread` is the thread
    that delivers. `took` is the mean time of a unit in ps, from its request to its end, where several are under way
    at once; 0 where it is no longer than the period, or not observed.
    """

    unit: int
    named: str
    units: int
    period: float
    thread: str
    stages: tuple[Stage, ...]
    segments: tuple[Segment, ...]
    notes: tuple[str, ...] = ()
    took: float = 0.0


@dataclass(frozen=True)
class Difference:
    """A value at a key path in two systems, in words; '' where one has none."""

    path: str
    a: str
    b: str


@dataclass(frozen=True)
class Change:
    """Values that one change sets at once; the first `given` are as the user has them."""

    name: str
    values: tuple[Difference, ...]
    given: int = 0


@dataclass(frozen=True)
class PartOf:
    """The share of a change in the whole difference, in the unit of the metric.

    `alone` is what it makes of A by itself, `last` what is lost if it alone is left out of B, and `share` its part of
    the whole; the shares of all changes add up to the whole. None where a variant could not be run.
    """

    change: Change
    alone: float | None
    last: float | None
    share: float | None


@dataclass(frozen=True)
class Answered:
    """The answer of one of two systems: bytes a second, what limits, utilisations, means of observed times in ps."""

    name: str
    rate: Fraction
    half_width: float | None
    limiter: Limiter
    utilisations: dict[str, float]
    times: dict[str, float]


@dataclass(frozen=True)
class Contrast:
    """Two systems beside one another: their differences, their answers, and the part of each change in that.

    `given` are the settings in which the two differ, as a scenario or a command has them. `metric` and `whole` (B
    less A) are as in `CausalProfile`. `exact` says that each order of the changes was weighed (Shapley's value); else
    they were made in the order of `parts`. `interact` is True if changes by themselves do not add up to the whole.
    """

    title: str
    unit: str
    metric: str
    a: Answered
    b: Answered
    whole: float
    parts: tuple[PartOf, ...]
    exact: bool
    interact: bool
    runs: int
    notes: tuple[str, ...] = ()
    complete: bool = True
    given: tuple[Difference, ...] = ()
