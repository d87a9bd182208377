"""The site: where components and workloads find one another while a system is lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from simio.components.faults.condition import Schedule
from simio.components.host.host import Computer
from simio.description.model import Disk, Part, System, Volume, Workload
from simio.description.sheets.kernels import UnixKernelSheet
from simio.errors import RunError
from simio.program.builder import Builder, Handle
from simio.topology import Topology

if TYPE_CHECKING:
    from simio.components.block.layer import BlockLayer
    from simio.components.faults.failures import Failures
    from simio.components.files.journal import FileSystemJournal
    from simio.components.files.writeback import WrittenFile
    from simio.components.host.kernel import UnixKernel
    from simio.components.network.capture import Capture, PacketTrace
    from simio.components.network.path import Network
    from simio.components.network.rdma.port import RdmaPorts
    from simio.components.network.sockets import Sockets
    from simio.components.storage.attachment import Attachments
    from simio.components.storage.devices import Devices
    from simio.components.storage.fibre_channel import Fabric
    from simio.components.storage.interfaces import BlockDevice, Initiator, StorageDrive
    from simio.components.storage.remote import RemoteSession
    from simio.description.faults import Span
    from simio.description.model import Adapter, Link
    from simio.description.sheets.adapters import StorageAdapter
    from simio.description.sheets.filesystems import CachedFileSystem

PACKET_ARGUMENTS = 8
"""Argument registers of programs with packets: the length of one, the transport's words, and those of a path."""


def _delivers(workload: Workload) -> bool:
    """True if a workload moves data, and not as traffic in the background, which is counted apart."""
    return bool(workload.params.ways) and not getattr(workload.params, "background", False)


