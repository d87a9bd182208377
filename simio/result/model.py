"""The result of a run: the answer, what limits it, and how busy everything was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from simio import units
from simio.description.measured import MeasuredRow, PooledRow
from simio.program.steps import Bond
from simio.result.recorded import DeliveredBytes, Observation, Timeline
from simio.result.uncertainty import Guess, Interval, Uncertainty
from simio.wording import figure

if TYPE_CHECKING:
    from simio.result.demerit import Demerit
    from simio.result.packets import Packets


YEAR = 365 * 86400
"""Seconds of a year, as ratings of drive writes a day count it (JESD218: TBW = DWPD * capacity * 365 * years)."""


@dataclass(frozen=True)
class Throughput:
    """`amount` bytes delivered from `since` to `until` ps, and over how many deliveries.

    `note` says why the span is not of a steady part of the run; it is empty where it is.
    """

    amount: int
    since: int
    until: int
    deliveries: int
    note: str = ""

    @property
    def rate(self) -> Fraction:
        """Bytes a second; zero where nothing was delivered."""
        span = self.until - self.since
        return Fraction(self.amount * 10**12, span) if span > 0 else Fraction(0)


class Wear(NamedTuple):
    """Writes to a drive: bytes a second of its host, and bytes to the flash for each of them that left the
    buffer, None where none did or nothing is amplified. `rated` is the endurance in bytes of the host, if known."""

    name: str
    rate: float
    amplification: float | None
    rated: int | None

    @property
    def years(self) -> float | None:
        """Years until what the drive is rated for has been written, if nothing else is ever written."""
        return None if self.rated is None else self.rated / self.rate / YEAR


class StreamRate(NamedTuple):
    """The rate of a stream in bytes a second: of deliveries, which add up to the throughput, or of what is `sent`.

    `size` is the mean number of bytes of its requests; None where nothing counts these. `unit` is the unit that it is
    shown in where that is not the result's: a stream that no requests make up has none of requests. A `paced` one is
    of a workload whose requests come by a time of their own.
    """

    name: str
    rate: Fraction
    sent: bool = False
    size: Fraction | None = None
    unit: str = ""
    paced: bool = False


class ResourceUse(NamedTuple):
    """Use of a resource in the measured span: shares of its units, and its line.

    A `lock` orders its users, but does no work (a driver's queue slot). Longest line, seizes and waits are of the
    whole run.
    """

    name: str
    units: int
    lock: bool
    utilisation: float
    mean_line: float
    longest_line: int
    seizes: int
    waits: int


class ContainerUse(NamedTuple):
    """Level of a container: mean over the whole run, extremes, and its level in the end."""

    name: str
    unit: str
    capacity: int | None
    mean: float
    lowest: int
    highest: int
    end: int


class Pace(NamedTuple):
    """The reason for which a load waits by itself, a "trace" or a "period", for this share of the run."""

    owner: str = ""
    share: float = 0.0


@dataclass(frozen=True)
class ThreadUse:
    """The share of the run that a thread of this name spent on steps of its own, not waiting for others."""

    name: str
    count: int
    busy: float


@dataclass(frozen=True)
class LoadUse:
    """A load: requests a second that are `offered` in the mean, and that were `served` in the measured span.

    Of a run that ended because all was served, both are until the last arrival, and `offered` is what came.

    `grows` is by how many a second the line of those that wait grows, or 0; `lost` how many a second are lost. Where
    `users` ask and then think for `think` ps in the mean, what is offered is what they would ask for if every answer
    were there at once.
    """

    name: str
    offered: float
    served: float
    grows: float = 0.0
    lost: float = 0.0
    users: int = 0
    think: int = 0

    @property
    def overloads(self) -> bool:
        """True where fewer are served than arrive."""
        return bool(self.grows or self.lost)

    @property
    def sentence(self) -> str:
        """Offered and served load, in words."""
        offered, served = figure(self.offered), figure(self.served)
        if self.grows:
            return (
                f"{self.name} cannot keep up: of {offered} requests a second that arrive {served} are served. The "
                f"line grows by {figure(self.grows)} a second, and times grow with the length of the run"
            )
        if self.users:
            who, ask, they = f"{self.users} users who think", "ask", "they"
            if self.users == 1:
                who, ask, they = "a user who thinks", "asks", "it"
            asked = f"{self.name}: {who} {units.format_quantity(self.think, 'time')} in the mean {ask} for {served}"
            if self.served >= self.offered:
                return f"{asked} requests a second, by chance no fewer than the {offered} that the mean allows"
            return f"{asked} requests a second, and for {offered} if {they} waited for none"
        lost = f", {figure(self.lost)} are lost" if self.lost else ""
        return f"{self.name}: {offered} requests a second arrive, {served} are served{lost}"


class TallyValue(NamedTuple):
    """A count of a machine over the whole run, in `unit`; with 'ps', the time that `owner` waited for `what`."""

    owner: str
    what: str
    unit: str
    value: int

    @property
    def name(self) -> str:
        """The count, in words."""
        return f"{self.owner} waits for {self.what}" if self.unit == "ps" else f"{self.owner} {self.what}"


@dataclass(frozen=True)
class Limiter:
    """The limit of a run: `kind` is 'resource', 'thread', 'lock', 'window', 'wait', 'load' or 'none'.

    `busy` is the share of the time that `name` was busy or held, or waited; of a window, that of the most it passes.
    """

    kind: str
    name: str
    busy: float
    sentence: str

    @property
    def label(self) -> str:
        """The limit, as a cell of a table."""
        forms = {"none": "none (busiest: {})", "load": "load (busiest: {})", "wait": "{} waits"}
        return forms.get(self.kind, "{}").format(self.name)


@dataclass(frozen=True)
class Precision:
    """Precision of a throughput, if one was asked for: half of its 95% confidence interval over the mean.

    `wanted` is the most that was asked for; `reached` is None where deliveries are too few.
    """

    wanted: float
    reached: float | None

    @property
    def met(self) -> bool:
        """True if the throughput is as precise as it was to be."""
        return self.reached is not None and self.reached <= self.wanted


@dataclass(frozen=True)
class JobTimes:
    """Times of requests in ns: their number, least, most, mean and deviation, and pairs of fio's bin and number."""

    count: int = 0
    least: int = 0
    most: int = 0
    mean: float = 0.0
    deviation: float = 0.0
    bins: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class JobSide:
    """Reads or writes of a job of fio: bytes, requests, and fio's times of them."""

    bytes: int
    requests: int
    lat: JobTimes
    slat: JobTimes
    clat: JobTimes


@dataclass(frozen=True)
class JobRun:
    """A job of fio in a run, from behind its ramp at `begun` to its last request at `ended`, in ps.

    `members` are its processes with one report. `user` and `system` are the CPU time of one of them in ps. `sides`
    are by direction, 0 for reads; `depths` are shares of the requests in percent by how many were outstanding;
    `syncs` are times of fsync().
    """

    workload: str
    name: str
    label: str
    group: int
    members: int
    options: Mapping[str, str]
    begun: int
    ended: int
    sides: Mapping[int, JobSide]
    user: float
    system: float
    depths: Mapping[int, float]
    depth: int
    percentiles: tuple[float, ...] = ()
    syncs: JobTimes = JobTimes()


@dataclass(frozen=True)
class Check:
    """A law, the number of things that it was checked of, and the first that broke it, `broken`; '' without one."""

    law: str
    count: int
    broken: str = ""


@dataclass(frozen=True)
class CaseResult:
    """The result of one case of a scenario.

    With replications, `throughput` is the first one's, `rate` the mean of all in bytes a second and `half_width`
    half of its 95% confidence interval; `streams` and `observations` are of all runs, parts of the first. With
    `precision`, one run has a `half_width`, too. `hash` identifies the program that ran and `seeds` what it drew
    from. `packets` and `progress` are those of the first run; `checks` are the laws that runs keep. `interval` is
    that of `rate` in bytes a second and `row_intervals` those of `measured`, in their order, where they were asked
    for.
    `notes` say what the throughput leaves open: a run too short for a steady state, or nothing delivered. `cut_off`
    says what ended the run before its time limit, if its step budget or Ctrl-C did. `demerits` compare observations
    of the first run with what was measured of the same requests; `jobs` are the jobs of fio in that run. `requests`
    are requests a second, the mean of all runs, and `requests_half_width` half of their 95% confidence interval; with
    a `request_size`, which is in bytes, all rates are in requests a second, too. `bonds` name the resources that are
    members of a bond. `wear` is what writes of the first run wear of drives with flash.
    """

    index: int
    settings: Mapping[str, str]
    status: str
    end: int
    throughput: Throughput
    rate: Fraction
    half_width: float | None
    bound: Fraction | None
    bound_by: str
    streams: tuple[StreamRate, ...]
    limiter: Limiter
    resources: tuple[ResourceUse, ...]
    containers: Sequence[ContainerUse]
    threads: tuple[ThreadUse, ...]
    observations: tuple[Observation, ...]
    timeline: Timeline
    measured: tuple[MeasuredRow, ...]
    hash: str
    seeds: tuple[int, ...]
    events: int
    steps: int
    tallies: tuple[TallyValue, ...] = ()
    packets: Packets | None = None
    checks: tuple[Check, ...] = ()
    interval: Interval | None = None
    row_intervals: tuple[Interval | None, ...] = ()
    precision: Precision | None = None
    progress: DeliveredBytes = DeliveredBytes()
    notes: tuple[str, ...] = ()
    loads: tuple[LoadUse, ...] = ()
    cut_off: str = ""
    demerits: tuple[Demerit, ...] = ()
    jobs: tuple[JobRun, ...] = ()
    requests: Fraction = Fraction(0)
    request_size: Fraction | None = None
    requests_half_width: float | None = None
    bonds: tuple[Bond, ...] = ()
    wear: tuple[Wear, ...] = ()

    @property
    def bytes_rate(self) -> Fraction:
        """The throughput in bytes a second, whatever rates are in."""
        return self.rate * (self.request_size or 1)


@dataclass(frozen=True)
class ScenarioResult:
    """Results of the cases of a scenario that were run, with all it takes to run them again."""

    title: str
    path: str
    text: str
    sets: tuple[str, ...]
    version: str
    unit: str
    cases: tuple[CaseResult, ...]
    resolved: Mapping[str, object]
    fitted: tuple[str, ...]
    complete: bool = True
    pooled: tuple[PooledRow, ...] = ()
    uncertainty: Uncertainty | None = None
    guess: Guess | None = None
