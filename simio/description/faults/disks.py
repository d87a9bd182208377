"""Faults of disks: which volume a disk is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from simio.description.faults.base import FaultParams, Surroundings
from simio.errors import quote

if TYPE_CHECKING:
    from simio.description.model import Volume


class DiskFault(FaultParams):
    """A fault of a disk, which has one of a kind at most."""

    targets: ClassVar[tuple[str, ...]] = ("disk",)

    def check(self, known: Surroundings) -> None:
        """Refuse a second fault of the kind, and what the disk's volume does not survive."""
        for other in known.earlier:
            if type(other.params) is type(self) and other.params.of == self.of:
                known.refuse("of", f"{quote(self.of)}, which has {quote(other.name)}", "one fault of a kind")
                break
        # A volume with problems of its own may be the disk's.
        if None not in known.volumes.values() or self.volume(known) is not None:
            self.check_disk(known)

    def check_disk(self, known: Surroundings) -> None:
        """Refuse what the disk's volume does not survive."""

    def volume(self, known: Surroundings, name: str = "") -> Volume | None:
        """The volume that the disk, or the volume called `name`, is a member of."""
        member = name or self.of
        return next((item for item in known.volumes.values() if item and member in item.members), None)

    def array(self, known: Surroundings) -> Volume | None:
        """The volume with an array controller that the disk is behind, itself or in a volume that is."""
        around = self.volume(known)
        while around is not None and around.controller is None:
            around = self.volume(known, around.name)
        return around
