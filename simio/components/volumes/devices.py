"""Volumes as block devices of a host: what they are made of, and which losses their members can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from simio.components.faults.failures import can_fail
from simio.components.storage.driver import DiskDriver, HostInitiator
from simio.components.storage.interfaces import BlockDevice
from simio.components.volumes import ArrayController, ArrayPort, make_volume
from simio.components.volumes.card import CardMemory, CardTransport
from simio.components.volumes.members import Losses
from simio.description.model import Volume
from simio.errors import RunError

if TYPE_CHECKING:
    from simio.components.storage.devices import Devices


class VolumeDevices:
    """Makes the block devices of volumes that one host sees."""

    def __init__(self, devices: Devices) -> None:
        self.devices = devices
        self.p, self.system, self.host = devices.p, devices.system, devices.host
        self.attachments = devices.attachments

    def device(self, volume: Volume) -> BlockDevice:
        """The block device of a volume. Raises RunError if it cannot be made of its members."""
        if volume.controller is None:
            members = [self.devices.device(member) for member in volume.members]
            return make_volume(self.p, volume, members, self.host, losses=self._losses(volume, members))
        spares = (fault.spare for inner in self._inside(volume) for fault in inner.rebuilt.values())
        disks = [*self.system.disks_of(volume.name), *filter(None, spares)]
        adapter = self.attachments.adapter(self.host.name, disks[0])
        if any(self.attachments.adapter(self.host.name, disk) != adapter for disk in disks):
            raise RunError(
                f"the members of volume {volume.name!r} are behind several adapters; its controller "
                f"({volume.controller.model}) is a card, whose disks are on its own channels"
            )
        controller = ArrayController(self.p, volume.name, volume.controller)
        port = ArrayPort(
            HostInitiator(self.p, self.devices.kernel, adapter),
            CardTransport(self.devices.bus(adapter.bus), adapter.part.name, adapter.part.sheet),
            adapter.part.sheet.queue_depth,
        )
        members = [self._member(name, controller, port) for name in volume.members]
        losses = self._losses(volume, members, lambda spare: self._member(spare, controller, port))
        return make_volume(self.p, volume, members, controller=controller, port=port, losses=losses)

    def _inside(self, volume: Volume) -> Iterator[Volume]:
        """A volume and those in it."""
        yield volume
        for member in volume.members:
            if member in self.system.volumes:
                yield from self._inside(self.system.volumes[member])

    def _losses(
        self,
        volume: Volume,
        members: Sequence[BlockDevice],
        make: Callable[[str], BlockDevice] | None = None,
    ) -> Losses | None:
        """Losses that the members of a volume can have, or None; `make` makes their spares."""
        system, names, cut = self.system, volume.members, self.attachments.cut
        able = [place for place, name in enumerate(names) if can_fail(system, name, cut)]
        if not able and not volume.rebuilt:
            return None
        faults = {names.index(name): fault for name, fault in volume.rebuilt.items()}
        drivers = {place: member for place in able if isinstance(member := members[place], DiskDriver)}
        latches = {place: driver.given_up for place, driver in drivers.items()}
        return Losses(
            self.devices.failures(),
            {place: latch.word.offset if (latch := latches.get(place)) else None for place in able},
            {place: latch.noticed for place, latch in latches.items() if latch},
            {place: (make or self.devices.device)(fault.spare) for place, fault in faults.items() if fault.spare},
            faults,
        )

    def _member(self, name: str, controller: ArrayController, port: ArrayPort) -> BlockDevice:
        """A disk or inner volume of a hardware array, driven by the controller."""
        inner = self.system.volumes.get(name)
        if inner:
            members = [self._member(member, controller, port) for member in inner.members]
            losses = self._losses(inner, members, lambda spare: self._member(spare, controller, port))
            return make_volume(self.p, inner, members, controller.parity, losses=losses)
        if self.attachments.outages(self.host.name, name):
            raise RunError(
                f"the route to {name!r} is down at times, and an array controller ({controller.name}) does not time "
                "commands out; use a volume of the host's software, or take the fault away"
            )
        way = self.attachments.transport(self.host.name, name, CardMemory(self.p))
        drive = self.devices.drive(name)
        transport = controller.transport(way, port.transport)
        return DiskDriver(self.p, controller.initiator, drive, transport, drive.depth)
