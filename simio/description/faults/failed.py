"""A disk that fails, before the run or during it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field, model_validator

from simio.description.faults.base import DiskFault, Surroundings, register_fault
from simio.description.quantities import Extent, Horizon, Limit, OptionalRate, refusal
from simio.errors import quote
from simio.units import format_quantity

if TYPE_CHECKING:
    from simio.description.model import System, Volume

_SURVIVES: Mapping[str, Callable[[int], int]] = {
    "raid5": lambda members: 1,
    "mirror": lambda members: members - 1,
    "raid3": lambda members: 1,
    "raid6": lambda members: 2,
    # Requests beside a second lost member are not modelled.
    **dict.fromkeys(("erasure", "raidz1", "raidz2", "raidz3"), lambda members: 1),
}
"""Kinds of volumes that work without some members: the largest number, by that of all members."""
_REDUNDANT = "raid5, raid6, erasure, raidz1 to raidz3, mirror or raid3"


@register_fault("failed")
class Failed(DiskFault):
    """A disk has failed before the run begins, or answers no more from an instant on.

    A volume with redundancy works without it, and with a spare is rebuilt onto that. The paces of the rebuild are
    those of Linux (drivers/md/md.c: sysctl_speed_limit_min).
    """

    state: ClassVar[str] = "failed"

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
    window: Limit = Field(
        None,
        description="bytes of each disk that are on their way to the spare at once, a chunk at least, as 1 MiB of "
        "Linux md; none: a chunk",
    )
    rate: OptionalRate = Field(None, description="most that is rebuilt of a disk a second; none: no limit")
    least: OptionalRate = Field(
        None,
        description="rate above which the rebuild waits while others use the volume; none: it never waits",
    )

    @model_validator(mode="after")
    def _belongs_together(self) -> Failed:
        for key, needed in (
            ("timeout", "at"),
            *((key, "spare") for key in ("extent", "chunk", "window", "rate", "least")),
        ):
            if key in self.model_fields_set and getattr(self, needed) is None:
                raise refusal(f"{key} without {needed}", f"{needed}, or no {key}", field=key)
        if self.extent is not None and self.extent % self.chunk:
            extent, chunk = (format_quantity(size, "size") for size in (self.extent, self.chunk))
            raise refusal(extent, f"a multiple of chunk, {chunk}", field="extent")
        return self

    @property
    def at_once(self) -> int:
        """Chunks of a rebuild that are under way at once."""
        return max((self.window or self.chunk) // self.chunk, 1)

    def check_disk(self, known: Surroundings) -> None:
        """Refuse a failure that the data do not survive, and a spare that cannot take the disk's place."""
        volume, array = known.volume_of(self.of), known.array_around(self.of)
        redundant = volume if volume is not None and volume.kind in _SURVIVES else None
        if array is not None and self.at is not None:
            known.refuse(
                "at",
                f"{quote(self.of)}, behind the array controller of {quote(array.name)}, failing during the run",
                "none, for a disk that has failed before, or one of a volume of the host's software",
            )
        elif redundant is not None:
            self._check_survives(known, redundant)
        elif self.at is None:
            of = f" of the {volume.kind} {quote(volume.name)}" if volume else ""
            found = f"{quote(self.of)}{of}, whose data nothing else has"
            known.refuse("of", found, f"a disk of a volume of kind {_REDUNDANT}")
        if self.spare is not None:
            self._check_spare(known, self.spare, redundant)

    def _check_survives(self, known: Surroundings, volume: Volume) -> None:
        """Refuse more failures than a volume survives: before the run, or at any time with parity."""
        failures = (*(fault.params for fault in known.earlier), self)
        failed = {
            each.of for each in failures if isinstance(each, Failed) and (each.at is None or volume.kind != "mirror")
        }
        survives = _SURVIVES[volume.kind](len(volume.members))
        if len(failed & set(volume.members)) > survives:
            lost = " and ".join(quote(name) for name in volume.members if name in failed)
            known.refuse("of", f"{lost} failed", f"at most {survives} of {quote(volume.name)}")

    def _check_spare(self, known: Surroundings, spare: str, volume: Volume | None) -> None:
        """Refuse a spare that is not there, is in use or fails itself, or has nothing to be rebuilt from."""
        others = [fault.params for fault in known.earlier if isinstance(fault.params, Failed)]
        owner = known.volume_of(spare)
        if volume is None:
            known.refuse("spare", f"a spare for {quote(self.of)}", f"one for a disk of a {_REDUNDANT}")
        elif spare not in known.parts["disk"]:
            known.unknown("spare", spare, known.parts["disk"], "disk")
        elif owner is not None:
            known.refuse(
                "spare", f"{quote(spare)}, which is in the volume {quote(owner.name)}", "a disk in no volume"
            )
        elif any(spare == other.spare for other in others):
            known.refuse("spare", f"{quote(spare)}, which is a spare already", "another disk")
        elif any(other.spare and other.of in volume.members for other in others if volume.kind == "raid6"):
            known.refuse("spare", f"a second spare for {quote(volume.name)}", "one, onto which one disk is rebuilt")
        elif any(spare == other.of for other in others):
            known.refuse("spare", f"{quote(spare)}, which fails itself", "another disk")

    def applied(self, system: System) -> System:
        """The disk knows when it fails; its volume, whether that was before the run and which spare it has."""
        volumes = {
            name: replace(
                volume,
                failed=volume.failed if self.at else (*volume.failed, self.of),
                rebuilt={**volume.rebuilt, self.of: self} if self.spare else volume.rebuilt,
            )
            if self.of in volume.members
            else volume
            for name, volume in system.volumes.items()
        }
        disk = system.disks[self.of]
        disks = {**system.disks, self.of: replace(disk, failure=self) if self.at else disk}
        return replace(system, volumes=volumes, disks=disks)
