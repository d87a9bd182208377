"""UDP (RFC 768): datagrams to a socket whose receive buffer drops what does not fit."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.ip import IpDatagrams
from simio.components.network.path import NetworkPath
from simio.components.network.stack import Stack
from simio.description.messages import ADDRESS
from simio.errors import RunError
from simio.machines.network import mailbox
from simio.program.builder import Handle, Operand, Register

UDP_HEADER = 8
"""Bytes of a UDP header (RFC 768)."""
MOST = 65535 - 20 - UDP_HEADER
"""Bytes of data of the largest datagram that IP's length of 16 bits allows (RFC 791, section 3.1)."""
PLACES = 1024
"""Datagrams that a socket keeps at most, however small."""


class UdpFlow:
    """Datagrams from one host's kernel to another's; `arrived` emits what is done with the data there.

    `ports` are those of the two ends, for packet traces.
    """

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        path: NetworkPath,
        arrived: Callable[[Register, Register], None],
        ports: tuple[int, int] = (0, 0),
    ) -> None:
        self.p = stacks[0].p
        self.source, self.target = stacks
        self.arrived = arrived
        self.path = path
        self.datagrams = IpDatagrams(name, *stacks, path, self._input, ports)

    def send(self, length: Operand, word: Operand, priority: int) -> None:
        """Send `length` bytes of data with a word; the kernel has them already."""
        p = self.p
        with p.scope():
            data = p.register(length)
            self._work(self.source, self.source.sheet.udp_send, data, priority)
            data.set(data + UDP_HEADER)
            self.datagrams.send(data, word, priority)

    def _work(self, stack: Stack, cost: int, data: Register, priority: int) -> None:
        """UDP's own work, with the checksum where no adapter computes it; none can over several fragments."""
        byte = stack.checksum_byte
        if not self.path.source.checksum or not byte:
            with self.p.label("protocols", stack.name, byte="checksums"):
                stack.host.work_on(cost, data, byte, priority)
            return
        p = self.p
        with p.scope():
            summed = p.register(0)
            with p.when(data > self.datagrams.whole - UDP_HEADER):
                summed.set(data)
            with p.label("protocols", stack.name, byte="checksums"):
                stack.host.work_on(cost, summed, byte, priority)

    def _input(self, whole: Register, word: Register) -> None:
        """A datagram is complete."""
        p = self.p
        with p.scope():
            data = p.register(whole - UDP_HEADER)
            self._work(self.target, self.target.sheet.udp_receive, data, INTERRUPT)
            self.arrived(data, word)


class UdpSocket:
    """A socket that datagrams wait in until a process reads them; those that find no room are dropped."""

    def __init__(self, stack: Stack, name: str, space: int) -> None:
        """`space` is the bytes that it keeps."""
        p = self.p = stack.p
        self.stack = stack
        self.name = name
        self.state = p.machine(name, mailbox.initial(space, PLACES))
        self.waiting = p.container(f"{name} datagrams", unit="datagrams")

    def arrive(self, length: Register, word: Register, queued: Callable[[], None] = lambda: None) -> None:
        """A datagram has come; wakes a reader and does what is `queued`, or drops it with a mark."""
        p = self.p
        with p.scope():
            fits = p.answer(mailbox.arrive, self.state, length + ADDRESS, word)
            with p.when(fits == 0):
                p.mark(p.observation(f"{self.name} dropped", "other", "bytes"), length)
            with p.when(fits == 1):
                p.put(self.waiting, 1)
                queued()

    def arrive_to_be_read(self, read: Handle, length: Register, word: Register) -> None:
        """A datagram has come; the run lasts until a reader, who may never end, has put it into `read`."""
        p = self.p

        def keep() -> None:
            with p.fork("unread datagram"):
                p.get(read, 1)

        self.arrive(length, word, keep)

    def receive(self, length: Register, word: Register) -> None:
        """Wait for a datagram and take it: `length` bytes and its word are set."""
        p = self.p
        self.stack.kernel.slept(lambda: p.get(self.waiting, 1))
        p.call(length, mailbox.length, self.state)
        length.set(length - ADDRESS)
        p.call(word, mailbox.take, self.state)


def check_size(workload: str, stack: Stack, size: int) -> None:
    """Raise RunError for a datagram that the stack does not send."""
    most = min(stack.sheet.datagram_send_space, MOST)
    if size > most:
        raise RunError(f"workload {workload!r}: {stack.name!r} sends datagrams of at most {most} bytes, not {size}")


__all__ = ["PROCESS", "UdpFlow", "UdpSocket", "check_size"]
