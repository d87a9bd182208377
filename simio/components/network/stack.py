"""A host's protocol stack: what its layers cost the CPU, and how data get between programs and kernel buffers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.interface import Interface
from simio.components.network.packet import Packet
from simio.description.model import Part
from simio.description.sheets.stacks import TcpIpStack
from simio.errors import RunError
from simio.program.builder import Handle, Operand, Register
from simio.program.labels import labelled
from simio.program.service import per_byte

if TYPE_CHECKING:
    from simio.components.network.udp import UdpSocket

IP_HEADER = 20
"""Bytes of an IP header without options (RFC 791, section 3.1)."""
UDP_HEADER = 8
"""Bytes of a UDP header (RFC 768)."""
TCP_HEADER = 20
"""Bytes of a TCP header without options (RFC 9293, section 3.1)."""
TIMESTAMPS = 12
"""Bytes of the timestamps option, padded to words (RFC 7323, appendix A)."""


class Stack:
    """The costs of sockets, TCP, UDP and IP on one host.

    What arrives is dealt with at interrupt priority, what a program calls at that of processes. A checksum is
    computed by the CPU unless the adapter does (`offloaded`).
    """

    queue = 0
    """The core whose queue has the packets that come, where an adapter has several."""
    segments = False
    """True if a program may hand down several datagrams as one buffer."""

    def __init__(self, kernel: UnixKernel, part: Part[TcpIpStack]) -> None:
        self.kernel = kernel
        self.host = kernel.host
        self.p = kernel.p
        self.name = self.host.name
        self.part, self.sheet = part, part.sheet
        self.threads = part.sheet.input == "thread"
        """True if what arrives is dealt with by threads, not by the adapter's handler."""
        self.checksum_byte = per_byte(self.sheet.checksum) * self.host.scale if self.sheet.checksum else Fraction(0)

    @labelled("system calls", "name")
    def call(self) -> None:
        """A program enters the socket layer with a read, write or the like."""
        self.kernel.system_call()
        self.host.work(self.sheet.socket_call)

    def work(self, what: str, cost: int, priority: int = PROCESS) -> None:
        """CPU time of a layer, reported as `what`."""
        with self.p.label(what, self.name):
            self.host.work(cost, priority)

    def program(self, cost: Operand) -> None:
        """A program's own work."""
        with self.p.label("the program", self.name):
            self.host.work(cost)

    def packet_out(self, interface: Interface, priority: int) -> None:
        """Work of IP and of the driver on a packet that is sent, which UDP or a program has made."""
        self.work("protocols", self.sheet.ip_send, priority)
        interface.drive(priority)

    def passes_on(self, name: str, packet: Packet, takes: Callable[[Packet], None]) -> None:
        """The adapter's handler passes a packet of the flow `name` on: to IP (`takes`), or to a thread for that."""
        if self.threads:
            with self.p.fork(f"{name} input"):
                takes(packet)
        else:
            takes(packet)

    def packet_in(self) -> None:
        """Work of IP on a packet that has come."""
        self.work("protocols", self.sheet.ip_receive, INTERRUPT)

    @labelled("protocols", "name", byte="checksums")
    def udp(self, cost: int, data: Register, whole: int, offloaded: bool, priority: int) -> None:
        """UDP's own work on a datagram of `data` bytes; no adapter sums what goes in fragments, beyond `whole`."""
        byte = self.checksum_byte
        if not offloaded or not byte:
            self.host.work_on(cost, data, byte, priority)
            return
        p = self.p
        with p.scope():
            summed = p.register(0)
            with p.when(data > whole):
                summed.set(data)
            self.host.work_on(cost, summed, byte, priority)

    def segment(self, interface: Interface, count: Operand, total: Register) -> None:
        """Work below UDP on `count` datagrams that go as one buffer of `total` bytes.

        Raises RunError: only stacks on cores have it.
        """
        raise RunError(
            f"{self.name!r} sends datagrams one by one: several at once need an adapter with queues "
            "(kind 'multiqueue-ethernet')",
            ".batch",
        )

    @property
    def datagram_buffer(self) -> int | None:
        """Bytes of a program's datagrams that may wait to leave the host; None: any number."""
        return self.sheet.datagram_buffer

    def wait_for_room(self, room: Handle, data: Register, space: int) -> None:
        """Emit a program's wait for `data` bytes of the send buffer of its socket, which has `space` in all."""
        self.kernel.slept(lambda: self.p.get(room, data))

    def socket(self, name: str, space: int) -> UdpSocket:
        """A UDP socket that keeps `space` bytes."""
        from simio.components.network.udp import UdpSocket

        return UdpSocket(self, name, space)

    @labelled("protocols", "name", byte="checksums")
    def send(self, cost: int, data: Register, offloaded: bool, priority: int) -> None:
        """Work of a transport and of IP on `data` bytes to be sent; `cost` is the transport's own."""
        byte = Fraction(0) if offloaded else self.checksum_byte
        self.host.work_on(cost + self.sheet.ip_send, data, byte, priority)

    @labelled("protocols", "name", byte="checksums")
    def receive(self, cost: int, data: Operand, offloaded: bool) -> None:
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
                self.host.work_on(0, pages, self.sheet.flip_cost * self.host.scale, PROCESS)
            rest.set(amount % page)
            with p.when(rest > 0):
                self.host.copy_amount(rest, size)

    @labelled("socket buffers", "name")
    def walk(self, buffers: Register, priority: int) -> None:
        """The kernel follows a chain of this many buffers."""
        self.host.work_on(0, buffers, self.sheet.walk_cost * self.host.scale, priority)
