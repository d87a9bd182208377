"""A host's protocol stack: what its layers cost the CPU, and how data get between programs and kernel buffers."""

from __future__ import annotations

from fractions import Fraction

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.host.kernel import UnixKernel
from simio.description.model import Part
from simio.description.sheets.stacks import TcpIpStack
from simio.program.builder import Register
from simio.program.labels import labelled
from simio.program.service import per_byte

IP_HEADER = 20
"""Bytes of an IP header without options (RFC 791, section 3.1)."""
TCP_HEADER = 20
"""Bytes of a TCP header without options (RFC 9293, section 3.1)."""
TIMESTAMPS = 12
"""Bytes of the timestamps option, padded to words (RFC 7323, appendix A)."""


class Stack:
    """The costs of sockets, TCP, UDP and IP on one host.

    What arrives is dealt with at interrupt priority, what a program calls at that of processes. A checksum is
    computed by the CPU unless the adapter does (`offloaded`).
    """

    def __init__(self, kernel: UnixKernel, part: Part[TcpIpStack]) -> None:
        self.kernel = kernel
        self.host = kernel.host
        self.p = kernel.p
        self.name = self.host.name
        self.sheet = part.sheet
        self.checksum_byte = per_byte(self.sheet.checksum) * self.host.scale if self.sheet.checksum else Fraction(0)

    @labelled("system calls", "name")
    def call(self) -> None:
        """A program enters the socket layer with a read, write or the like."""
        self.kernel.system_call()
        self.host.work(self.sheet.socket_call)

    def work(self, what: str, cost: int, priority: int = PROCESS) -> None:
        """CPU time of a layer, told as `what`."""
        with self.p.label(what, self.name):
            self.host.work(cost, priority)

    @labelled("protocols", "name", byte="checksums")
    def send(self, cost: int, data: Register, offloaded: bool, priority: int) -> None:
        """Work of a transport and of IP on `data` bytes to be sent; `cost` is the transport's own."""
        byte = Fraction(0) if offloaded else self.checksum_byte
        self.host.work_on(cost + self.sheet.ip_send, data, byte, priority)

    @labelled("protocols", "name", byte="checksums")
    def receive(self, cost: int, data: Register, offloaded: bool) -> None:
        """Work of IP and of a transport on `data` bytes that have arrived; `cost` is the transport's own."""
        byte = Fraction(0) if offloaded else self.checksum_byte
        self.host.work_on(cost + self.sheet.ip_receive, data, byte, INTERRUPT)

    @labelled("page flips", "name")
    def move(self, amount: Register, size: int, aligned: bool) -> None:
        """Data between a program's buffer of `size` bytes and the kernel's: whole pages flip, if they do; the rest is
        copied. Pages flip only between buffers that are `aligned` to pages."""
        p, page = self.p, self.kernel.sheet.page
        if not self.sheet.copies:
            return
        if not self.sheet.page_flip or not aligned:
            self.host.copy_amount(amount, size)
            return
        with p.scope():
            pages, rest = p.register(amount // page), p.register()
            with p.when(pages > 0):
                self.host.work_on(0, pages, Fraction(self.sheet.flip_cost) * self.host.scale, PROCESS)
            rest.set(amount % page)
            with p.when(rest > 0):
                self.host.copy_amount(rest, size)

    @labelled("socket buffers", "name")
    def walk(self, buffers: Register, priority: int) -> None:
        """The kernel follows a chain of so many buffers."""
        self.host.work_on(0, buffers, Fraction(self.sheet.walk_cost) * self.host.scale, priority)
