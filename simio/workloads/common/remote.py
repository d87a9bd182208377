"""Mounts of NFS over TCP or RDMA: servers with their threads, connections, and files as devices of a client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simio.components.files.cached import Mount
from simio.components.network.nfs_files import FilesInMemory, FilesOnDevice
from simio.components.network.nfs_tcp import NfsTcpMount, RemoteFiles, ServerFiles
from simio.components.network.rpc_transport import RpcService, RpcTransport
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.description.mounts import MountOptions
from simio.description.sheets.filesystems import CachedFileSystem

PAGE = 4096
DIRTY_RATIO = 5
"""Part of memory that may be dirty: vm.dirty_ratio is 20 % (Linux Documentation/admin-guide/sysctl/vm.rst)."""


@dataclass
class Servers:
    """The NFS servers of a workload; each has one set of threads and of files for all of its clients."""

    site: Site
    workload: Workload
    options: MountOptions
    stable: int = 0
    services: dict[str, RpcService] = field(default_factory=dict)
    files: dict[tuple[str, str | None], ServerFiles] = field(default_factory=dict)

    def mount(self, name: str, client: str, server: str) -> NfsTcpMount:
        """A mount of a client, with connections of its own."""
        site, options = self.site, self.options
        if server not in self.services:
            stack = site.sockets.stack(server)
            threads = f"{self.workload.name}: nfsds of {server}"
            self.services[server] = RpcService(stack, threads, options.nfsds)
        transport = self._transport(name, (client, server), self.services[server])
        disk = site.p.resource(f"{self.workload.name}: disk of {server}") if self.stable else None
        return NfsTcpMount(transport, options, self.stable, disk)

    def _transport(self, name: str, hosts: tuple[str, str], service: RpcService) -> RpcTransport[Any]:
        site, options = self.site, self.options
        calls = options.nconnect, options.most_calls, options.sessions
        if options.transport == "rdma":
            from simio.components.network.rpc_rdma import RdmaTransport

            limits = options.inline, options.credits
            return RdmaTransport(name, site.rdma, site.sockets, hosts, service, *calls, *limits)
        from simio.components.network.rpc_tcp import TcpTransport

        return TcpTransport(name, site.sockets, hosts, service, *calls, options.transfer)

    def at(self, mount: NfsTcpMount, target: str | None) -> BlockDevice:
        """The files of a mount's server on a disk or volume, or in its memory, as a device of the client."""
        files = self._files(mount.server.name, target)
        return RemoteFiles(mount, f"{mount.transport.name} {files.name}", files)

    def _files(self, server: str, target: str | None) -> ServerFiles:
        """The files of a server on a disk or volume, or in its memory."""
        site = self.site
        if (server, target) not in self.files:
            stack = site.sockets.stack(server)
            if target is None:
                self.files[server, target] = FilesInMemory(stack)
            else:
                sheet = site.file_system(self.workload, target).sheet
                mount = Mount(site.kernel(server), sheet, site.device(server, target))
                self.files[server, target] = FilesOnDevice(stack, mount, self.options.transfer)
        return self.files[server, target]

    def cached(self, mount: NfsTcpMount, device: BlockDevice, read: int) -> Mount:
        """The page cache of the client over a device, for a program whose calls read `read` bytes.

        Read-ahead covers a call up to a READ, even if it is more than `read_ahead` (Linux mm/readahead.c,
        ondemand_readahead, and io_pages of fs/nfs/super.c). What is written leaves when a WRITE is full. Pages cost
        with each READ or WRITE.
        """
        options, client = self.options, mount.client
        memory: int = client.host.description.memory.sheet.size
        sheet = CachedFileSystem(
            block=PAGE,
            cluster=options.transfer,
            read_ahead=max(options.read_ahead, min(-(-read // PAGE) * PAGE, options.transfer)),
            write_behind=options.transfer,
            dirty_limit=max(memory // DIRTY_RATIO, options.transfer),
            cache=memory,
            page_cost=0,
            lookup_cost=client.sheet.nfs_lookup,
        )
        return Mount(client.kernel, sheet, device)
