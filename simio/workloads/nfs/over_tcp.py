"""Files read or written over NFS by TCP: the programs of each client, with its page cache between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import gcd
from typing import TYPE_CHECKING

from simio import units
from simio.components.files.cached import CachedFile
from simio.components.network.nfs_tcp import NfsTcpMount
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.errors import RunError
from simio.program.builder import Handle, Register, minimum, since
from simio.workloads.common.arrivals import ArrivalProcess
from simio.workloads.common.remote import PAGE, Servers
from simio.workloads.nfs.storage import GRAIN

if TYPE_CHECKING:
    from simio.workloads.nfs import Nfs


def over_tcp(site: Site, workload: Workload[Nfs]) -> None:
    """Each client mounts its server once; its programs have a file each, which go to the disks in turn."""
    params = workload.params
    servers = Servers(site, workload, params.options, params.stable)
    for number, client in enumerate(params.readers):
        server = params.ports[number % len(params.ports)]
        name = workload.name if len(params.readers) == 1 else f"{workload.name} {client}"
        mount = servers.mount(name, client, server)
        delivered = site.delivered if len(params.readers) == 1 else site.stream(f"{workload.name}: {client}")
        targets = site.targets(params.storage) if params.storage else [None]
        devices = {target: servers.at(mount, target) for target in targets}
        for program in range(params.programs):
            file = number * params.programs + program
            device = devices[targets[file % len(targets)]]
            start = _place(workload, device, file // len(targets), targets[file % len(targets)])
            own = f"{name} {program + 1}" if params.programs > 1 else name
            ClientProgram(site, workload, own, servers, mount, device, start).emit(delivered)


def _place(workload: Workload[Nfs], device: BlockDevice, number: int, name: str | None) -> int:
    """Address of the first byte of file `number` on a device."""
    extent = -(-workload.params.size // GRAIN) * GRAIN
    if (number + 1) * extent > device.capacity:
        size, room = (units.format_quantity(n, "size") for n in ((number + 1) * extent, device.capacity))
        raise RunError(f"workload {workload.name!r} has files of {size} on {name!r}, which holds {room}", at=".size")
    return number * extent


class ClientProgram:
    """A program of a client with its file."""

    def __init__(
        self,
        site: Site,
        workload: Workload[Nfs],
        name: str,
        servers: Servers,
        mount: NfsTcpMount,
        device: BlockDevice,
        start: int,
    ) -> None:
        self.site, self.p, self.name, self.mount, self.device = site, site.p, name, mount, device
        self.workload, self.params, self.start = workload, workload.params, start
        params = self.params
        self.block = params.block or params.transfer
        cache = servers.cached(mount, device, self.block)
        self.file = CachedFile(cache, name, (start, params.size), True)
        self.aligned = gcd(self.block, GRAIN)

    def emit(self, delivered: Handle) -> None:
        """The program's threads."""
        if self.params.arrivals:
            self._arriving(delivered)
        elif self.params.access == "read":
            self._read(delivered)
        else:
            self._write(delivered)

    @contextmanager
    def _opened(self, role: str) -> Iterator[Register]:
        """The thread of a pass over the opened file; gives the address of its first byte."""
        p, mount = self.p, self.mount
        with p.thread(f"{self.name}: {role} on {mount.client.name}"):
            mount.transport.mounted()
            mount.open()
            self.file.open()
            self.file.rewind()
            yield p.register(self.start)

    def _read(self, delivered: Handle) -> None:
        """A pass over the file, a block a call."""
        p, params, mount = self.p, self.params, self.mount
        took = p.observation(f"{self.workload.name}: block", "latency", "ps")
        with self._opened("reader") as at:
            for amount in p.pieces(params.size, self.block):
                with p.timed(took):
                    self.file.read(at, amount, self.aligned, mount.client.sheet.copies)
                p.mark(delivered, amount)
                at.set(at + amount)
            mount.close()

    def _write(self, delivered: Handle) -> None:
        """A pass over the file into the cache, and close(), which waits until all of it is stable."""
        p, params, mount = self.p, self.params, self.mount
        took = p.observation(f"{self.workload.name}: block", "latency", "ps")
        done = p.container(f"{self.name} written")

        def stored(size: int) -> None:
            with p.scope():
                # Bytes are promised where they are written: a mark of a constant would count them again.
                p.mark(delivered, p.register(size))
            p.put(done, size)

        with self._opened("writer") as at:
            for amount in p.pieces(params.size, self.block):
                p.promise(amount)
                with p.timed(took):
                    self.file.write(at, amount, self.aligned, stored)
                at.set(at + amount)
            self.file.flush_rest(stored)
            p.get(done, params.size)
            self.device.flush()
            mount.close()
            p.mark(p.observation(f"{self.name}: closed", "ended", "bytes"), 0)

    def _arriving(self, delivered: Handle) -> None:
        """READs or WRITEs that arrive, whatever becomes of those before, past the cache; each of the next block."""
        p, params, name = self.p, self.params, self.workload.name
        assert params.arrivals is not None
        took = p.observation(f"{name}: operation", "latency", "ps")
        p.load(name, took, params.arrivals.mean)
        process = ArrivalProcess(p, self.name, params.arrivals, len(params.readers) * params.programs)
        transfer = params.transfer
        with p.thread(f"{self.name}: program on {self.mount.client.name}"):
            self.mount.transport.mounted()
            at = p.register(0)
            with p.loop(-(-params.size // transfer)), p.scope():
                arrived = process.wait()
                with p.fork("operation"), p.scope():
                    amount = p.register(minimum(params.size - at, transfer))
                    place = p.register(at + self.start)
                    (self.device.read if params.access == "read" else self.device.write)(place, amount, PAGE)
                    p.mark(took, since(arrived))
                    p.mark(delivered, amount)
                at.set(at + transfer)
