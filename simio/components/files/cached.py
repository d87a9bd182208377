"""Files that are read and written through the cache: read-ahead, write-behind, and copies to the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from simio.components.host.kernel import UnixKernel
from simio.components.storage.interfaces import BlockDevice
from simio.description.sheets.filesystems import CachedFileSystem
from simio.program.builder import Register, since
from simio.program.labels import called, labelled

Arrived = Callable[[int], None]


@dataclass(frozen=True)
class Mount:
    """A file system on a device, as the kernel that has mounted it sees it."""

    kernel: UnixKernel
    sheet: CachedFileSystem
    device: BlockDevice


class HeadedDevice:
    """A device whose requests end under the buffer headers of a file system."""

    def __init__(self, mount: Mount) -> None:
        device = mount.device
        self._kernel, self._header, self._device = mount.kernel, mount.sheet.block, device
        self.name, self.capacity, self.sector = device.name, device.capacity, device.sector

    @property
    def any_size(self) -> bool:
        """True if the device takes sizes in registers."""
        return self._device.any_size

    def read(self, at: Register, size: Any, aligned: int) -> None:
        """Fill the cache with `size` bytes from the device."""
        with self._kernel.ending(self._header):
            self._device.read(at, size, aligned)

    def write(self, at: Register, size: Any, aligned: int) -> None:
        """Store `size` bytes of the cache on the device."""
        with self._kernel.ending(self._header):
            self._device.write(at, size, aligned)

    def flush(self) -> None:
        """See `BlockDevice.flush`."""
        self._device.flush()


class FileInCache:
    """The base of all files that go through the cache: their places, and the costs of pages and headers."""

    def __init__(self, mount: Mount, span: tuple[int, int]) -> None:
        """`span` is the file's first byte on the device and its size."""
        self.kernel, self.sheet, self.device = mount.kernel, mount.sheet, HeadedDevice(mount)
        self.p, self.host = self.kernel.p, self.kernel.host
        self.start, self.size = span
        self.unit: int = max(self.sheet.block, self.kernel.sheet.page)

    @labelled("file cache", "host.name")
    def _enter(self, size: int) -> None:
        """Room in the cache for `size` bytes, page by page, and their buffer headers."""
        self.kernel.bring_pages(size, self.sheet.page_cost)
        self.kernel.buffers(size, self.sheet.block)

    @labelled("file cache", "host.name")
    def _look_up(self, size: int) -> None:
        """The pages of `size` bytes are found in the cache."""
        self.host.work(self.kernel.pages(size) * self.sheet.lookup_cost)

    def _beyond(self, size: int) -> int:
        """Whole windows that sequential reading keeps in the cache beyond a request of `size` bytes."""
        window, most = self.sheet.read_ahead, self.sheet.max_read_ahead or 0
        return max(window, min(size, most) // window * window)

    def _whole(self, size: int) -> int:
        """`size` in whole pages or blocks, whichever is larger: the least that a cache reads."""
        return -(-size // self.unit) * self.unit


class CachedFile(FileInCache):
    """An open file that one thread reads or writes, laid out in one piece on its device from `start` on.

    Sequential reading keeps the cache a window ahead, or as far as a request is long if the file system reads ahead
    by requests: when less is there or on its way, windows are asked for, and the reader continues meanwhile. Other
    reading fetches what it needs and waits. Written data are on their way to the device as soon as `write_behind`
    bytes have come together; a writer waits while `dirty_limit` bytes are not yet there.
    """

    fetched: Register
    """First byte that is not asked for, or not written behind, yet; the open file has it."""

    def __init__(self, mount: Mount, name: str, span: tuple[int, int], sequential: bool) -> None:
        """`name` is the thread's own, for its part of the cache; `span` is the file's first byte and its size."""
        super().__init__(mount, span)
        self.ahead_by = self.sheet.read_ahead if sequential else 0
        self.sequential = sequential
        self.cached = self.p.container(f"{name} cached")
        self.dirty = self.p.container(f"{self.device.name} dirty", self.sheet.dirty_limit)

    def open(self) -> None:
        """Once, inside the thread."""
        self.fetched = self.p.register()

    def rewind(self) -> None:
        """Go to the start of the file, before each pass over it."""
        self.fetched.set(self.start)

    @called("reads the file")
    def read(self, at: Register, size: int, aligned: int, copy: bool, cached: bool = False) -> None:
        """read() of `size` bytes; `copy`: into the program's buffer. `cached`: all of the file is in the cache."""
        self.kernel.system_call()
        self._look_up(size)
        if cached or not self.ahead_by:
            if not cached:
                self._fetch(at, size, aligned)
            if copy:
                self.host.copy(size, behind=self.size if cached else None)
            return
        for amount in self._come(at, size, self.ahead_by):
            if copy:
                self.host.copy(amount, size)

    def _come(self, at: Register, size: int, piece: int) -> Iterator[int]:
        """Run a loop's body when the wanted bytes are in the cache, after requests for windows; gives their number.

        Where windows follow what has come, that is done for each `piece` of at most a window (Linux 2.4 mm/filemap.c,
        generic_file_readahead: a page that is still locked starts no read-ahead).
        """
        p = self.p
        if not self.sheet.ahead_of_arrived:
            self._keep_ahead(at, size)
            p.get(self.cached, size)
            yield size
            return
        place = p.register(at)
        for amount in p.pieces(size, min(piece, self.ahead_by)):
            self._keep_ahead(place, amount, wanted=True)
            p.get(self.cached, amount)
            self._keep_ahead(place, amount)
            yield amount
            place.set(place + amount)

    def _keep_ahead(self, at: Register, size: int, wanted: bool = False) -> None:
        """Request windows until the wanted bytes, and unless `wanted` the next window, are there or on their way."""
        p, window = self.p, self.ahead_by
        enough = size if wanted else size + self._beyond(size)
        share = Fraction(0) if wanted else self._share(size)
        whole = self.start + self.size // window * window
        gap = p.register(self.fetched - at)
        with p.while_(gap < enough, share=share):
            with p.when(self.fetched < whole, share=1 if share else 0):
                self._window(window)
            if self.size % window:
                with p.when(self.fetched == whole):
                    self._window(self.size % window)
            gap.set(self.fetched - at)
            with p.when(self.fetched >= self.start + self.size):
                gap.set(enough)

    def _share(self, size: int) -> Fraction:
        """Least number of windows that a read() of `size` bytes asks for."""
        return Fraction(size, self.ahead_by)

    def _window(self, size: int) -> None:
        """Request the next `size` bytes in the reader's name, without waiting."""
        p = self.p
        self._index(self.fetched, size)
        self._enter(size)
        piece = max(self.sheet.cluster, self.unit) if self.sheet.ahead_of_arrived else None
        # The last bytes of a file begin as its others do, however few they are.
        grain = gcd(self.start, self.ahead_by, piece or 0)
        for amount in p.pieces(size, piece):
            with p.fork("read-ahead"):
                self.device.read(self.fetched, self._whole(amount), grain)
                self.kernel.wake()
                self._arrived(amount)
            self.fetched.set(self.fetched + amount)

    def _arrived(self, size: int) -> None:
        """The next `size` bytes are in the cache."""
        self.p.put(self.cached, size)

    def _fetch(self, at: Register, size: int, aligned: int) -> None:
        """Read the blocks of a request, at most a cluster at a time, and wait for them."""
        p = self.p
        cluster = max(self.sheet.cluster, self.unit)
        grain = gcd(aligned, cluster) if size > cluster else aligned
        place = p.register(at)
        if aligned % self.unit:
            place.set(place // self.unit * self.unit)
            grain = self.unit
        for amount in p.pieces(self._whole(size), cluster):
            self._index(place, amount)
            self._enter(amount)
            self.device.read(place, amount, grain)
            self.kernel.wake()
            place.set(place + amount)

    def _index(self, at: Register, size: int) -> None:
        """Read an index block first, where it begins to map the file."""
        p, span = self.p, self.sheet.index_span
        if span:
            with p.when(at % span < size):
                self.device.read(at, self._whole(self.sheet.block), self.unit)
                self.kernel.wake()

    @called("writes the file")
    def write(self, at: Register, size: int, aligned: int, stored: Arrived | None = None) -> None:
        """write() of `size` bytes into the cache; `stored` emits what happens when bytes have reached the device."""
        p = self.p
        self.kernel.system_call()
        self._look_up(size)
        for amount in p.pieces(size, self.sheet.dirty_limit):
            p.put(self.dirty, amount)
            self._enter(amount)
            self.host.copy(amount)
        if not self.sequential:
            self._flush(at, size, aligned, stored)
            return
        together = self.sheet.write_behind
        waiting = p.register(at - self.fetched + size)
        flushes, writes = self.size // together, -(-self.size // size)
        with p.while_(waiting >= together, share=Fraction(flushes, writes)):
            self._flush(self.fetched, together, self._grain(), stored)
            self.fetched.set(self.fetched + together)
            waiting.set(waiting - together)

    def flush_rest(self, stored: Arrived | None = None) -> None:
        """Write to the device the data that have not been written behind yet."""
        rest = self.size % self.sheet.write_behind
        if self.sequential and rest:
            self._flush(self.fetched, rest, self._grain(), stored)

    def _grain(self) -> int:
        """The grain of places of writes behind, in bytes."""
        return gcd(self.start, self.sheet.write_behind)

    def _flush(self, at: Register, size: int, aligned: int, stored: Arrived | None) -> None:
        """`size` bytes go from the cache to the device while the program continues."""
        p = self.p
        if stored:
            p.behind(self.dirty)
        else:
            p.ahead(self.dirty)
        with p.fork("write-behind"):
            self.device.write(at, self._whole(size), aligned)
            for amount in p.pieces(size, self.sheet.dirty_limit):
                p.get(self.dirty, amount)
            if stored:
                stored(size)


class MappedFile:
    """A file mapped into a program's memory window by window, which touches every page of it.

    Pages come in by faults: the first to a cluster has the cluster read and waits, the others find their page in the
    cache. The threads of a process share an address space. A fault holds its lock together with other faults, also
    while it waits for the device; mapping and unmapping hold it alone, so that they wait for all faults that are
    under way, and new ones wait for them (a fair lock of readers and writers, as in Linux 2.4: down_read in
    do_page_fault, down_write in mmap and munmap).
    """

    def __init__(self, mount: Mount, process: tuple[str, int]) -> None:
        """`process` is the name of the program and the number of its threads."""
        self.kernel, self.sheet, self.device = mount.kernel, mount.sheet, HeadedDevice(mount)
        self.p = self.kernel.p
        name, self.threads = process
        self.space = self.p.resource(f"{name}: address space", self.threads, lock=True)

    @called("reads the mapped file")
    def read(self, at: Register, size: int, aligned: int, window: int, cached: bool = False) -> None:
        """Map and touch `size` bytes, `window` bytes at a time. `cached`: all of the file is in the cache."""
        p, kernel = self.p, self.kernel
        cluster = kernel.sheet.fault_cluster
        place = p.register(at)
        for mapped in p.pieces(size, window):
            self._change_map()
            for amount in p.pieces(mapped, cluster):
                with self._locked(1):
                    kernel.host.work(kernel.sheet.page_fault)
                    if not cached:
                        self._bring(place, amount, gcd(aligned, window, cluster))
                with p.loop(kernel.pages(amount) - 1), self._locked(1):
                    kernel.host.work(kernel.sheet.page_fault)
                place.set(place + amount)
            self._change_map(removes=True)

    def _change_map(self, removes: bool = False) -> None:
        """mmap(), or munmap(), after which other CPUs that run threads of the process drop their translations."""
        self.kernel.system_call()
        with self._locked(self.threads):
            self.kernel.host.work(self.kernel.sheet.map_call)
            if removes and self.threads > 1:
                self.kernel.flush_others()

    @contextmanager
    def _locked(self, units: int) -> Iterator[None]:
        """Hold the lock with others (one unit) or alone; who had to wait for it has slept, and is switched to."""
        p = self.p
        if self.threads == 1:
            yield
            return
        with p.scope():
            begun = p.now()
            p.seize(self.space, units)
            with p.when(since(begun) > 0):
                self.kernel.wake()
            yield
            p.release(self.space, units)

    def _bring(self, at: Register, size: int, aligned: int) -> None:
        kernel = self.kernel
        kernel.bring_pages(size, self.sheet.page_cost)
        kernel.buffers(size, self.sheet.block)
        self.device.read(at, size, aligned)
        kernel.wake()
