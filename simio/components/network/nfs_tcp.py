"""NFS versions 3 (RFC 1813), 4.0 (RFC 7530) and 4.1 (RFC 8881) over TCP or RDMA: a mount, its files as a device.

The device takes reads and writes at any place and of any size. It cuts them into READs and WRITEs of the mount's
`transfer`, which are under way side by side. So the client's page cache and its read-ahead are those of any file
(`simio.components.files`), and programs that read a disk through the cache read over NFS as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import gcd
from typing import Any, Protocol

from simio.components.network.rpc_transport import RpcTransport
from simio.components.passage import Passage
from simio.description.messages import MESSAGES
from simio.description.mounts import MountOptions
from simio.program.builder import Handle, Procedure, Register
from simio.program.labels import labelled


class ServerFiles(Protocol):
    """Work of a server's threads on bytes of files at addresses; its steps are emitted in such a thread."""

    name: str
    capacity: int
    sector: int

    def read(self, at: Register, size: Register, aligned: int) -> None:
        """Have bytes where they can be sent from; their addresses are multiples of `aligned`."""

    def write(self, at: Register, size: Register, aligned: int) -> None:
        """Keep bytes that need not be stable yet."""

    def commit(self) -> None:
        """Wait until all that was written is stable."""

    def passage(self, writes: bool) -> Passage:
        """The passage of bytes between server and device."""


class NfsTcpMount:
    """A mount of a client on a server, over the connections of `transport`; `disk` makes a COMMIT stable.

    Mounts share what is stable: one request at a time.
    """

    def __init__(self, transport: RpcTransport[Any], options: MountOptions, stable: int, disk: Handle | None) -> None:
        self.transport, self.options, self.p = transport, options, transport.p
        self.client, self.server = transport.client, transport.server
        self.messages = MESSAGES[options.protocol]
        self.stable, self.disk = stable, disk
        name = transport.name
        self._opening = [self._small(f"{name} opens", *sizes) for sizes in self.messages.opening]
        self._closing = [self._small(f"{name} closes", *sizes) for sizes in self.messages.closing]

    def call(
        self,
        length: int,
        reply: int,
        serve: Callable[[], None] = lambda: None,
        sends: Register | None = None,
        receives: Register | None = None,
    ) -> None:
        """A call of NFS, with the costs of NFS at both ends; see `RpcTransport.call`."""

        def served() -> None:
            self.server.work("RPC and NFS", self.server.sheet.nfs_server)
            serve()

        self.client.work("RPC and NFS", self.client.sheet.nfs_client)
        self.transport.call(length, reply, served, sends, receives)

    def open(self) -> None:
        """The calls that opening a file takes."""
        self._each(self._opening)

    def close(self) -> None:
        """The calls that closing it takes."""
        self._each(self._closing)

    def _small(self, name: str, length: int, reply: int) -> Procedure:
        """A call without data, whose steps are written once."""
        return self.p.procedure(name, 0, lambda: self.call(length, reply))

    def _each(self, calls: Sequence[Procedure]) -> None:
        for call in calls:
            self.p.spawn(call, joined=True)
            self.p.join()

    def make_stable(self) -> None:
        """The server's disk stores written data, one request at a time."""
        if self.disk is not None:
            with self.p.hold(self.disk):
                self.p.advance(self.stable)


class RemoteFiles:
    """The files of a server behind a mount, as a block device of the client."""

    any_size = True

    def __init__(self, mount: NfsTcpMount, name: str, files: ServerFiles) -> None:
        self.mount, self.p, self.files, self.name = mount, mount.p, files, name
        self.capacity, self.sector = files.capacity, files.sector
        self.transfer = mount.options.transfer
        self.calls: dict[tuple[bool, int], Procedure] = {}

    def read(self, at: Register, size: Any, aligned: int) -> None:
        """READs of `size` bytes, side by side."""
        self._each(at, size, aligned, False)

    def write(self, at: Register, size: Any, aligned: int) -> None:
        """WRITEs of `size` bytes, side by side; what they wrote is not stable before a COMMIT."""
        self._each(at, size, aligned, True)

    def _call(self, writes: bool, aligned: int) -> Procedure:
        """A READ or WRITE at a multiple of `aligned`."""
        if (writes, aligned) not in self.calls:
            first = all(known != writes for known, _ in self.calls)
            name = f"{self.name} {'WRITE' if writes else 'READ'}" + ("" if first else f" at {aligned} B")
            body = partial(self._write_one if writes else self._read_one, aligned)
            self.calls[writes, aligned] = self.p.procedure(name, 2, body)
        return self.calls[writes, aligned]

    def _each(self, at: Register, size: Any, aligned: int, writes: bool) -> None:
        p, procedure = self.p, self._call(writes, gcd(aligned, self.transfer))
        if isinstance(size, int):
            self.passage(writes).declare(p, size)
        with p.scope():
            place = p.register(at)
            for amount in p.pieces(size, self.transfer):
                p.spawn(procedure, place, amount, joined=True)
                place.set(place + amount)
        p.join()

    def _read_one(self, aligned: int, at: Register, size: Register) -> None:
        p, mount = self.p, self.mount
        place, amount = p.register(at), p.register(size)

        self._pages(amount)
        messages = mount.messages
        served = partial(self.files.read, place, amount, aligned)
        mount.call(messages.read, messages.read_reply, served, receives=amount)

    def _write_one(self, aligned: int, at: Register, size: Register) -> None:
        p, mount = self.p, self.mount
        place, amount = p.register(at), p.register(size)

        self._pages(amount)
        messages = mount.messages
        served = partial(self.files.write, place, amount, aligned)
        mount.call(messages.write, messages.write_reply, served, sends=amount)

    @labelled("file cache", "mount.client.name")
    def _pages(self, amount: Register) -> None:
        """The pages of a READ or WRITE in the client's cache, all at once."""
        client = self.mount.client
        if client.sheet.nfs_page:
            client.host.work(client.kernel.pages(amount) * client.sheet.nfs_page)

    def flush(self) -> None:
        """COMMIT of all that was written (RFC 1813, section 3.3.21)."""

        def stable() -> None:
            self.files.commit()
            self.mount.make_stable()

        self.mount.call(self.mount.messages.commit, self.mount.messages.commit_reply, stable)

    def passage(self, writes: bool) -> Passage:
        """See `BlockDevice.passage`: wires, CPUs and the device of the server."""
        return Passage.of(self.mount.transport.times(writes)) + self.files.passage(writes)
