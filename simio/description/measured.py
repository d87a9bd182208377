"""Tables of measurements: quantities, units, values and sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

QUANTITIES: Mapping[str, str] = {
    "throughput": "rate",
    "stream": "rate",
    "requests": "request_rate",
    "packets": "request_rate",
    "latency": "time",
    "p50": "time",
    "p99": "time",
    "cpu": "share",
    "process": "share",
    "programs": "share",
    "cores": "share",
    "core rate": "rate",
    "class": "share",
    "accelerators": "share",
    "retransmits": "count",
    "demerit": "share",
}
"""Quantities that may be measured, each with its dimension.

`throughput` is that of all workloads together, `stream` the mean rate of a stream of deliveries (of one disk) or
of the one that is named, `requests` how many an observation recorded a second, `latency` its mean, `p50` its median
and `p99` its 99th percentile, `packets` those that all workloads are done with a second, `cpu` the utilisation of
all CPUs of a host, `process` the share of its core that the first process of a workload used, `programs` what all
programs on a host took of one CPU, `accelerators` the utilisation of the accelerators of a training without its
first step, `cores` how busy the cores of a host are together, in percent of one, `core rate` the throughput over
that, `class` the share of a class of functions in the CPU time of a host's network path ("HOST CLASS"),
`retransmits` the segments that TCP sent again, `demerit` the distance of an observation from measured
times (`simio.result.demerit`).
"""
PERCENT = "%"
"""The unit of a share."""
POINTS = "points"
"""The way to compare shares by their difference, in percentage points."""
COUNTED = "segments"
"""The unit of a count."""
CLIENT, SERVER = "client", "server"
"""Names of the host that a workload is from, and of the one that it goes to, in rows that a tool's output gives."""
OVER: Mapping[str, str] = {"mean": "mean", "median": "median", "most": "largest"}
"""Ways to sum up several cases in a row, each in words."""
OF = {
    "stream": "a stream",
    **dict.fromkeys(("requests", "latency", "p50", "p99"), "an observation"),
    "cpu": "a host",
    "process": "a workload",
    "programs": "a host",
    "cores": "a host",
    "core rate": "a host",
    "class": "a host",
    "accelerators": "a workload",
    "demerit": "an observation",
}
"""Quantities that a case may have several of, each with what `of` names."""
APART = ("cpu", "process", "programs", "cores", "class")
"""Quantities that are observations of their own of a run, whatever its rates and times are."""
OBSERVED = ("requests", "latency", "p50", "p99")
"""Quantities of an observation of times."""


@dataclass(frozen=True)
class MeasuredRow:
    """A measured value for a case, in `unit`; `value` is None if it is withheld (`held`).

    A source with "4 to 5" gives a range: from `value` to `upper`. `of` names the observation, stream or host that the
    quantity is of. `over` is one of `OVER` for a row that sums up several cases, else empty. `anomaly` is the reason
    to believe that the measurement cannot be repeated, else empty; `fit` is False if no value may be fitted to the
    row. `which` names one of several measurements of the same case, else it is empty. `missed` is the reason why the
    model is known to miss the row, else empty. `points` is True for a share that is compared by its difference.
    """

    study: str
    table: str
    value: Fraction | None
    text: str
    held: bool
    unit: str
    note: str = ""
    quantity: str = "throughput"
    of: str = ""
    upper: Fraction | None = None
    over: str = ""
    anomaly: str = ""
    fit: bool = True
    which: str = ""
    missed: str = ""
    points: bool = False

    @property
    def most(self) -> Fraction | None:
        """The largest value of a range, or the only one; None if it is withheld."""
        return self.value if self.upper is None else self.upper

    def nearest(self, simulated: float) -> Fraction | None:
        """The measured value, of a range the one nearest to a simulated value; None if it is withheld."""
        most = self.most
        return None if self.value is None or most is None else min(max(Fraction(simulated), self.value), most)

    def touches(self, low: float, high: float) -> bool | None:
        """True if a measured value lies from `low` to `high`; None if it is withheld."""
        most = self.most
        return None if self.value is None or most is None else low <= most and self.value <= high

    @property
    def exempt(self) -> bool:
        """True if the largest error allowed is not for this row."""
        return bool(self.anomaly or self.missed)

    @property
    def label(self) -> str:
        """The measured quantity in words: `latency of block`, `median throughput`, `throughput (Monday)`."""
        label = f"{self.quantity} of {self.of}" if self.of else self.quantity
        label = f"{OVER[self.over]} {label}" if self.over else label
        return f"{label} ({self.which})" if self.which else label

    def error(self, simulated: float) -> float | None:
        """Signed error of a simulated value relative to the measured one, None if that is held.

        Against a range it is 0 inside, and outside relative to the nearer end. With `points` it is the difference of
        two shares (0.05 is 5 percentage points): of a CPU that sleeps nearly always, a small one is a large part.
        """
        nearest = self.nearest(simulated)
        if nearest is None:
            return None
        return float((Fraction(simulated) - nearest) / 100 if self.points else Fraction(simulated) / nearest - 1)


class PooledRow(NamedTuple):
    """A measured row over several cases: their indices, and the settings that the row gives for all of them."""

    row: MeasuredRow
    cases: tuple[int, ...]
    settings: Mapping[str, str]


class Tolerance(NamedTuple):
    """The largest median and the largest single absolute error that a table may have.

    Both are shares of the measured value, or percentage points. Tables with the same `group` are judged together.
    """

    median: Fraction
    worst: Fraction
    group: str = ""


@dataclass(frozen=True)
class MeasuredTable:
    """A table of measurements: `name` is study/table, `source` who published it where.

    `quantity` and `unit` are those of rows that do not say otherwise; `rows` counts those of the scenario.
    `scenarios` are those that predict rows of it; `points` is True if errors are differences in percentage points.
    """

    name: str
    title: str
    source: Mapping[str, str]
    quantity: str
    unit: str
    notes: str
    rows: int
    scenarios: tuple[str, ...] = ()
    tolerance: Tolerance | None = None
    points: bool = False
