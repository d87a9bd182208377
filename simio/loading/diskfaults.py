"""What faults of disks have to fulfil: of what volume the disk is, what survives, and which spare takes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from simio.description.faults import Failed, InjectedFault, ReadErrors
from simio.description.model import Volume
from simio.errors import quote
from simio.loading.context import Context
from simio.loading.links import Inventory
from simio.loading.problems import place_of
from simio.loading.yamltree import Node

_SURVIVES: dict[str, Callable[[int], int]] = {
    "raid5": lambda members: 1,
    "mirror": lambda members: members - 1,
    "raid3": lambda members: 1,
}
"""Kinds of volumes that go on without a member, and without how many of so many."""


@dataclass(frozen=True)
class _Checked:
    """The last of several faults, which is of a disk."""

    ctx: Context
    faults: Sequence[InjectedFault]
    path: str
    node: Node
    inventory: Inventory

    @property
    def params(self) -> Any:
        return self.faults[-1].params

    def note(self, key: str, found: str, expected: str) -> None:
        self.ctx.problems.add(f"{self.path}.{key}", found, expected, place=place_of(self.node, key))

    def volume(self) -> Volume | None:
        """The volume that the disk is a member of."""
        volumes = self.inventory.volumes.values()
        return next((item for item in volumes if item and self.params.of in item.members), None)

    def array(self) -> Volume | None:
        """The volume with an array controller that the disk is behind, itself or in a volume that is."""
        volumes = [item for item in self.inventory.volumes.values() if item]
        around = self.volume()
        while around is not None and around.controller is None:
            name = around.name
            around = next((item for item in volumes if name in item.members), None)
        return around


def check_disk(ctx: Context, faults: Sequence[InjectedFault], path: str, node: Node, inventory: Inventory) -> None:
    """Note what is wrong with the last of these faults, if it is of a disk that is there."""
    fault = faults[-1]
    if fault.kind not in ("failed", "read_errors") or fault.params.of not in inventory.disk_names:
        return
    checked = _Checked(ctx, faults, path, node, inventory)
    alike = [other for other in faults[:-1] if (other.kind, other.params.of) == (fault.kind, fault.params.of)]
    if alike:
        checked.note("of", f"{quote(fault.params.of)}, which has {quote(alike[0].name)}", "one fault of a kind")
    if None in inventory.volumes.values() and checked.volume() is None:
        return
    if isinstance(fault.params, Failed):
        _check_survives(checked)
        _check_spare(checked)
    elif isinstance(fault.params, ReadErrors) and fault.params.unrecovered:
        _check_software(checked)


def _check_software(checked: _Checked) -> None:
    """Note a disk whose commands can fail behind an array controller."""
    volume = checked.array()
    if volume is not None:
        found = f"{quote(checked.params.of)} behind the array controller of {quote(volume.name)}"
        checked.note("of", found, "a disk of a volume that the host's software makes")


def _check_survives(checked: _Checked) -> None:
    """Note a disk whose failure leaves a volume without some of its data before the run, or one with parity ever."""
    params, volume, array = checked.params, checked.volume(), checked.array()
    if array is not None and params.at is not None:
        found = f"{quote(params.of)}, behind the array controller of {quote(array.name)}, failing during the run"
        checked.note(
            "at", found, "none, for a disk that has failed before, or one of a volume of the host's software"
        )
        return
    if volume is None or volume.kind not in _SURVIVES:
        if params.at is None:
            of = f" of the {volume.kind} {quote(volume.name)}" if volume else ""
            expected = f"a disk of a volume of kind {_either(_SURVIVES)}"
            checked.note("of", f"{quote(params.of)}{of}, whose data nothing else has", expected)
        return
    failures = [fault.params for fault in checked.faults if isinstance(fault.params, Failed)]
    failed = {each.of for each in failures if each.at is None or volume.kind != "mirror"}
    survives = _SURVIVES[volume.kind](len(volume.members))
    if len(failed & set(volume.members)) > survives:
        lost = " and ".join(quote(name) for name in volume.members if name in failed)
        checked.note("of", f"{lost} failed", f"at most {survives} of {quote(volume.name)}")


def _either(names: Iterable[str]) -> str:
    """'a, b or c'."""
    *first, last = names
    return f"{', '.join(first)} or {last}"


def _check_spare(checked: _Checked) -> None:
    """Note a spare that is not there, is in use or fails itself, or of a disk that nothing can be rebuilt of."""
    spare, volume, inventory = checked.params.spare, checked.volume(), checked.inventory
    if spare is None:
        return
    if volume is None or volume.kind not in _SURVIVES:
        kinds = _either(_SURVIVES)
        checked.note("spare", f"a spare for {quote(checked.params.of)}", f"one for a disk of a {kinds}")
        return
    if spare not in inventory.disk_names:
        place = place_of(checked.node, "spare")
        checked.ctx.problems.unknown(f"{checked.path}.spare", spare, inventory.disk_names, place, "disk")
        return
    owner = next((item for item in inventory.volumes.values() if item and spare in item.members), None)
    others = [fault.params for fault in checked.faults[:-1] if isinstance(fault.params, Failed)]
    if owner is not None:
        checked.note("spare", f"{quote(spare)}, which is in the volume {quote(owner.name)}", "a disk in no volume")
    elif any(spare == other.spare for other in others):
        checked.note("spare", f"{quote(spare)}, which is a spare already", "another disk")
    elif any(spare == other.of for other in others):
        checked.note("spare", f"{quote(spare)}, which fails itself", "another disk")
