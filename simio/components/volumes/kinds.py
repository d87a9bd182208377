"""Which class models which kind of volume, and what its description has to fulfil."""

from __future__ import annotations

from collections.abc import Sequence

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.array import ArrayController, ArrayPort
from simio.components.volumes.degraded import DegradedRaid5
from simio.components.volumes.mirror import Mirror
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.raid3 import Raid3
from simio.components.volumes.raid5 import Raid5
from simio.components.volumes.requests import size_text
from simio.components.volumes.split import Concatenation, Stripe
from simio.components.volumes.states import Losses, mirror, raid3, raid5
from simio.description.model import Volume
from simio.errors import RunError
from simio.program.builder import Builder

LEAST_MEMBERS = {"stripe": 2, "concat": 1, "mirror": 2, "raid3": 3, "raid5": 3}
"""The kinds, and how many members each needs."""


def make_volume(
    p: Builder,
    volume: Volume,
    members: Sequence[BlockDevice],
    parity: ParityEngine | None = None,
    controller: ArrayController | None = None,
    port: ArrayPort | None = None,
    losses: Losses | None = None,
) -> BlockDevice:
    """The block device that a description of a volume stands for, over `members` in its order.

    `parity` computes parity for a volume of the host's software. With a `controller` the volume is a hardware array
    that the host reaches through `port`; drivers of members then have the controller's initiator. `losses` are what
    can be lost of the members. Raises RunError for what the members' number or sizes make impossible.
    """
    if volume.kind not in LEAST_MEMBERS:
        raise RunError(f"volume {volume.name!r} is of kind {volume.kind!r}; there are {', '.join(LEAST_MEMBERS)}")
    if len(members) < LEAST_MEMBERS[volume.kind]:
        raise RunError(
            f"volume {volume.name!r} of kind {volume.kind!r} has {len(members)} of the "
            f"{LEAST_MEMBERS[volume.kind]} members or more that it needs"
        )
    parity = controller.parity if controller else parity
    if losses is not None and volume.kind in ("mirror", "raid3", "raid5"):
        device = _surviving(p, volume, members, parity, losses)
    else:
        device = _bare(p, volume, members, parity)
    if not device.capacity:
        raise RunError(f"volume {volume.name!r} holds nothing: a member is smaller than a stripe unit")
    if controller is None:
        return device
    if port is None:
        raise RunError(f"volume {volume.name!r} has a controller that no host reaches")
    return controller.array(device, port)


def _surviving(
    p: Builder, volume: Volume, members: Sequence[BlockDevice], parity: ParityEngine | None, losses: Losses
) -> BlockDevice:
    """A volume of the host's software that goes on without a member."""
    if volume.kind == "mirror":
        return mirror(p, volume, members, losses)
    if volume.kind == "raid3":
        return raid3(p, volume, members, _grain(volume, members), _computed(volume, parity), losses)
    return raid5(p, volume, members, _unit(volume, members), _computed(volume, parity), losses)


def _computed(volume: Volume, parity: ParityEngine | None) -> ParityEngine:
    if parity is None:
        raise RunError(f"volume {volume.name!r} of kind {volume.kind!r} has nothing that computes its parity")
    return parity


def _bare(p: Builder, volume: Volume, members: Sequence[BlockDevice], parity: ParityEngine | None) -> BlockDevice:
    """The volume without what lies between it and the host."""
    if volume.kind == "concat":
        return Concatenation(p, volume.name, members)
    if volume.kind == "mirror":
        there = [member for member, name in zip(members, volume.members, strict=True) if name not in volume.failed]
        return Mirror(p, volume.name, there)
    if volume.kind == "stripe":
        return Stripe(p, volume.name, members, _unit(volume, members))
    parity = _computed(volume, parity)
    if volume.kind == "raid3":
        failed = volume.members.index(volume.failed[0]) if volume.failed else None
        return Raid3(p, volume.name, members, _grain(volume, members), parity, failed)
    if volume.failed:
        failed = volume.members.index(volume.failed[0])
        return DegradedRaid5(p, volume.name, members, _unit(volume, members), parity, failed)
    return Raid5(p, volume.name, members, _unit(volume, members), parity)


def _grain(volume: Volume, members: Sequence[BlockDevice]) -> int:
    return members[0].sector if volume.unit is None else _unit(volume, members)


def _unit(volume: Volume, members: Sequence[BlockDevice]) -> int:
    sector = max(member.sector for member in members)
    if volume.unit is None:
        raise RunError(f"volume {volume.name!r} of kind {volume.kind!r} needs a stripe unit")
    if volume.unit % sector or volume.unit < sector:
        raise RunError(
            f"the stripe unit of volume {volume.name!r}, {size_text(volume.unit)}, is not a multiple of its "
            f"members' sectors of {size_text(sector)}"
        )
    return volume.unit
