"""A disk whose media has read errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, model_validator

from simio.description.faults.base import DiskFault, Surroundings, register_fault
from simio.description.quantities import Count, Horizon, Limit, Whole, refusal
from simio.errors import quote
from simio.units import format_quantity

if TYPE_CHECKING:
    from simio.description.model import System

MOST_BAD = 256
"""Sectors of a disk that can be listed as bad."""
LEAST_BETWEEN = 10**6
"""Least number of bytes between random errors: a piece of data that a drive sends has at most one of a kind."""
Sector = Annotated[int, Field(strict=True, ge=0, lt=2**53)]
Sectors = Annotated[tuple[Sector, ...], Field(max_length=MOST_BAD)]


@register_fault("read_errors")
class ReadErrors(DiskFault):
    """The media of a disk has read errors.

    The drive reads a sector again, once a revolution, as its page of parameters for error recovery says (SCSI block
    commands, mode page 01h; the default is that of a drive of 2000), and then reports an error of the medium. The
    host's driver sends the command again (Linux, drivers/scsi/sd.c).
    """

    state: ClassVar[str] = "given read errors"

    recoverable: Limit = Field(
        None,
        description="mean amount of data read for each recoverable error, such as '10 Gbit'; none: no such",
    )
    unrecoverable: Limit = Field(
        None, description="mean amount of data read for each sector that becomes unreadable; none: no such"
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
        """True if there are errors that reading again does not recover."""
        return bool(self.unrecoverable or self.unreadable)

    def check_disk(self, known: Surroundings) -> None:
        """Refuse a disk whose commands can fail behind an array controller."""
        array = known.array_around(self.of) if self.unrecovered else None
        if array is not None:
            found = f"{quote(self.of)} behind the array controller of {quote(array.name)}"
            known.refuse("of", found, "a disk of a volume that the host's software makes")

    def applied(self, system: System) -> System:
        """The disk knows the errors of its media."""
        disk = replace(system.disks[self.of], read_errors=self)
        return replace(system, disks={**system.disks, self.of: disk})
