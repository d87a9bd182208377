"""Files of an NFS server over TCP: in its memory, or on a disk or volume behind the cache of its file system."""

from __future__ import annotations

from math import gcd

from simio.components.files.cached import Mount
from simio.components.files.served import Gate
from simio.components.network.stack import Stack
from simio.components.passage import Passage
from simio.program.builder import Register
from simio.program.labels import labelled

GRAIN = 4096
"""Bytes at multiples of which files lie on a device at least, and pages in a cache."""
COPIED = 1 << 20
"""Bytes of the largest WRITE (Linux include/linux/sunrpc/svc.h, RPCSVC_MAXPAYLOAD)."""


class FilesInMemory:
    """Files that are all in the cache of a server, whose memory is stable."""

    capacity, sector = 2**62, 1

    def __init__(self, stack: Stack) -> None:
        self.stack, self.p, self.kernel = stack, stack.p, stack.kernel
        self.name = f"memory of {stack.name}"

    @labelled("file cache", "stack.name")
    def _pages(self, size: Register, cost: int) -> None:
        if cost:
            self.stack.host.work(self.kernel.pages(size) * cost)

    def read(self, at: Register, size: Register, aligned: int) -> None:
        """See `ServerFiles.read`: pages are found, and sent without being copied (Linux fs/nfsd/vfs.c, splice)."""
        self._pages(size, self.stack.sheet.nfs_lookup)

    def write(self, at: Register, size: Register, aligned: int) -> None:
        """See `ServerFiles.write`: the data are copied from the pages of the call to those of the cache."""
        self._pages(size, self.stack.sheet.nfs_page)
        self.stack.move(size, COPIED, False)

    def commit(self) -> None:
        """See `ServerFiles.commit`."""

    def passage(self, writes: bool) -> Passage:
        """See `ServerFiles.passage`."""
        return Passage()


class FilesOnDevice(FilesInMemory):
    """Files on a device of the server, which the cache does not hold before or after.

    A READ has all of its windows read at once, and waits; a WRITE is on its way to the device when it is answered.
    """

    def __init__(self, stack: Stack, mount: Mount, transfer: int) -> None:
        """`transfer` is the bytes of a READ or WRITE at most."""
        super().__init__(stack)
        p, sheet, self.device = self.p, mount.sheet, mount.device
        self.name, self.capacity, self.sector = self.device.name, self.device.capacity, self.device.sector
        self.grain = max(GRAIN, self.sector)
        self.window = self._whole(min(max(sheet.read_ahead, sheet.cluster), transfer))
        self.together = self._whole(min(sheet.write_behind, transfer))
        self.sheet = sheet
        self.dirty = p.container(f"{self.name} dirty", sheet.dirty_limit)
        self.stored = Gate(p, f"{self.name} stored")
        self.taken = p.variable(f"{self.name} written")

    def _whole(self, size: int) -> int:
        return -(-size // self.grain) * self.grain

    def _aligned(self, aligned: int, step: int) -> int:
        """The alignment in bytes of windows of `step` bytes, in a call at a multiple of `aligned`."""
        found = gcd(aligned, step)
        return self.grain if found % self.grain else found

    def read(self, at: Register, size: Register, aligned: int) -> None:
        """See `ServerFiles.read`."""
        p = self.p
        self._pages(size, self.sheet.page_cost + self.sheet.lookup_cost)
        with p.scope():
            place = p.register(at // self.grain * self.grain)
            with p.loop((size + (self.window - 1)) // self.window):
                with p.fork("window", joined=True):
                    self.device.read(place, self.window, self._aligned(aligned, self.window))
                place.set(place + self.window)
            p.join()
            self.kernel.wake()

    def write(self, at: Register, size: Register, aligned: int) -> None:
        """See `ServerFiles.write`: who finds too much dirty waits."""
        p = self.p
        with p.scope():
            amount = p.register((size + (self.together - 1)) // self.together * self.together)
            p.put(self.dirty, amount)
            self._pages(size, self.sheet.page_cost)
            self.stack.move(size, COPIED, False)
            self.taken.increment(amount)
            place = p.register(at // self.grain * self.grain)
            with p.loop(amount // self.together):
                with p.fork("write-behind"):
                    self.device.write(place, self.together, self._aligned(aligned, self.together))
                    p.get(self.dirty, self.together)
                    self.stored.advance(self.together)
                place.set(place + self.together)

    def commit(self) -> None:
        """See `ServerFiles.commit`."""
        with self.p.scope():
            self.stored.wait(self.taken.load(), self.kernel.wake)
        self.device.flush()

    def passage(self, writes: bool) -> Passage:
        """See `ServerFiles.passage`."""
        return self.device.passage(writes)
