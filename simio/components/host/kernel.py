"""A Unix kernel: the verbs that applications call, each adding its own costs before it calls the driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import gcd
from typing import Literal, Protocol

from simio.components.host.host import INTERRUPT, Computer
from simio.components.storage.interfaces import BlockDevice, check_size
from simio.program.builder import Builder, Operand, OperandT, Register, since
from simio.program.labels import called, labelled
from simio.program.service import ceil_div

CLUSTER = 32
"""Pages that are freed at a time (Linux 2.4 mm/vmscan.c, SWAP_CLUSTER_MAX)."""


class Device(Protocol):
    """A driver's entry points for raw input and output, called with the user's pages pinned."""

    def write(self, size: int) -> None:
        """Emit the steps that send `size` bytes and return when the device has taken them."""

    def read(self, size: int) -> None:
        """Emit the steps that fill a buffer of `size` bytes and return when it is full."""


class UnixKernel:
    """System calls, pages pinned for DMA, interrupts and wake-ups, at the datasheet's costs."""

    def __init__(self, p: Builder, host: Computer) -> None:
        self.p = p
        self.host = host
        self.sheet = host.description.kernel.sheet
        self._header: int | None = None
        self._bounced: Literal["read", "write"] | None = None

    def pages(self, size: OperandT) -> OperandT:
        """Pages that a page-aligned buffer of `size` bytes lies on."""
        return ceil_div(size, self.sheet.page)

    @labelled("system calls", "host.name")
    def system_call(self) -> None:
        """Enter the kernel and, in the end, leave it."""
        self.host.work(self.sheet.system_call)

    @labelled("page pinning", "host.name")
    def pin(self, size: Operand) -> None:
        """Pin a buffer's pages before DMA; half of the datasheet's cost of pinning and unpinning them."""
        if self.sheet.page_pin:
            self.host.work(self.pages(size) * self.sheet.page_pin // 2)

    @labelled("page pinning", "host.name")
    def unpin(self, size: Operand) -> None:
        """Unpin a buffer's pages after DMA; the other half."""
        if self.sheet.page_pin:
            self.host.work((self.pages(size) * self.sheet.page_pin + 1) // 2)

    @labelled("interrupts", "host.name")
    def interrupt(self) -> None:
        """Service of one interrupt, ahead of other work for the CPU."""
        self.host.work(self.sheet.interrupt, INTERRUPT)

    def flush_others(self) -> None:
        """Interrupt the other CPUs, and keep this one until they have dropped translations of addresses.

        One at a time does so (Linux 2.4 arch/i386/kernel/smp.c, flush_tlb_others, which spins under tlbstate_lock).
        """
        p, others = self.p, self.host.description.cpus - 1
        if not others:
            return
        with p.hold(p.resource(f"{self.host.name} flush", lock=True)), p.hold(self.host.cpu):
            with p.loop(others), p.fork("flush", joined=True):
                self.interrupt()
            p.join()

    @labelled("process switches", "host.name")
    def wake(self) -> None:
        """Switch to the process that the interrupt has woken."""
        self.host.work(self.sheet.context_switch)

    def slept(self, wait: Callable[[], None]) -> None:
        """Emit waiting, and a switch back to the process if it did not return at once."""
        with self.p.scope():
            begun = self.p.now()
            wait()
            with self.p.when(since(begun) > 0):
                self.wake()

    @called("writes to the device")
    def write_raw(self, device: Device, size: int) -> None:
        """write() to a raw device: the user's pages are pinned and the device takes them by DMA."""
        self.system_call()
        self.pin(size)
        device.write(size)
        self.wake()
        self.unpin(size)

    @called("reads from the device")
    def read_raw(self, device: Device, size: int) -> None:
        """read() from a raw character device: the user's pages are pinned and the device fills them by DMA."""
        self.system_call()
        self.pin(size)
        device.read(size)
        self.wake()
        self.unpin(size)

    @called("reads from the device")
    def read_unbuffered(
        self, device: BlockDevice, at: Register, size: Operand, aligned: int, direct: bool = False
    ) -> None:
        """read() from a disk or volume past the cache, its raw device or (`direct`) with O_DIRECT.

        Raises RunError for a size in a register, if the device takes constants only.
        """
        self._unbuffered(device, True, at, size, aligned, direct)

    @called("writes to the device")
    def write_unbuffered(
        self, device: BlockDevice, at: Register, size: Operand, aligned: int, direct: bool = False
    ) -> None:
        """write() to a disk or volume past the cache, its raw device or (`direct`) with O_DIRECT.

        Raises RunError for a size in a register, if the device takes constants only.
        """
        self._unbuffered(device, False, at, size, aligned, direct)

    def _unbuffered(
        self,
        device: BlockDevice,
        reads: bool,
        at: Register,
        size: Operand,
        aligned: int,
        direct: bool,
    ) -> None:
        """The request in pieces that are each pinned, submitted under one or more buffer headers, and waited for.

        Linux 2.4 maps at most one kiobuf's worth of pages, submits it and waits (drivers/char/raw.c, fs/buffer.c). A
        bounce buffer has a header of its own, and what is written is copied before (mm/highmem.c, create_bounce).
        """
        check_size(device, size)
        p, sheet = self.p, self.sheet
        transfer = device.read if reads else device.write
        chunk, header = (sheet.direct_chunk, sheet.direct_buffer) if direct else (sheet.raw_chunk, sheet.raw_buffer)
        grain = gcd(aligned, chunk) if chunk and not (isinstance(size, int) and size <= chunk) else aligned
        place = p.register(at)
        self.system_call()
        for amount in p.pieces(size, chunk or None):
            self.pin(amount)
            with self.ending(header, ("read" if reads else "write") if sheet.bounce else None):
                self.buffers(amount, header)
                if sheet.bounce:
                    self.buffers(amount, header)
                    if not reads:
                        self.host.bounce(amount)
                transfer(place, amount, grain)
            self.wake()
            self.unpin(amount)
            place.set(place + amount)

    @labelled("block layer", "host.name")
    def buffers(self, size: Operand, header: int | None) -> None:
        """The buffer headers of `size` bytes of input or output, each for `header` bytes; without, it is one."""
        if self.sheet.buffer_cost:
            self.host.work(self._headers(size, header) * self.sheet.buffer_cost)

    @contextmanager
    def ending(self, header: int | None, bounced: Literal["read", "write"] | None = None) -> Iterator[None]:
        """Requests inside end under buffer headers of `header` bytes each, and `bounced` buffers if any."""
        before = self._header, self._bounced
        self._header, self._bounced = header, bounced
        yield
        self._header, self._bounced = before

    def largest_request(self) -> int | None:
        """Bytes of the largest request that the block layer hands to a driver; None: any.

        `max_request` is for whole pages of scattered memory. A bounce buffer takes a page for each buffer header,
        however small (Linux 2.4 mm/highmem.c, create_bounce), so that as many pages hold less.
        """
        limit: int | None = self.sheet.max_request
        if limit and self._bounced and self._header:
            return max(limit * self._header // self.sheet.page, self._header)
        return limit or None

    @labelled("block layer", "host.name")
    def end_request(self, size: Operand) -> None:
        """A request ends, on the CPU that takes its interrupt: bounced data are copied, its headers ended.

        Linux 2.4 copies what was read when its buffer header ends (mm/highmem.c, bounce_end_io_read), and ends both
        the bounce buffer's header and the other.
        """
        if self._bounced == "read":
            self.host.bounce(size, INTERRUPT)
        if self.sheet.buffer_end:
            each = self.sheet.buffer_end * (2 if self._bounced else 1)
            self.host.work(self._headers(size, self._header) * each, INTERRUPT)

    @labelled("file cache", "host.name")
    def bring_pages(self, size: int, cost: int) -> None:
        """Bring the pages of `size` bytes into the cache, each at the `cost` of a file system's.

        With a page daemon, free pages are taken for them, CLUSTER at a time, and it frees as many others. One daemon
        a host frees pages one after the other, on whichever CPU it gets, and who finds no page free waits (Linux 2.4
        mm/vmscan.c, kswapd and try_to_free_pages).
        """
        p, sheet = self.p, self.sheet
        for amount in p.pieces(size, CLUSTER * sheet.page if sheet.reclaim_cost else None):
            pages = self.pages(amount)
            if sheet.reclaim_cost:
                self._take_pages(pages)
            with p.loop(pages):
                self.host.work(cost)

    def _take_pages(self, pages: int) -> None:
        p, name = self.p, self.host.name
        most = self.pages(self.sheet.free_memory)
        free = p.container(f"{name} free pages", most, most, "pages")
        p.get(free, pages)
        with p.fork("page daemon", daemon=True), p.label("page daemon", name):
            with p.hold(p.resource(f"{name} page daemon", lock=True)), p.loop(pages):
                self.host.work(self.sheet.reclaim_cost)
            p.put(free, pages)

    def _headers(self, size: OperandT, header: int | None) -> OperandT | int:
        """Buffer headers of `size` bytes, each for `header` bytes; without, it is one."""
        return ceil_div(size, header) if header else 1
