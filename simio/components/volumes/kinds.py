"""Volumes as their descriptions say, and what these have to fulfil."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes.array import ArrayController, ArrayPort
from simio.components.volumes.geometry import Geometry
from simio.components.volumes.members import Losses, Members
from simio.components.volumes.parity import ParityEngine
from simio.components.volumes.rebuild import Rebuild
from simio.components.volumes.requests import size_text
from simio.components.volumes.states import Changes
from simio.components.volumes.volume import VolumeDevice
from simio.description.caches import CacheOptions
from simio.description.model import LEAST_MEMBERS, Volume
from simio.errors import RunError
from simio.machines.volume import layout
from simio.machines.volume.layout import CODED, CONCAT, ERASURE, MIRROR, RAID3, RAID5, RAID6, RAIDZ, STRIPE, both
from simio.machines.volume.raidz import taken
from simio.program.builder import Builder

LEVELS = {"stripe": STRIPE, "concat": CONCAT, "mirror": MIRROR, "raid3": RAID3, "raid5": RAID5, "raid6": RAID6}
LEVELS |= {"erasure": ERASURE, "raidz1": RAIDZ, "raidz2": RAIDZ, "raidz3": RAIDZ}


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
        raise RunError(
            f"volume {volume.name!r} is of kind {volume.kind!r}; there are {', '.join(LEAST_MEMBERS)}",
            at=f"volumes.{volume.name}",
        )
    if len(members) < LEAST_MEMBERS[volume.kind]:
        raise RunError(
            f"volume {volume.name!r} of kind {volume.kind!r} has {len(members)} of the "
            f"{LEAST_MEMBERS[volume.kind]} members or more that it needs"
        )
    if volume.cache:
        return _cached(p, volume, members, volume.cache, losses)
    parity = controller.parity if controller else parity
    if LEVELS[volume.kind] in (RAID3, *CODED) and parity is None:
        raise RunError(
            f"volume {volume.name!r} of kind {volume.kind!r} has nothing that computes its parity",
            at=f"volumes.{volume.name}",
        )
    replicas = volume.quorum is not None or volume.nearest
    device = _replicas(p, volume, members, losses) if replicas else _over(p, volume, members, parity, losses)
    if not device.capacity:
        raise RunError(
            f"volume {volume.name!r} holds nothing: a member is smaller than a stripe unit",
            at=f"volumes.{volume.name}",
        )
    if controller is None:
        return device
    if port is None:
        raise RunError(f"volume {volume.name!r} has a controller that no host reaches", at=f"volumes.{volume.name}")
    return controller.array(device, port)


def _cached(
    p: Builder, volume: Volume, members: Sequence[BlockDevice], cache: CacheOptions, losses: Losses | None
) -> BlockDevice:
    """A volume behind a cache on its second member; RunError if a member can fail."""
    if losses:
        raise RunError(
            f"members of volume {volume.name!r} fail, which are a cache and what is behind it; take the fault away, "
            "or let it be of a disk inside of a volume with redundancy",
            at=f"volumes.{volume.name}",
        )
    from simio.components.volumes.cached import CachedVolume

    return CachedVolume(p, volume.name, members[0], members[1], cache)


def _replicas(p: Builder, volume: Volume, members: Sequence[BlockDevice], losses: Losses | None) -> VolumeDevice:
    """A mirror with a quorum, or one that is read at its nearest member; RunError if a member can fail."""
    if losses or volume.failed:
        raise RunError(
            f"members of volume {volume.name!r} fail, which has a quorum or is read at its nearest member; take the "
            "fault away, or let it be a mirror of which all members acknowledge and are read",
            at=f"volumes.{volume.name}",
        )
    from simio.components.volumes.replicas import ReplicatedVolume

    geometry = _geometry(volume, members, MIRROR)
    made, needed = Members(p, volume.name, geometry, members), volume.quorum or len(members)
    return ReplicatedVolume(p, volume.name, geometry, made, needed, volume.nearest)


def _over(
    p: Builder,
    volume: Volume,
    members: Sequence[BlockDevice],
    parity: ParityEngine | None,
    losses: Losses | None,
) -> VolumeDevice:
    """The volume without what lies between it and the host."""
    name, level, number = volume.name, LEVELS[volume.kind], len(members)
    redundant = level in (MIRROR, RAID3, *CODED)
    losses = losses if redundant else None
    failed = [volume.members.index(member) for member in volume.failed] if redundant else []
    if level == MIRROR and not (losses and losses.spares):
        # A disk that has failed for good is no member any more.
        there = [place for place in range(number) if place not in failed]
        members, number, failed = [members[place] for place in there], len(there), []
        if losses:
            failing = {new: losses.failing[old] for new, old in enumerate(there) if old in losses.failing}
            losses = replace(losses, failing=failing)
    geometry = _geometry(volume, members, level)
    words = {place: gone for place, gone in losses.failing.items() if gone is not None} if losses else {}
    if losses is None or not (
        losses.spares or (words and level != MIRROR and len(failed) < (2 if level == RAID6 else 1))
    ):
        survives = losses if len(failed) < geometry.parities or level == MIRROR else None
        lost = both(min(failed), max(failed), number) if len(failed) == 2 else next(iter(failed), None)
        return VolumeDevice(p, name, geometry, Members(p, name, geometry, members, parity, survives), lost=lost)
    if level == MIRROR and len({*losses.spares, *failed, *words}) > 1:
        raise RunError(
            f"several disks of volume {name!r} fail, and one has a spare; a mirror is rebuilt where one fails"
        )
    place = [*losses.spares, *failed, *words][0]
    losable: dict[int, int | None] = {**dict.fromkeys(failed), **(words if level == RAID6 or not failed else {})}
    spares = {place: losses.spares[place]} if place in losses.spares else {}
    devices = [None if place in failed else member for place, member in enumerate(members)]
    fault = losses.faults.get(place)
    spared = place if spares else None
    changes = Changes(p, name, number, losable, spared, fault.chunk if fault else 1, level == RAID6)
    made = Members(p, name, geometry, devices, parity, losses, spares, [*losable])
    device = VolumeDevice(p, name, geometry, made, changes)
    if spares and fault is not None:
        _rebuild(device, changes, place, losses, members, failed)
    return device


def _rebuild(
    device: VolumeDevice,
    changes: Changes,
    lost: int,
    losses: Losses,
    members: Sequence[BlockDevice],
    failed: Sequence[int],
) -> None:
    """Let a thread rebuild a volume onto its spare; RunError if that does not fit."""
    spare, fault = losses.spares[lost], losses.faults[lost]
    smallest = min(member.capacity for member in members)
    extent = fault.extent or smallest // fault.chunk * fault.chunk
    if extent > min(smallest, spare.capacity):
        room = size_text(min(smallest, spare.capacity))
        raise RunError(f"{size_text(extent)} of {device.name!r} are to be rebuilt of disks that hold {room}")
    if spare.sector != members[lost].sector or fault.chunk % spare.sector:
        raise RunError(
            f"{spare.name!r} cannot take the place of {members[lost].name!r}: sectors and chunks do not fit"
        )
    words = {place: gone for place, gone in losses.failing.items() if gone is not None and place != lost}
    noticed = losses.noticed.get(lost)
    also = next((place for place in failed if place != lost), None)
    rebuild = Rebuild(device.p, device, changes, lost, spare, fault, extent, losses.failures, noticed, words, also)
    losses.failures.rebuilds.append(rebuild.thread)


def _geometry(volume: Volume, members: Sequence[BlockDevice], level: int) -> Geometry:
    """The layout of a volume's bytes on these members."""
    number, sector = len(members), members[0].sector
    if len(sectors := sorted({member.sector for member in members})) > 1:
        sizes = " and ".join(size_text(sector) for sector in sectors)
        raise RunError(f"the members of volume {volume.name!r} have sectors of different size: {sizes}")
    smallest = min(member.capacity for member in members)
    if level == CONCAT:
        ends = [0]
        for member in members:
            ends.append(ends[-1] + member.capacity // sector * sector)
        return Geometry(level, number, sector, ends[-1], ends=tuple(ends))
    if level == MIRROR:
        return Geometry(level, number, sector, smallest // sector * sector)
    if level == RAIDZ:
        return _records(volume, number, sector, smallest)
    unit = sector if level == RAID3 and volume.unit is None else _unit(volume, sector)
    parities = {STRIPE: 0, RAID6: 2, ERASURE: volume.parity}.get(level, 1)
    data = number - parities
    if level == RAID3:
        sector = unit * data
    return Geometry(level, number, sector, smallest // unit * unit * data, unit, parities=parities)


def _records(volume: Volume, number: int, sector: int, smallest: int) -> Geometry:
    """The records of a RAIDZ on members of `smallest` bytes."""
    own, record = max(volume.sector or 0, sector), volume.record or 0
    if own % sector or record % own or record < own:
        raise RunError(
            f"records of {size_text(record)} and sectors of {size_text(own)} of volume {volume.name!r} do not fit: "
            f"the record has to be a multiple of the sector, and that of its members' {size_text(sector)}"
        )
    state: Any = layout.initial(RAIDZ, number, own, parities=volume.parity, record=record // own)
    slots = smallest // own * number // taken(state, 0)
    return Geometry(RAIDZ, number, sector, slots * record, own, parities=volume.parity, record=record // own)


def _unit(volume: Volume, sector: int) -> int:
    if volume.unit is None:
        raise RunError(
            f"volume {volume.name!r} of kind {volume.kind!r} needs a stripe unit", at=f"volumes.{volume.name}"
        )
    if volume.unit % sector or volume.unit < sector:
        raise RunError(
            f"the stripe unit of volume {volume.name!r}, {size_text(volume.unit)}, is not a multiple of its "
            f"members' sectors of {size_text(sector)}"
        )
    return volume.unit