class Site:
    """Everything that workloads find when they are lowered: builder, graph and one of each component.

    A workload asks for components by the names of the scenario, and calls their verbs, which emit steps:

        p, kernel, disk = site.p, site.kernel("server"), site.device("server", "d1")
        with p.thread("reader"), p.loop(100):
            place = p.register(0)
            kernel.read_unbuffered(disk, place, 65536, aligned=65536)
            p.mark(site.delivered, 65536)
    """

    def __init__(self, system: System, packets: PacketTrace | None = None, requests: bool = False) -> None:
        """With `packets`, the program has the marks of a packet trace; with `requests`, a mark for each request."""
        self.system, self.requests = system, requests
        network = any(workload.params.sends_packets for workload in system.workloads.values()) or any(
            link.part.sheet.remote for link in system.links
        )
        self.p = Builder(arguments=PACKET_ARGUMENTS if network else 0)
        self._total = self.stream("delivered")
        self._several = sum(_delivers(workload) for workload in system.workloads.values()) > 1
        self.capture = self._capture(packets) if packets else None
        self._hosts: dict[str, Computer] = {}
        self._kernels: dict[str, UnixKernel] = {}
        self._drives: dict[str, StorageDrive] = {}
        self._devices: dict[tuple[str, str | None], Devices] = {}
        self._failures: Failures | None = None
        self._layers: dict[str, BlockLayer] = {}
        self.journals: dict[tuple[str, str], FileSystemJournal] = {}
        self.written: dict[tuple[str, str, str], WrittenFile] = {}
        self._sessions: dict[str, RemoteSession] = {}

    def _capture(self, packets: PacketTrace) -> Capture:
        from simio.components.network.capture import Capture

        return Capture(self.p, packets, list(self.system.hosts))

    def streams(self, name: str, count: int) -> Iterator[str]:
        """Run a for loop's body for each of `count` streams of workload `name`, which do the same; gives their names.

        Traced packets differ by ports, by which bonds choose, too; queues of fq_codel hash connections, and those of
        adapters with queues are on cores. Each stream then has its own steps.
        """
        if count > 1 and (self.capture or self._placed() or self._by_ports() or self._hashed()):
            return (f"{name} {number + 1}" for number in range(count))
        return self.p.replicate(name, count)

    def _hashed(self) -> bool:
        """True if a queue tells connections apart by a hash."""
        sheets = [link.part.sheet for link in self.system.links]
        sheets += [switch.part.sheet for switch in self.system.switches.values()]
        return any(sheet.hashed for sheet in sheets)

    def _placed(self) -> bool:
        """True if a host has an adapter with queues."""
        adapters = (adapter for host in self.system.hosts.values() for adapter in host.adapters.values())
        return any(adapter.part.kind == "multiqueue-ethernet" for adapter in adapters)

    def _by_ports(self) -> bool:
        """True if a bond spreads flows by their ports."""
        return any(link.member and link.member.bond.by_ports for link in self.system.links)

    def alike(self, devices: Sequence[BlockDevice]) -> Iterable[BlockDevice]:
        """Run a for loop's body for each device; alike ones share their steps where nothing else asks for them."""
        if len(self.system.workloads) > 1 or any(self.can_fail(device.name) for device in devices):
            return devices
        return self.p.each(devices)

    @property
    def delivered(self) -> Handle:
        """The stream of the workload that is being written; beside others it has its own, so that each has a rate."""
        return self.p.joined(self.p.doing) if self._several else self._total

    def stream(self, name: str) -> Handle:
        """A stream of deliveries of its own, whose rate is reported beside the throughput of all."""
        return self.p.observation(name, "delivered", "bytes")

    def host(self, name: str) -> Computer:
        """A host, made when something first uses it."""
        if name not in self._hosts:
            self._hosts[name] = Computer(self.p, self.system.hosts[name])
        return self._hosts[name]

    def kernel(self, host: str) -> UnixKernel:
        """The kernel of a host, made when something first uses it. Raises RunError if it is not a Unix kernel."""
        if host not in self._kernels:
            description = self.system.hosts[host]
            if not isinstance(description.kernel.sheet, UnixKernelSheet):
                kind = description.kernel.kind
                raise RunError(f"the kernel of {host!r} is of kind {kind!r}, which this workload cannot call")
            from simio.components.host.kernel import UnixKernel

            self._kernels[host] = UnixKernel(self.p, self.host(host))
        return self._kernels[host]

    def drive(self, disk: str) -> StorageDrive:
        """A disk, made when something first uses it. Raises RunError if it is an ideal device, which has no drive."""
        if disk not in self._drives:
            from simio.components.storage.drives import make_drive

            self._drives[disk] = make_drive(self.p, self.system.disks[disk])
        return self._drives[disk]

    def targets(self, name: str) -> list[str]:
        """The devices that a name in a workload stands for: a volume, the disks of a group, or one disk."""
        return [name] if name in self.system.volumes else list(self.system.disks_of(name))

    def goes_over_once(self, targets: Sequence[str]) -> None:
        """Let the bound count on a workload, if alone, that reads or writes targets once from their beginning on.

        Index blocks are read beside the data, so that a file system that has them does not count; nor does a system
        in which requests fail, or something is rebuilt.
        """
        from simio.components.faults.failures import loses_commands

        if any(volume.rebuilt for volume in self.system.volumes.values()) or any(
            loses_commands(self.system, disk, self.attachments.cut) for disk in self.system.disks
        ):
            return
        systems = (self._storage(name).file_system for name in targets)
        if len(self.system.workloads) == 1 and not any(system and system.sheet.index_span for system in systems):
            for disk in (disk for name in targets for disk in self.system.disks_of(name)):
                self.drive(disk).sequential = True

    def _storage(self, name: str) -> Disk | Volume:
        system = self.system
        return system.volumes.get(name) or system.disks[name]

    def file_system(self, workload: Workload, device: str) -> Part[CachedFileSystem]:
        """The file system on a disk or volume; raises RunError where it has none."""
        part = self._storage(device).file_system
        if part is None:
            raise RunError(
                f"workload {workload.name!r} goes through the cache, and {device!r} has no file_system; "
                "give it one, or use access: raw"
            )
        return part

    def has_file_system(self, device: str) -> bool:
        """True if there is a file system on a disk or volume."""
        return self._storage(device).file_system is not None

    def failures(self) -> Failures:
        """The requests that can fail."""
        if self._failures is None:
            from simio.components.faults.failures import Failures

            self._failures = Failures(self.p)
        return self._failures

    def can_fail(self, name: str) -> bool:
        """True if requests of a disk or volume can fail."""
        from simio.components.faults.failures import can_fail

        return can_fail(self.system, name, self.attachments.cut)

    def device(self, host: str, name: str, into: str | None = None, reports_failures: bool = False) -> BlockDevice:
        """A disk or volume as a block device of a host.

        With `into`, that host only issues the commands, and data go between disks and the memory of host `into`.
        `reports_failures` says that the workload reports which of its requests fail. Raises RunError if a request can
        fail and it does not, and for a disk that has failed.
        """
        if not reports_failures and self.can_fail(name):
            raise RunError(
                f"requests of {name!r} can fail, by its faults, and only reader and writer with access raw or "
                "direct report that; use these, or a volume that survives the failure"
            )
        for volume in self.system.volumes.values():
            if name in volume.failed:
                raise RunError(f"{name!r} has failed and cannot be used by itself; use volume {volume.name!r}")
        if (host, into) not in self._devices:
            from simio.components.storage.devices import Devices

            third = self.host(into) if into else None
            self._devices[host, into] = Devices(
                self.p, self.system, self.kernel(host), self.attachments, self.drive, self.failures, third,
                session=self.session,
            )  # fmt: skip
        return self._devices[host, into].device(name)

    def block_layer(self, host: str) -> BlockLayer:
        """The block layer of a host, made when something first uses it. Raises RunError as `BlockLayer` does."""
        if host not in self._layers:
            from simio.components.block.layer import BlockLayer
            from simio.components.storage.devices import Devices

            kernel = self.kernel(host)
            make = partial(
                Devices, self.p, self.system, kernel, self.attachments, self.drive, self.failures, None,
                session=self.session,
            )  # fmt: skip
            self._layers[host] = BlockLayer(self.p, kernel, self.attachments, make)
        return self._layers[host]

    def session(self, link: Link) -> RemoteSession:
        """The session of an initiator with a target over a link, made when first used."""
        if link.name not in self._sessions:
            from simio.components.storage.remote import RemoteSession

            make = RemoteSession
            if link.part.sheet.rdma:
                from simio.components.storage.remote_rdma import RdmaSession

                make = RdmaSession
            self._sessions[link.name] = make(self, link)
        return self._sessions[link.name]

    def target_devices(
        self, host: str, initiator: Callable[[Adapter[StorageAdapter], str], Initiator] | None
    ) -> Devices:
        """The block devices of a target, whose commands an `initiator` issues, or if it is None the host's kernel."""
        from simio.components.storage.devices import Devices

        return Devices(
            self.p, self.system, self.kernel(host), self.attachments, self.drive, self.failures, None, initiator
        )

    @property
    def hosts(self) -> Iterable[Computer]:
        """The hosts that something uses."""
        return self._hosts.values()

    def downtime(self, name: str, resource: Handle, units: int, spans: Sequence[Span]) -> None:
        """Threads called `name` that hold all `units` of a resource in these spans, in ps."""
        Schedule(self.p, spans).occupy(name, resource, units)

    def faults(self) -> None:
        """Emit the threads of faults, and of what repairs what they did."""
        for kind in dict.fromkeys(type(fault.params) for fault in self.system.faults):
            kind.emit(self)
        for rebuild in self._failures.rebuilds if self._failures else ():
            rebuild()

    def tell(self) -> None:
        """Tell what only the whole system shows: adapters on a far socket, links beside others that no packet takes,
        stacks without costs, lossless classes without traffic, values that nothing uses."""
        linked = {end for link in self.system.links for end in link.ends}
        for host in self._hosts.values():
            host.tell(linked)
        if "network" in vars(self):
            from simio.components.network.beside import tell_of_idle_classes
            from simio.components.network.unused import tell_of_unused

            self.network.beside.tell(self.p)
            tell_of_idle_classes(self.p, self.system)
            tell_of_unused(self.p, self.system)
        if "sockets" in vars(self):
            self.sockets.tell()

    @cached_property
    def attachments(self) -> Attachments:
        """The ways from hosts to disks."""
        from simio.components.storage.attachment import Attachments

        return Attachments(self.p, self.system, self.graph, self.fabric)

    @cached_property
    def graph(self) -> Topology:
        """The system's wiring."""
        return Topology(self.system)

    @cached_property
    def network(self) -> Network:
        """The interfaces, links and switches that carry packets."""
        from simio.components.network.path import Network

        return Network(self.p, self.system, self.graph, self.kernel, self.capture)

    @cached_property
    def rdma(self) -> RdmaPorts:
        """The adapters for RDMA, and the paths between them."""
        from simio.components.network.rdma.port import RdmaPorts

        return RdmaPorts(self)

    @cached_property
    def sockets(self) -> Sockets:
        """The hosts' protocol stacks, and connections between them."""
        from simio.components.network.sockets import Sockets

        return Sockets(self.p, self.system, self.kernel, self.network)

    @cached_property
    def fabric(self) -> Fabric:
        """The Fibre Channel links and switches."""
        from simio.components.storage.fibre_channel import Fabric

        return Fabric(self.p, self.system, self.graph)
