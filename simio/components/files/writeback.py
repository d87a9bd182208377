"""Files that are written into the page cache of today: dirty pages, limits, the writeback of them, and fsync()."""

from __future__ import annotations

from math import gcd

from simio.components.files.cached import FileInCache, Mount
from simio.components.files.journal import FileSystemJournal
from simio.machines import pages as machine
from simio.program.builder import Register, minimum
from simio.program.labels import called
from simio.program.roles import INTO_CACHE
from simio.program.service import ceil_div

COUNTED = machine.COUNTED


class WrittenFile(FileInCache):
    """A file whose pages become dirty, and are written back in ascending order when that is due.

    That is when more than `dirty_background` bytes of the host are dirty, when the file's oldest dirty page is older
    than `dirty_expire`, and in fsync(). A writer waits while the host has as many dirty bytes as it settles at
    between the limits: half way from where writers are slowed down, which is half way between background and limit,
    to the limit (Linux mm/page-writeback.c, dirty_freerun_ceiling and the setpoint of wb_position_ratio).
    """

    def __init__(self, mount: Mount, name: str, span: tuple[int, int], journal: FileSystemJournal) -> None:
        """`name` is the file's, `span` its first byte on the device and its size; before all threads that use it."""
        super().__init__(mount, span)
        p, sheet, host = self.p, self.sheet, self.host
        self.name, self.journal = name, journal
        self.page: int = self.kernel.sheet.page
        self.aligned = gcd(self.start, self.page)
        number = -(-self.size // self.page)
        p.room(name, number // machine.BITS)
        self.state = p.machine(f"{name} pages", machine.pages(number))
        background: int = sheet.dirty_background or 0
        settled = (3 * sheet.dirty_limit + background) // 4
        self.dirty = p.container(f"{host.name} dirty", max(settled, self.page))
        p.ahead(self.dirty)
        self.brought = p.container(INTO_CACHE.format(f"{host.name} dirty"), unit="bytes written")
        self.level = p.once(host, lambda: p.machine(f"{host.name} dirty memory", machine.level(background)))
        self.requests = p.resource(f"{self.device.name} writeback", sheet.writeback_requests, lock=True)
        self.landed = p.container(f"{name} landed", unit="calls")
        self.over = p.container(f"{name} over", unit="calls")
        self.expired = p.container(f"{name} expired", unit="calls")
        with p.thread(f"{name} writeback", daemon=True), p.forever():
            p.get(self.over, 1)
            self._write_back(in_background=True)
            with p.scope():
                p.answer(machine.finish, self.state)
        with p.thread(f"{name} old pages", daemon=True), p.forever():
            p.get(self.expired, 1)
            self._write_back(in_background=False)

    @called("writes the file")
    def write(self, at: Register, size: int) -> None:
        """write() of `size` bytes at the address `at` of the device."""
        p = self.p
        self.kernel.system_call()
        self._look_up(size)
        with p.scope():
            first = p.register(at - self.start)
            count = p.register((first % self.page + (size + self.page - 1)) // self.page)
            first.set(first // self.page)
            new = p.answer(machine.dirty, self.state, first, count)
            with p.when(new % 2 == 1):
                self._will_expire()
            new.set(new // 2)
            with p.when(new > 0):
                with p.label("file cache", self.host.name):
                    self.host.work(new * self.sheet.page_cost)
                new.set(new * self.page)
                p.put(self.dirty, new)
            self.host.copy(size)
            p.put(self.brought, size)
            above = p.answer(machine.change, self.level, new, 0)
            with p.when(above == 1), p.when(p.answer(machine.begin, self.state) == 1):
                p.put(self.over, 1)
        self.journal.changed(self.name)

    @called("waits in fsync()")
    def sync(self, data_only: bool = False) -> None:
        """fsync(), or fdatasync(): dirty pages are stored, and those on their way; then the journal's part."""
        p = self.p
        self._write_back(in_background=False)
        with p.scope():
            quiet = p.register()
            with p.until(quiet == 1):
                p.call(quiet, machine.quiet, self.state)
                with p.when(quiet == 0):
                    p.get(self.landed, 1)
                    self.kernel.wake()
        self.journal.sync(self.name, data_only)

    def _will_expire(self) -> None:
        """Have the file expire at the flusher's first look after `dirty_expire`."""
        p, sheet = self.p, self.sheet
        with p.fork("old pages", daemon=True):
            due = p.now()
            due.set((due + (sheet.dirty_expire + sheet.writeback_interval - 1)) // sheet.writeback_interval)
            p.wait_until(due * sheet.writeback_interval)
            p.put(self.expired, 1)

    def _write_back(self, in_background: bool) -> None:
        """Hand dirty pages to the device, in requests of at most `write_behind`, until none is left.

        In the background, only until fewer bytes than the limit for that are dirty.
        """
        p, device = self.p, self.device
        most = max(self.sheet.write_behind // self.page, 1)
        least = most if device.any_size else 1
        with p.scope():
            run = p.register()
            with p.until(run == 0):
                if in_background:
                    p.call(run, machine.change, self.level, 0, 0)
                    with p.when(run == 1):
                        p.call(run, machine.run, self.state, most, least)
                else:
                    p.call(run, machine.run, self.state, most, least)
                with p.when(run > 0):
                    with p.scope():
                        p.answer(machine.change, self.level, 0, p.register(run % COUNTED * self.page))
                    p.seize(self.requests)
                    with p.fork("writeback"):
                        self._store(run, most)

    def _store(self, run: Register, most: int) -> None:
        """One request of writeback, in a thread of its own."""
        p, page = self.p, self.page
        at, count = p.register(run // COUNTED), p.register(run % COUNTED)
        at.set(at * page + self.start)
        if self.device.any_size:
            size = p.register(minimum(count * page, self.start + self.size - at))
            size.set(ceil_div(size, self.device.sector) * self.device.sector)
            self.device.write(at, size, self.aligned)
        else:
            for pages in {1, most}:
                with p.when(count == pages):
                    self.device.write(at, pages * page, self.aligned)
        p.release(self.requests)
        woken = p.answer(machine.landed, self.state, count)
        p.put(self.landed, woken)
        p.get(self.dirty, count * page)
