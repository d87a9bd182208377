"""One configuration of a system, and a scenario as the set of its cases.

Everything is frozen and typed; times are int picoseconds, sizes int bytes, rates exact fractions in SI units.
Mappings keep the order of the scenario file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeGuard, TypeVar, overload

from pydantic import Field, field_validator, model_validator

from simio import units
from simio.description.bonds import Member
from simio.description.measured import MeasuredRow, MeasuredTable, PooledRow
from simio.description.quantities import Count, Horizon, OrNone, Share, Text, Values, WarmUp, Whole, refusal
from simio.description.sheets import Sheet
from simio.description.workloads import WorkloadParams
from simio.errors import Place, quote

if TYPE_CHECKING:
    from simio.description.caches import CacheOptions
    from simio.description.faults import Failed, InjectedFault, ReadErrors, ResetSpan, Span
    from simio.description.sheets.controllers import ArrayControllerSheet
    from simio.description.sheets.filesystems import CachedFileSystem
    from simio.description.sheets.hosts import Cpu, HostSheet, Memory
    from simio.description.sheets.kernels import UnixKernelSheet
    from simio.description.sheets.pcie import RootComplexSheet
    from simio.description.sheets.stacks import TcpIpStack

Other = TypeVar("Other", bound=Sheet)
S = TypeVar("S", bound=Sheet, covariant=True)
P = TypeVar("P", bound=WorkloadParams, covariant=True)


@dataclass(frozen=True)
class Origin:
    """The origin of a value.

    `basis` is one of `simio.loading.datasheet.BASES`, or `given` (by a scenario or the command line) or `default`;
    `where` is `catalogue`, `scenario` or `default`; `text` is the value as it was written; `interval` holds the ends
    of a fitted value's interval.
    """

    basis: str
    source: str
    where: str
    interval: tuple[Any, Any] | None = None
    text: str = ""


@dataclass(frozen=True)
class Part(Generic[S]):
    """A part of a system, of one category (such as disk) and kind (its behaviour), with its values."""

    name: str
    category: str
    kind: str
    model: str
    sheet: S
    origins: Mapping[str, Origin] = field(default_factory=dict)


@dataclass(frozen=True)
class Adapter(Generic[S]):
    """An adapter of a host and the name of its bus; `resets` is when it is reset."""

    part: Part[S]
    bus: str
    resets: tuple[ResetSpan, ...] = ()


@dataclass(frozen=True)
class Host:
    """A computer: its CPUs (all alike), memory, kernel, protocol stack and root complex if it has them, buses and
    adapters.

    `part` holds its own values; `stalls` is when its CPUs stand still, `crashes` when it is down. `cpus` are hardware
    threads.
    """

    name: str
    model: str
    title: str
    cpus: int
    cpu: Part[Cpu]
    memory: Part[Memory]
    kernel: Part[UnixKernelSheet]
    buses: Mapping[str, Part[Sheet]]
    adapters: Mapping[str, Adapter[Sheet]]
    part: Part[HostSheet]
    stack: Part[TcpIpStack] | None = None
    root: Part[RootComplexSheet] | None = None
    stalls: tuple[Span, ...] = ()
    crashes: tuple[Span, ...] = ()

    @property
    def cores(self) -> int:
        """Its cores, each of one or two hardware threads."""
        return self.cpus // self.cpu.sheet.threads


@dataclass(frozen=True)
class Disk(Generic[S]):
    """A disk.

    `group` is its key in the scenario, which like disks share if `count` is above one. `file_system` serves reads and
    writes through the cache. `read_errors` are those of its media; `failure` is how it fails during the run. `last`
    is True for the last of several in a group.
    """

    name: str
    group: str
    part: Part[S]
    file_system: Part[CachedFileSystem] | None = None
    read_errors: ReadErrors | None = None
    failure: Failed | None = None
    last: bool = False


LEAST_MEMBERS: Mapping[str, int] = {
    "stripe": 2, "concat": 1, "mirror": 2, "raid3": 3, "raid5": 3, "raid6": 4, "erasure": 3, "raidz1": 2,
    "raidz2": 3, "raidz3": 4, "cached": 2,
}  # fmt: skip
"""Kinds of volumes, each with its least number of members."""


@dataclass(frozen=True)
class Volume:
    """Several disks as one device, of a kind in `LEAST_MEMBERS`.

    `members` names disks and other volumes in order, groups expanded; the parity of raid3 is on the last. `unit` is
    the size of a stripe unit in bytes, None for concat and mirror. `controller` is the array controller that splits
    requests and makes parity, None if the host's software does. `failed` are the members that failed before the run;
    `rebuilt` are members that a spare replaces, with their faults. `parity` is the number of parities of erasure and
    raidz; `record` and `sector` are bytes of a record of raidz and of what it is made of. Of a mirror, `quorum` is
    how many members have a write before it is done, None for all, and `nearest` says that its first member is read.
    The members of cached are what is behind the cache and what has it; `cache` says how.
    """

    name: str
    kind: str
    members: tuple[str, ...]
    unit: int | None
    file_system: Part[CachedFileSystem] | None = None
    controller: Part[ArrayControllerSheet] | None = None
    failed: tuple[str, ...] = ()
    rebuilt: Mapping[str, Failed] = field(default_factory=dict)
    parity: int = 0
    record: int | None = None
    sector: int | None = None
    quorum: int | None = None
    nearest: bool = False
    cache: CacheOptions | None = None


@dataclass(frozen=True)
class Switch(Generic[S]):
    """A switch."""

    name: str
    part: Part[S]


@dataclass(frozen=True)
class Link(Generic[S]):
    """A link between ports, named by their owners: `challenge.hippi`, a switch or a disk; length in m.

    A shared link (`part.sheet.shared`) has two or more ends, any other two, in the order of the scenario. `down` is
    when it carries nothing. `member` is its place in a bond, None of a link that is alone.
    """

    name: str
    part: Part[S]
    ends: tuple[str, ...]
    length: Fraction
    down: tuple[Span, ...] = ()
    member: Member | None = None


@overload
def fits(thing: Part[Sheet], sheet: type[Other]) -> TypeGuard[Part[Other]]: ...
@overload
def fits(thing: Adapter[Sheet], sheet: type[Other]) -> TypeGuard[Adapter[Other]]: ...
@overload
def fits(thing: Disk[Sheet], sheet: type[Other]) -> TypeGuard[Disk[Other]]: ...
@overload
def fits(thing: Switch[Sheet], sheet: type[Other]) -> TypeGuard[Switch[Other]]: ...
@overload
def fits(thing: Link[Sheet], sheet: type[Other]) -> TypeGuard[Link[Other]]: ...
def fits(thing: Part[Sheet] | Adapter[Sheet] | Disk[Sheet] | Switch[Sheet] | Link[Sheet], sheet: type[Sheet]) -> bool:
    """True if the datasheet of a part, or of a component, is of this type."""
    return isinstance((thing if isinstance(thing, Part) else thing.part).sheet, sheet)


@dataclass(frozen=True)
class Workload(Generic[P]):
    """An application program and its parameters."""

    name: str
    kind: str
    params: P


class Run(Values):
    """Length and number of runs."""

    until: Horizon = Field(None, description="simulated time to stop at; none: when the workload is done")
    warm_up: WarmUp = Field("auto", description="simulated time before measuring starts, or auto")
    seed: Whole = Field(1, description="seed of all random draws")
    replications: Annotated[Annotated[Count, Field(le=100_000)] | None, OrNone()] = Field(
        None, description="runs with seeds of their own; none: 5 for a random scenario, else 1"
    )
    precision: Share = Field(
        None, description="run until half of the 95% confidence interval is this share of the mean"
    )
    step_budget: Annotated[int, Field(strict=True, ge=1, le=2**53)] = Field(
        500_000_000, description="steps after which a run is cut off; the answer is of the time until then"
    )

    @field_validator("precision")
    @classmethod
    def _is_below_all(cls, precision: Fraction | None) -> Fraction | None:
        if precision is not None and precision >= 1:
            raise refusal(quote(units.format_quantity(precision, "share")), "a share below 100 % such as '1 %'")
        return precision

    @model_validator(mode="after")
    def _measures_something(self) -> Run:
        if self.until is not None and self.warm_up != "auto" and self.warm_up >= self.until:
            until = units.format_quantity(self.until, "time")
            raise refusal(units.format_quantity(self.warm_up, "time"), f"less than until, {until}", field="warm_up")
        return self


class Report(Values):
    """The presentation of results."""

    unit: Text = Field(
        "MB/s", description="unit of throughput, such as MB/s, MiB/s or Mbit/s, or of requests, such as kIOPS or /s"
    )

    @field_validator("unit")
    @classmethod
    def _is_a_rate(cls, unit: str) -> str:
        requests = units.dimension_of(unit) == "request_rate" or "iops" in unit.casefold()
        try:
            units.parse(f"1 {unit}", "request_rate" if requests else "rate")
        except units.UnitError as error:
            raise refusal(quote(unit), "a unit such as 'MB/s' or 'kIOPS'", error.hint) from None
        return unit


@dataclass(frozen=True)
class System:
    """One complete configuration: components, workloads, and how to run them."""

    title: str
    hosts: Mapping[str, Host]
    disks: Mapping[str, Disk[Sheet]]
    switches: Mapping[str, Switch[Sheet]]
    links: tuple[Link[Sheet], ...]
    workloads: Mapping[str, Workload[WorkloadParams]]
    run: Run
    report: Report
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    faults: tuple[InjectedFault, ...] = ()
    """All of the scenario, in its order; each is also with the component that it is of."""
    places: Mapping[str, Place] = field(default_factory=dict, compare=False, repr=False)
    """Key path in the scenario of each component, workload and fault, and of each of their keys."""

    def disks_of(self, name: str) -> tuple[str, ...]:
        """The disks of a disk, a group of disks or a volume, in order; none for any other name."""
        if name in self.volumes:
            return tuple(disk for member in self.volumes[name].members for disk in self.disks_of(member))
        return tuple(self._by_name.get(name, ()))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        """The disks of each name of a disk or group."""
        disks: dict[str, list[str]] = {}
        for disk in self.disks.values():
            for name in {disk.group, disk.name}:
                disks.setdefault(name, []).append(disk.name)
        return disks


@dataclass(frozen=True)
class Case:
    """A system with the settings that set it apart from other cases, and its measured rows."""

    index: int
    settings: Mapping[str, str]
    system: System
    measured: tuple[MeasuredRow, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A scenario file: its cases in the order of `vary`, its text, and the measured tables it names.

    `pooled` are the measured rows over several cases; those of one case are with it.
    """

    path: str
    title: str
    about: str
    cases: tuple[Case, ...]
    text: str
    tables: tuple[MeasuredTable, ...] = ()
    pooled: tuple[PooledRow, ...] = ()
