"""One transfer by ftp, by a process or two at each end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simio.components.files.received import ReceivedFile, SentFile, SharedFile
from simio.components.network.agreement import Dialogue
from simio.components.network.demand import declare
from simio.components.site import Site
from simio.components.storage.interfaces import BlockDevice
from simio.description.model import Workload
from simio.machines.tcp.layout import END_OF_FILE
from simio.program.builder import Register, Variable
from simio.workloads.common.copying import (
    Ring,
    fill,
    grain,
    mounted,
)
from simio.workloads.common.sockets import start

if TYPE_CHECKING:
    from simio.workloads.ftp import Ftp

PORT, PORT_DONE, RETRIEVE, OPENING, COMPLETE = 26, 30, 14, 68, 24
"""Bytes of commands and replies: PORT h1,h2,h3,h4,p1,p2; 200 PORT command successful.; RETR and a name; 150 Opening
BINARY mode data connection for a file of so many bytes.; 226 Transfer complete.
(RFC 959, section 4, each with CR LF)."""


Place = tuple[BlockDevice, tuple[int, int]]
"""A device, with the first byte and the size of a file, or of a part of one, on it."""


@dataclass(frozen=True)
class Shared:
    """A file that the servers `readers` read at once: `claimed` is how far windows were asked for."""

    readers: list[str]
    claimed: Variable


def names(workload: Workload[Ftp], number: int) -> list[str]:
    """The names of `number` transfers of a workload."""
    return [f"{workload.name} {each + 1}" for each in range(number)] if number > 1 else [workload.name]


class Transfer:
    """One transfer: a server on the host that has the file, a client on the other."""

    def __init__(self, site: Site, workload: Workload[Ftp], name: str) -> None:
        self.site, self.workload, self.name = site, workload, name
        self.p = site.p
        self.params = params = workload.params
        self.server, self.client = (f"{name}: ftpd on {params.from_}", f"{name}: ftp on {params.to}")
        control = Dialogue(params.to, params.from_, params.window, params.nodelay)
        self.asking, self.asked = site.sockets.connection(control, f"{name}: control", (512, 512), True)
        self.sender, self.receiver = site.sockets.connection(params, name, (params.buffer,) * 2, params.aligned)
        self.begun = self.p.observation(f"{name}: begun", "begun", "bytes")
        self.stream = site.delivered if name == workload.name else site.stream(name)

    # --- one process at each end --------------------------------------------------------------------------

    def alternating(self, source: Place, target: Place, shared: Shared | None) -> None:
        """Each end reads a buffer, then writes it; `shared`: with others that read the same bytes, if there are."""
        read, written = self._files(source, target, shared)
        p, params, (_, (_, size)) = self.p, self.params, source
        with p.thread(self.server):
            self._asked()
            at = p.register(read.start)
            read.open()
            read.rewind()
            for amount in p.pieces(size, params.buffer):
                aligned = grain(read.start, params.buffer)
                read.read(at, amount, aligned, copy=not params.sendfile, cached=params.cached)
                self._send(amount)
                at.set(at + amount)
            self._sent()
        with p.thread(self.client):
            self._ask()
            written.open()
            got = p.register()
            with p.until(got >= END_OF_FILE):
                self.receiver.read(got, params.buffer)
                with p.when(got < END_OF_FILE):
                    written.write_amount(got, params.buffer)
                    p.mark(self.stream, got)
            written.flush_rest()
            fill(p, self.asking, COMPLETE)
            self.asking.close()

    def _files(self, source: Place, target: Place, shared: Shared | None) -> tuple[SentFile, ReceivedFile]:
        site, params = self.site, self.params
        common = (mounted(site, self.workload, params.from_, source[0]), self.server, source[1])
        read = (
            SharedFile(*common, shared.readers, shared.claimed)
            if shared and len(shared.readers) > 1
            else SentFile(*common, sequential=True)
        )
        mount = mounted(site, self.workload, params.to, target[0])
        return read, ReceivedFile(mount, self.client, target[1])

    # --- two processes at each end ------------------------------------------------------------------------

    def overlapped(self, source: BlockDevice, target: BlockDevice) -> None:
        """Two processes at each end, one for the file and one for the connection, with buffers between them."""
        p, params = self.p, self.params
        rings = [
            Ring(p, f"{name}:", params.buffers, params.file, params.buffer) for name in (self.server, self.client)
        ]
        asked = p.container(f"{self.name}: asked", 1, 0, "requests")
        with p.thread(f"{self.server}, disk"):
            p.get(asked, 1)
            self._fill(source, rings[0])
        with p.thread(f"{self.server}, network"):
            self._asked()
            p.put(asked, 1)
            rings[0].run(0, lambda at, amount: self._send(amount), filling=False)
            self._sent()
        with p.thread(f"{self.client}, network"):
            self._ask()
            rings[1].run(0, lambda at, amount: fill(p, self.receiver, amount), filling=True)
            fill(p, self.asking, COMPLETE)
            self.asking.close()
        with p.thread(f"{self.client}, disk"):
            self._empty(target, rings[1])

    def _fill(self, source: BlockDevice, ring: Ring) -> None:
        """The server's process for the disk."""
        params = self.params
        kernel = self.site.kernel(params.from_)
        if params.access == "raw":
            ring.run(
                0,
                lambda at, amount: kernel.read_unbuffered(source, at, amount, params.buffer),
                filling=True,
                at_once=True,
            )
            return
        mount = mounted(self.site, self.workload, params.from_, source)
        file = SentFile(mount, self.server, (0, params.file), sequential=True)
        file.open()
        file.rewind()
        ring.run(0, lambda at, amount: file.read(at, amount, params.buffer, True, params.cached), filling=True)

    def _empty(self, target: BlockDevice, ring: Ring) -> None:
        """The client's process for the disk."""
        params = self.params
        kernel = self.site.kernel(params.to)

        def store(at: Register, amount: int) -> None:
            kernel.write_unbuffered(target, at, amount, params.buffer)
            self.p.mark(self.stream, amount)

        if params.access == "raw":
            ring.run(0, store, filling=False, at_once=True)
            return
        mount = mounted(self.site, self.workload, params.to, target)
        file = ReceivedFile(mount, self.client, (0, params.file))

        def write(at: Register, amount: int) -> None:
            file.write_whole(amount)
            self.p.mark(self.stream, amount)

        file.open()
        ring.run(0, write, filling=False)
        file.flush_rest()

    # --- the protocol -------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """The client asks for the file and has its data connection; the clock starts."""
        p = self.p
        start(p, self.name, self.workload.params.start_within)
        self.asking.connect()
        with p.fork("listen", joined=True):
            self.receiver.accept()
        self.asking.write(PORT)
        fill(p, self.asking, PORT_DONE)
        self.asking.write(RETRIEVE)
        fill(p, self.asking, OPENING)
        p.join()
        p.mark(self.begun, 0)
        # Delivered bytes count from now on.
        p.mark(self.stream, 0)

    def _asked(self) -> None:
        """The server is asked, and opens the data connection."""
        p = self.p
        self.asked.accept()
        fill(p, self.asked, PORT)
        self.asked.write(PORT_DONE)
        fill(p, self.asked, RETRIEVE)
        self.sender.connect()
        self.asked.write(OPENING)

    def _send(self, amount: int) -> None:
        declare(self.sender, self.receiver, amount)
        self.sender.write(amount, moved=not self.params.sendfile)

    def _sent(self) -> None:
        """The server closes the data connection and says so."""
        self.sender.close()
        self.asked.write(COMPLETE)
