"""One configuration of a system, and a scenario as the set of its cases.

Everything is frozen and typed; times are int picoseconds, sizes int bytes, rates exact fractions in SI units.
Mappings keep the order of the scenario file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from .. import units
from ..errors import quote
from .quantities import Count, Horizon, Text, Values, WarmUp, Whole, refusal


@dataclass(frozen=True)
class Origin:
    """Where a value comes from.

    ``basis`` is one of `simio.loading.catalogue.BASES`, or ``given`` (a scenario or the command line says so) or
    ``default``; ``where`` is ``catalogue``, ``scenario`` or ``default``; ``text`` is the value as it was
    written; ``interval`` holds the ends of a fitted value's interval.
    """

    basis: str
    source: str
    where: str
    interval: tuple[Any, Any] | None = None
    text: str = ""


@dataclass(frozen=True)
class Part:
    """A part with its datasheet: ``name`` in the system, class, kind, model in the catalogue, values,
    origins.
    """

    name: str
    cls: str
    kind: str
    model: str
    sheet: Any
    origins: Mapping[str, Origin] = field(default_factory=dict)


@dataclass(frozen=True)
class Adapter:
    """An adapter of a host and the name of the bus that it sits on."""

    part: Part
    bus: str


@dataclass(frozen=True)
class Host:
    """A computer: its CPUs (all alike), memory, kernel, buses and adapters; ``part`` holds its own values."""

    name: str
    model: str
    title: str
    cpus: int
    cpu: Part
    memory: Part
    kernel: Part
    buses: Mapping[str, Part]
    adapters: Mapping[str, Adapter]
    part: Part


@dataclass(frozen=True)
class Disk:
    """A disk; ``group`` is its key in the scenario, which it shares with its likes when ``count`` is above
    one.
    """

    name: str
    group: str
    part: Part


@dataclass(frozen=True)
class Volume:
    """Several disks or volumes, named by ``members`` in order, as one; ``unit`` is the stripe unit in bytes, where
    the kind has one. With a ``controller`` the array is the controller's, else the host's.
    """

    name: str
    kind: str
    members: tuple[str, ...]
    unit: int | None
    file_system: Part | None
    controller: Part | None


@dataclass(frozen=True)
class Switch:
    """A switch."""

    name: str
    part: Part


@dataclass(frozen=True)
class Link:
    """A link between two ports, named by their owners: ``challenge.hippi``, a switch or a disk; length in
    m.
    """

    name: str
    part: Part
    ends: tuple[str, str]
    length: Fraction


@dataclass(frozen=True)
class Workload:
    """An application program and its parameters (see `simio.description.workloads`)."""

    name: str
    kind: str
    params: Any


class Run(Values):
    """How long and how often to run."""

    until: Horizon = Field(None, description="simulated time to stop at; none: when the workload is done")
    warm_up: WarmUp = Field("auto", description="simulated time before measuring starts, or auto")
    seed: Whole = Field(1, description="seed of all random draws")
    replications: Annotated[Count, Field(le=100_000)] | None = Field(
        None, description="runs with seeds of their own; none: 5 for a random scenario, else 1"
    )
    step_budget: Annotated[int, Field(strict=True, ge=1, le=2**53)] = Field(
        500_000_000, description="steps after which a run is given up"
    )

    @model_validator(mode="after")
    def _measures_something(self) -> Run:
        if self.until is not None and self.warm_up != "auto" and self.warm_up >= self.until:
            until = units.format_quantity(self.until, "time")
            raise refusal(
                units.format_quantity(self.warm_up, "time"), f"less than until, {until}", field="warm_up"
            )
        return self


class Report(Values):
    """How to show results."""

    unit: Text = Field("MB/s", description="unit of throughput, such as MB/s, MiB/s or Mbit/s")

    @field_validator("unit")
    @classmethod
    def _is_a_rate(cls, unit: str) -> str:
        try:
            units.parse(f"1 {unit}", "rate")
        except units.UnitError as error:
            raise refusal(quote(unit), "a unit of throughput such as 'MB/s'", error.hint) from None
        return unit


@dataclass(frozen=True)
class MeasuredRow:
    """A measured value for a case, in ``unit``; ``value`` is None where it is only known to exist
    (``held``).
    """

    study: str
    table: str
    value: Fraction | None
    text: str
    held: bool
    unit: str
    note: str = ""


@dataclass(frozen=True)
class MeasuredTable:
    """A table of measurements: ``name`` is study/table, ``source`` who published it where."""

    name: str
    title: str
    source: Mapping[str, str]
    quantity: str
    unit: str
    notes: str
    rows: int


@dataclass(frozen=True)
class System:
    """One configuration, complete: what is there and what it does."""

    title: str
    hosts: Mapping[str, Host]
    disks: Mapping[str, Disk]
    switches: Mapping[str, Switch]
    links: tuple[Link, ...]
    workloads: Mapping[str, Workload]
    run: Run
    report: Report


@dataclass(frozen=True)
class Case:
    """A system with the settings that set it apart from the other cases, and what was measured for it."""

    index: int
    settings: Mapping[str, str]
    system: System
    measured: tuple[MeasuredRow, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A scenario file: its cases in the order of ``vary``, its text, and the measured tables it names."""

    path: str
    title: str
    about: str
    cases: tuple[Case, ...]
    text: str
    tables: tuple[MeasuredTable, ...] = ()
