"""Faults of the modelled world: what can go wrong with a component of a system, when, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from simio.description.quantities import (
    Count,
    Duration,
    Extent,
    Horizon,
    Limit,
    Text,
    Time,
    Values,
    Whole,
    refusal,
)
from simio.description.sheets.adapters import OptionalRate
from simio.units import format_quantity

Span = tuple[int, int]
"""When something is out of order: from the first instant on and before the second, in ps."""


ResetSpan = tuple[int, int, int]
"""When an adapter hangs, when it is reset, and when it works again, in ps."""


class FaultParams(Values):
    """The keys that every kind of fault has beside ``name`` and ``kind``.

    ``targets`` says what it can be of: ``link``, ``switch``, ``adapter``, ``host`` or ``disk``; ``told`` is what
    a part with the fault is, for messages.
    """

    targets: ClassVar[tuple[str, ...]] = ()
    told: ClassVar[str] = ""

    of: Text = Field(description="the component that has the fault")


class Passing(FaultParams):
    """A fault that passes."""

    at: Time = Field(description="when it begins, from the start of the run")
    for_: Annotated[Duration, Field(alias="for", description="how long it lasts")]

    @property
    def span(self) -> Span:
        """From when until when it lasts."""
        return self.at, self.at + self.for_


class Down(Passing):
    """A link or all links of a switch or adapter carry nothing: packets on them are lost, HIPPI sources wait."""

    targets: ClassVar[tuple[str, ...]] = ("link", "switch", "adapter")
    told: ClassVar[str] = "down"


class Stall(Passing):
    """A host stands still: none of its processors does anything, while its buses and adapters go on."""

    targets: ClassVar[tuple[str, ...]] = ("host",)


class Crash(Passing):
    """A host loses all that is in its memory, and is there again, booted anew, when the time is over."""

    targets: ClassVar[tuple[str, ...]] = ("host",)
    told: ClassVar[str] = "lost to a crash"


class Reset(Passing):
    """An adapter loses the packets that are in its rings, and carries nothing until it has been set up anew."""

    targets: ClassVar[tuple[str, ...]] = ("adapter",)
    told: ClassVar[str] = "reset"

    watchdog: Time = Field(
        0, description="how long it hangs before the driver notices and resets it, which then takes `for`"
    )

    @property
    def stages(self) -> ResetSpan:
        """When it begins to hang, when it is reset, and from when on it works again."""
        return self.at, self.at + self.watchdog, self.at + self.watchdog + self.for_


class Failed(FaultParams):
    """A disk has failed before the run begins, or answers no more from an instant on.

    A volume with redundancy goes on without it, and with a spare is rebuilt onto that. The paces of the rebuild are
    those of Linux (drivers/md/md.c: sysctl_speed_limit_min).
    """

    targets: ClassVar[tuple[str, ...]] = ("disk",)
    told: ClassVar[str] = "failed"

    at: Horizon = Field(None, description="when it fails, from the start of the run; none: before that")
    timeout: Horizon = Field(
        None,
        description="after which the host's driver gives up a command, and then the disk; none: as its kernel does",
    )
    spare: Annotated[str | None, Field(strict=True)] = Field(
        None, description="disk in no volume onto which the volume is rebuilt; none: it is not"
    )
    extent: Limit = Field(None, description="bytes of each disk that are rebuilt, from its beginning; none: all")
    chunk: Extent = Field(65536, description="bytes of each disk that are rebuilt at a time")
    rate: OptionalRate = Field(None, description="most that is rebuilt of a disk a second; none: no limit")
    least: OptionalRate = Field(
        None,
        description="rate above which the rebuild waits while others use the volume; none: it never waits",
    )

    @model_validator(mode="after")
    def _belongs_together(self) -> Failed:
        for key, needed in (
            ("timeout", "at"),
            *((key, "spare") for key in ("extent", "chunk", "rate", "least")),
        ):
            if key in self.model_fields_set and getattr(self, needed) is None:
                raise refusal(f"{key} without {needed}", f"{needed}, or no {key}", field=key)
        if self.extent is not None and self.extent % self.chunk:
            extent, chunk = (format_quantity(size, "size") for size in (self.extent, self.chunk))
            raise refusal(extent, f"a multiple of chunk, {chunk}", field="extent")
        return self


MOST_BAD = 256
"""Sectors of a disk that can be listed as bad."""
LEAST_BETWEEN = 10**6
"""Bytes between errors by chance, at least: there is at most one of a kind in what a drive sends at once."""
Sector = Annotated[int, Field(strict=True, ge=0, lt=2**53)]
Sectors = Annotated[tuple[Sector, ...], Field(max_length=MOST_BAD)]


class ReadErrors(FaultParams):
    """The media of a disk has read errors.

    The drive reads a sector again, once a revolution, as its page of parameters for error recovery says (SCSI block
    commands, mode page 01h; the default is that of a drive of 2000), and then reports an error of the medium. The
    host's driver sends the command again (Linux, drivers/scsi/sd.c).
    """

    targets: ClassVar[tuple[str, ...]] = ("disk",)
    told: ClassVar[str] = "given read errors"

    recoverable: Limit = Field(
        None,
        description="what is read in the mean for each recoverable error, such as '10 Gbit'; none: no such",
    )
    unrecoverable: Limit = Field(
        None, description="what is read in the mean for each sector that becomes unreadable; none: no such"
    )
    marginal: Sectors = Field((), description="sectors, counted along the disk, that always have to be read again")
    unreadable: Sectors = Field((), description="sectors that cannot be read until they are written")
    rereads: Count = Field(1, description="revolutions that a recoverable error takes")
    retries: Whole = Field(4, description="read retry count: revolutions after which the drive gives up a sector")
    time_limit: Horizon = Field(
        None,
        description="recovery time limit: time after which the drive gives up a sector; none: retries alone",
    )
    command_retries: Whole = Field(5, description="times that the host's driver sends a failed command again")

    @model_validator(mode="after")
    def _makes_sense(self) -> ReadErrors:
        if not (self.recoverable or self.unrecoverable or self.marginal or self.unreadable):
            wanted = "recoverable, unrecoverable, marginal or unreadable"
            raise refusal("no errors", wanted, "say how often, or which sectors", field="of")
        for key in ("recoverable", "unrecoverable"):
            size = getattr(self, key)
            if size is not None and size < LEAST_BETWEEN:
                least = format_quantity(LEAST_BETWEEN, "size")
                raise refusal(format_quantity(size, "size"), f"at least {least}, or none", field=key)
        if self.rereads > self.retries and (self.recoverable or self.marginal):
            raise refusal(str(self.rereads), f"at most retries, {self.retries}", field="rereads")
        both = sorted(set(self.marginal) & set(self.unreadable))
        if both:
            raise refusal(f"sector {both[0]}, which is unreadable", "other sectors", field="marginal")
        return self

    @property
    def unrecovered(self) -> bool:
        """Whether there are errors that reading again does not recover."""
        return bool(self.unrecoverable or self.unreadable)


@dataclass(frozen=True)
class InjectedFault:
    """A fault of a scenario: its name, kind and parameters."""

    name: str
    kind: str
    params: FaultParams


_FAULTS: dict[str, type[FaultParams]] = {
    "crash": Crash,
    "down": Down,
    "failed": Failed,
    "read_errors": ReadErrors,
    "reset": Reset,
    "stall": Stall,
}


def fault_kinds() -> dict[str, type[FaultParams]]:
    """The kinds of faults, sorted by name, each with its parameters."""
    return dict(sorted(_FAULTS.items()))
