"""UDP (RFC 768): datagrams to a socket whose receive buffer drops what does not fit."""

from __future__ import annotations

from collections.abc import Callable

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.ip import IpDatagrams
from simio.components.network.path import NetworkPath
from simio.components.network.stack import UDP_HEADER, Stack
from simio.description.messages import ADDRESS
from simio.errors import RunError
from simio.machines.network import mailbox
from simio.program.builder import Handle, Operand, Register

MOST = 65535 - 20 - UDP_HEADER
"""Bytes of data of the largest datagram that IP's length of 16 bits allows (RFC 791, section 3.1)."""
PLACES = mailbox.MOST
"""Datagrams that a socket keeps at most, however small."""


class UdpFlow:
    """Datagrams from one host's kernel to another's; `arrived` emits the work on the data there.

    `ports` are those of the two ends, for packet traces. With `space`, that many bytes may wait to leave the source,
    or one datagram, and who sends more waits.
    """

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        path: NetworkPath,
        arrived: Callable[[Register, Register], None],
        ports: tuple[int, int] = (0, 0),
        space: int | None = None,
    ) -> None:
        p = self.p = stacks[0].p
        self.source, self.target = stacks
        self.arrived = arrived
        self.space = most = max(space, MOST + UDP_HEADER) if space else 0
        self.room = p.container(f"{name} send buffer", most, most, "bytes") if most else None
        self.datagrams = IpDatagrams(name, *stacks, path, self._input, ports, self.room)
        self.path = self.datagrams.path

    def send(self, length: Operand, word: Operand, priority: int) -> None:
        """Send `length` bytes of data with a word; the kernel has them already."""
        p, room = self.p, self.room
        with p.scope():
            data = p.register(length)
            self._work(self.source, self.source.sheet.udp_send, data, priority)
            data.set(data + UDP_HEADER)
            if room is not None:
                self.source.wait_for_room(room, data, self.space)
            self.datagrams.send(data, word, priority)

    def send_many(self, count: Operand, length: int, word: Operand) -> None:
        """Send `count` datagrams of `length` bytes, which UDP has as one buffer (UDP_SEGMENT), with one word."""
        p = self.p
        with p.scope():
            total = p.register(count * length)
            self._work(self.source, self.source.sheet.udp_send, total, PROCESS)
            if self.room is not None:
                self.source.wait_for_room(self.room, p.register(total + count * UDP_HEADER), self.space)
            self.source.segment(self.path.source, count, total)
            with p.loop(count):
                self.datagrams.send_whole(length + UDP_HEADER, word)

    def _work(self, stack: Stack, cost: int, data: Register, priority: int) -> None:
        """UDP's own work, with the checksum where no adapter computes it; none can over several fragments."""
        stack.udp(cost, data, self.datagrams.whole - UDP_HEADER, self.path.source.checksum, priority)

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
        """A datagram has come: wake a reader and run `queued`, or drop it with a mark."""
        p = self.p
        with p.scope():
            fits = p.answer(mailbox.arrive, self.state, length + ADDRESS, word)
            with p.when(fits == 0):
                p.mark(p.observation(f"{self.name} dropped", "other", "bytes"), length)
            with p.when(fits == 1):
                self._came(length)
                queued()

    def _came(self, length: Register) -> None:
        """A datagram waits, and may be read."""
        self.p.put(self.waiting, 1)

    def arrive_to_be_read(self, read: Handle, length: Register, word: Register) -> None:
        """A datagram has come; the run lasts until a reader, who may never end, has put it into `read`."""
        p = self.p

        def keep() -> None:
            with p.fork("unread datagram"):
                p.get(read, 1)

        self.arrive(length, word, keep)

    def receive(self, length: Register, word: Register) -> None:
        """Wait for a datagram and take it: `length` bytes and its word are set."""
        self.stack.kernel.slept(lambda: self.p.get(self.waiting, 1))
        self._take(length, word)

    def _take(self, length: Register, word: Register) -> None:
        """The oldest datagram leaves the socket."""
        p = self.p
        p.call(length, mailbox.length, self.state)
        length.set(length - ADDRESS)
        p.call(word, mailbox.take, self.state)

    def read(self, size: int, body: Callable[[Register, Register], None]) -> None:
        """recvmsg() into a buffer of `size` bytes; `body` follows for each datagram that it gives, and its word."""
        p = self.p
        with p.scope():
            length, word = p.register(), p.register()
            self.stack.call()
            self.receive(length, word)
            self.stack.move(length, size, False)
            body(length, word)


def check_size(workload: str, stack: Stack, size: int) -> None:
    """Raise RunError for a datagram that the stack does not send."""
    most = min(stack.sheet.datagram_send_space, MOST)
    if size > most:
        raise RunError(f"workload {workload!r}: {stack.name!r} sends datagrams of at most {most} bytes, not {size}")


__all__ = ["PROCESS", "UdpFlow", "UdpSocket", "check_size"]
