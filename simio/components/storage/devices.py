"""Disks and volumes as block devices of a host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from simio.components.faults.failures import Failures, can_fail, loses_commands
from simio.components.host.bus import HostBus
from simio.components.host.host import Computer
from simio.components.host.kernel import UnixKernel
from simio.components.storage.attachment import Attachments
from simio.components.storage.driver import DiskDriver, HostInitiator
from simio.components.storage.interfaces import BlockDevice, Initiator, StorageDrive
from simio.components.volumes import ArrayController, ArrayPort, make_volume
from simio.components.volumes.card import CardMemory, CardTransport
from simio.components.volumes.members import Losses
from simio.description.model import Adapter, Link, System, Volume
from simio.description.sheets.adapters import StorageAdapter
from simio.errors import RunError
from simio.program.builder import Builder

if TYPE_CHECKING:
    from simio.components.storage.remote import RemoteSession


class Devices:
    """The block devices that one host sees, each made once."""

    def __init__(
        self,
        p: Builder,
        system: System,
        kernel: UnixKernel,
        attachments: Attachments,
        drive: Callable[[str], StorageDrive],
        failures: Callable[[], Failures],
        into: Computer | None = None,
        initiator: Callable[[Adapter[StorageAdapter], str], Initiator] | None = None,
        session: Callable[[Link], RemoteSession] | None = None,
    ) -> None:
        """`into` is who gets and gives the data, if not this host itself, whose kernel only issues the commands.

        `initiator` makes who issues commands to a disk, if not the host's block layer on any of its CPUs; `session`
        what the host has with a target, over a link that is a protocol.
        """
        self.p = p
        self.system = system
        self.kernel = kernel
        self.host: Computer = kernel.host
        self.attachments = attachments
        self.drive = drive
        self.failures = failures
        self.into = into
        self.initiator = initiator
        self.session = session
        self._made: dict[str, BlockDevice] = {}

    def device(self, name: str) -> BlockDevice:
        """The block device of a disk or volume.

        Raises RunError if the host cannot reach it, or if a volume cannot be made of its members.
        """
        if name not in self._made:
            volume = self.system.volumes.get(name)
            self._made[name] = self._volume(volume) if volume else self._disk(name)
        return self._made[name]

    def _bus(self, key: str) -> HostBus:
        """The bus that data cross to their receiver."""
        bus = self.host.bus(key)
        return bus.into(self.into.memory, self.into.memory_byte) if self.into else bus

    def _disk(self, disk: str) -> BlockDevice:
        """A disk behind its driver, over the adapter that the wiring leads through."""
        adapter = self.attachments.adapter(self.host.name, disk)
        if self.session and (self.host.name, disk) in self.attachments.remotes:
            return self._remote(adapter, disk, self.session)
        transport = self.attachments.transport(self.host.name, disk, self._bus(adapter.bus))
        initiator = self.initiator(adapter, disk) if self.initiator else HostInitiator(self.p, self.kernel, adapter)
        drive, depth = self.drive(disk), adapter.part.sheet.queue_depth
        policy = self.attachments.policy(self.host.name, disk)
        failures = self.failures() if policy else None
        return DiskDriver(self.p, initiator, drive, transport, depth, policy, failures)

    def _remote(self, adapter: Adapter, disk: str, session: Callable[[Link], RemoteSession]) -> BlockDevice:
        """A disk of a target. Raises RunError if data were to go to another host's memory, or commands can fail."""
        if self.into:
            raise RunError(f"{disk!r} is a drive of a target, whose data go to who asks; {self.into.name!r} does not")
        if loses_commands(self.system, disk, self.attachments.cut):
            raise RunError(
                f"{disk!r} is a drive of a target and fails commands during the run, of which its initiator is not "
                "told; expected a drive that has failed before the run (`failed` without `at`), or one that answers"
            )
        from simio.components.storage.remote import RemoteInitiator

        link = self.attachments.remotes[self.host.name, disk][0]
        # A stack wakes waiting threads; an adapter for RDMA interrupts.
        kind = HostInitiator if link.part.sheet.rdma else RemoteInitiator
        make = self.initiator or (lambda adapter, disk: kind(self.p, self.kernel, adapter))
        return session(link).device(disk, make(adapter, disk))

    def _volume(self, volume: Volume) -> BlockDevice:
        if volume.controller is None:
            members = [self.device(member) for member in volume.members]
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
            HostInitiator(self.p, self.kernel, adapter),
            CardTransport(self._bus(adapter.bus), adapter.part.name, adapter.part.sheet),
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
            self.failures(),
            {place: latch.word.offset if (latch := latches.get(place)) else None for place in able},
            {place: latch.noticed for place, latch in latches.items() if latch},
            {place: (make or self.device)(fault.spare) for place, fault in faults.items() if fault.spare},
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
        drive = self.drive(name)
        transport = controller.transport(way, port.transport)
        return DiskDriver(self.p, controller.initiator, drive, transport, drive.depth)
