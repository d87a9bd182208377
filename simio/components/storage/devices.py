"""Disks and volumes as block devices of a host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simio.components.faults.failures import Failures, loses_commands
from simio.components.host.bus import HostBus
from simio.components.host.host import Computer
from simio.components.host.kernel import UnixKernel
from simio.components.storage.attachment import Attachments
from simio.components.storage.driver import DiskDriver, HostInitiator
from simio.components.storage.interfaces import BlockDevice, Initiator, StorageDrive
from simio.description.model import Adapter, Link, System
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
        into: Computer | None,
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
            if volume:
                # A run without volumes imports nothing of them.
                from simio.components.volumes.devices import VolumeDevices

                self._made[name] = VolumeDevices(self).device(volume)
            else:
                self._made[name] = self._disk(name)
        return self._made[name]

    def bus(self, key: str) -> HostBus:
        """The bus that data cross to their receiver."""
        bus = self.host.bus(key)
        return bus.into(self.into.memory, self.into.memory_byte) if self.into else bus

    def _disk(self, disk: str) -> BlockDevice:
        """A disk behind its driver, over the adapter that the wiring leads through."""
        adapter = self.attachments.adapter(self.host.name, disk)
        if self.session and (self.host.name, disk) in self.attachments.remotes:
            return self._remote(adapter, disk, self.session)
        transport = self.attachments.transport(self.host.name, disk, self.bus(adapter.bus))
        initiator = self.initiator(adapter, disk) if self.initiator else HostInitiator(self.p, self.kernel, adapter)
        drive, depth = self.drive(disk), adapter.part.sheet.queue_depth
        policy = self.attachments.policy(self.host.name, disk)
        failures = self.failures() if policy else None
        return DiskDriver(self.p, initiator, drive, transport, depth, policy, failures)

    def _remote(self, adapter: Adapter, disk: str, session: Callable[[Link], RemoteSession]) -> BlockDevice:
        """A disk of a target. Raises RunError if data were to go to another host's memory, or commands can fail."""
        if self.into:
            raise RunError(
                f"{disk!r} is a drive of a target, whose data go to its initiator, not to {self.into.name!r}"
            )
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
