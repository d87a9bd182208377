"""Files of a server, which several of its threads read and write through a cache.

`CachedFile` (`simio.components.files.cached`) is a file that one thread reads in order. Here
whichever thread of the server is free takes a client's next block, so that the threads share the state of the reader
(`simio.machines.served`). A thread whose data are not there sleeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd

from simio import units
from simio.components.faults.incarnations import of_incarnation
from simio.components.files.cached import FileInCache, Mount
from simio.errors import RunError
from simio.machines import served as machines
from simio.program.builder import Builder, Handle, Register, minimum


class Gate:
    """Threads that sleep until enough bytes are there."""

    def __init__(self, p: Builder, name: str) -> None:
        self.p = p
        self.state = p.machine(name, machines.progress())
        self.gate = p.container(f"{name} gate", unit="requests")

    def wait(self, target: Register | int, wake: Callable[[], None]) -> None:
        """Wait until there are `target` bytes; waking a sleeper costs `wake`."""
        p = self.p
        with p.scope():
            there, slept = p.register(), p.register(0)
            with p.until(there == 1):
                p.call(there, machines.reach, self.state, target)
                with p.when(there == 0):
                    p.get(self.gate, 1)
                    slept.set(1)
            with p.when(slept == 1):
                wake()

    def advance(self, amount: Register | int) -> None:
        """More bytes are there: wake all sleepers, to look again."""
        p = self.p
        with p.scope():
            woken = p.answer(machines.advance, self.state, amount)
            p.put(self.gate, woken)


class ServedFile(FileInCache):
    """A file of which a server's threads read or write blocks of `transfer` bytes, mostly in order.

    Reading keeps the cache a window ahead of the furthest block that was asked for, as that of one reader does; a
    block that is in the cache costs no more than finding it, however often it is asked for. A file system without
    read-ahead reads each block when it is asked for. What is written and need not be stable goes to the device when
    `write_behind` bytes that lie together have come.
    """

    def __init__(self, mount: Mount, name: str, span: tuple[int, int], transfer: int, incarnation: int = 0) -> None:
        """`span` is the file's first byte on the device and its size.

        With an `incarnation` above 0, the cache is that of a later incarnation of the host, which is empty when a
        client goes on somewhere in the file: reading begins where it first asks, and what it does not write again is
        not waited for. Raises RunError if `transfer` is not a multiple of the device's sectors.
        """
        super().__init__(mount, span)
        p, device = self.p, self.device
        self.name, self.transfer = name, transfer
        if transfer % device.sector:
            found, sector = (units.format_quantity(n, "size") for n in (transfer, device.sector))
            raise RunError(f"{name!r} transfers {found}; {device.name!r} takes whole sectors of {sector}")
        self.window = self.sheet.read_ahead
        self.blocks = -(-self.size // transfer)
        self.together = -(-self.sheet.write_behind // transfer)
        self.windows = p.machine(f"{name} windows", machines.windows(self.size, max(self.window, 1)))
        self.cached = Gate(p, f"{name} cached")
        self.written = p.machine(f"{name} written", machines.blocks(self.blocks, self.together))
        self.stored = Gate(p, f"{name} stored")
        self.dirty: Handle = p.container(of_incarnation(f"{device.name} dirty", incarnation), self.sheet.dirty_limit)
        self.incarnation = incarnation
        self.crashes = len(self.host.description.crashes)

    def read(self, block: Register, wake: Callable[[], None] | None = None) -> None:
        """Have a block in the cache; `wake` emits the cost of waking the thread, if not that of this kernel."""
        p = self.p
        self._look_up(self.transfer)
        if not self.window:
            for size, at in self._place(block):
                self._enter(size)
                self.device.read(at, self._whole(size), self._aligned(self.transfer))
                (wake or self.kernel.wake)()
            return
        with p.scope():
            end = p.register(block * self.transfer + self.transfer)
            limit, claimed = p.register(end + self._beyond(self.transfer)), p.register()
            end.set(minimum(end, self.size))
            if self.incarnation:
                self._begin_at(block)
            with p.until(claimed == 0):
                p.call(claimed, machines.claim, self.windows, limit)
                with p.when(claimed > 0):
                    claimed.set(claimed - 1)
                    self._fetch_window(claimed)
                    claimed.set(1)
            self.cached.wait(end, wake or self.kernel.wake)

    def _begin_at(self, block: Register) -> None:
        """Windows before that of the first block that is asked for are not read; they count as read."""
        p = self.p
        with p.scope():
            passed = p.answer(machines.begin, self.windows, block * self.transfer)
            with p.when(passed > 0):
                self.cached.advance(passed)

    def _fetch_window(self, offset: Register) -> None:
        """Request the window at `offset`, without waiting."""
        p, rest = self.p, self.size % self.window
        whole = self.size - rest
        if whole:
            with p.when(offset < whole):
                self._ask_for(offset, self.window)
        if rest:
            with p.when(offset == whole):
                self._ask_for(offset, rest)

    def _ask_for(self, offset: Register, size: int) -> None:
        p = self.p
        self._enter(size)
        with p.fork("read-ahead"):
            at, number = p.register(offset + self.start), p.register()
            self.device.read(at, self._whole(size), self._aligned(self.window))
            p.call(number, machines.came, self.windows, offset // self.window)
            self.cached.advance(number)

    def write_through(self, block: Register, wake: Callable[[], None] | None = None) -> None:
        """Have a block on the device before going on, or in its write cache if it has one."""
        for size, at in self._place(block):
            self._enter(size)
            self.device.write(at, self._whole(size), self._aligned(self.transfer))
            (wake or self.kernel.wake)()

    def write(self, block: Register, copy: Callable[[], None]) -> None:
        """Put a block into the cache, `copy` being emitted when there is room; its group goes to the device when all
        of it has been written. A block that was written before changes nothing."""
        p = self.p
        self._look_up(self.transfer)
        p.put(self.dirty, self.transfer)
        self._enter(self.transfer)
        copy()
        with p.scope():
            news = p.answer(machines.gather, self.written, block)
            with p.when(news == 0):
                p.get(self.dirty, self.transfer)
            with p.when(news == 2):
                self._flush(block)

    def _flush(self, block: Register) -> None:
        """The group of a block goes to the device, while the thread continues."""
        p = self.p
        group = self.together * self.transfer
        number = -(-self.size // group)
        with p.fork("write-behind"):
            at = p.register(block // self.together)
            for last in (False, True) if number > 1 else (True,):
                size = self.size - (number - 1) * group if last else group
                with p.when(at == number - 1 if last else at < number - 1):
                    at.set(at * group + self.start)
                    self.device.write(at, self._whole(size), self._aligned(group))
                    for amount in p.pieces(-(-size // self.transfer), 1):
                        p.get(self.dirty, amount * self.transfer)
                    self.stored.advance(size)
                    # Past the other case.
                    at.set(number)

    def commit(self) -> None:
        """Wait until all of the file is on the device.

        An incarnation of the host that has not been given all of it does not wait: the verifier says to whoever asks
        that what others were given is to be written again.
        """
        p = self.p
        if not self.crashes:
            self.stored.wait(self.size, self.kernel.wake)
            return
        with p.scope():
            whole = p.answer(machines.whole, self.written)
            with p.when(whole == 1):
                self.stored.wait(self.size, self.kernel.wake)

    def _place(self, block: Register) -> Iterator[tuple[int, Register]]:
        """Run a for loop's body for a whole block, and for the last one of a file that ends within it; gives the
        size and the register of its place on the device."""
        p, rest = self.p, self.size % self.transfer
        whole = self.size // self.transfer
        with p.scope():
            at = p.register(block * self.transfer + self.start)
            if not (whole and rest):
                yield (self.transfer if whole else rest), at
                return
            with p.when(block < whole):
                yield self.transfer, at
            with p.when(block == whole):
                yield rest, at

    def _aligned(self, step: int) -> int:
        return gcd(self.start, step)
