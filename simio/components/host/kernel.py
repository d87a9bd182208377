"""A Unix kernel: the verbs that applications call, each adding its own costs before it calls the driver."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Any, Protocol

from simio.components.host.host import INTERRUPT, Computer
from simio.components.storage.interfaces import BlockDevice, check_size
from simio.program.builder import Builder, Operand, OperandT, Register, since
from simio.program.labels import called, labelled


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

    def pages(self, size: OperandT) -> OperandT:
        """Pages that a page-aligned buffer of `size` bytes lies on."""
        page: int = self.sheet.page
        return (size + (page - 1)) // page

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

    @labelled("process switches", "host.name")
    def wake(self) -> None:
        """Switch to the process that the interrupt made ready."""
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
        check_size(device, size)
        self._unbuffered(device.read, at, size, aligned, direct)

    @called("writes to the device")
    def write_unbuffered(
        self, device: BlockDevice, at: Register, size: Operand, aligned: int, direct: bool = False
    ) -> None:
        """write() to a disk or volume past the cache, its raw device or (`direct`) with O_DIRECT.

        Raises RunError for a size in a register, if the device takes constants only.
        """
        check_size(device, size)
        self._unbuffered(device.write, at, size, aligned, direct)

    def _unbuffered(
        self,
        transfer: Callable[[Register, Any, int], None],
        at: Register,
        size: Operand,
        aligned: int,
        direct: bool,
    ) -> None:
        """The request in pieces that are each pinned, submitted under one or more buffer headers, and waited for.

        Linux 2.4 maps at most one kiobuf's worth of pages, submits it and waits (drivers/char/raw.c, fs/buffer.c).
        """
        p, sheet = self.p, self.sheet
        chunk, header = (sheet.direct_chunk, sheet.direct_buffer) if direct else (sheet.raw_chunk, sheet.raw_buffer)
        grain = gcd(aligned, chunk) if chunk and not (isinstance(size, int) and size <= chunk) else aligned
        place = p.register(at)
        self.system_call()
        for amount in p.pieces(size, chunk or None):
            self.pin(amount)
            self.buffers(amount, header)
            transfer(place, amount, grain)
            self.wake()
            self.unpin(amount)
            place.set(place + amount)

    @labelled("block layer", "host.name")
    def buffers(self, size: Operand, header: int | None) -> None:
        """The buffer headers of `size` bytes of input or output, each for `header` bytes; without, it is one."""
        if self.sheet.buffer_cost:
            headers = (size + (header - 1)) // header if header else 1
            self.host.work(headers * self.sheet.buffer_cost)
