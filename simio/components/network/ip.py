"""IP datagrams that may be larger than a packet: cut into fragments, and put together again (RFC 791).

Each fragment but the last carries as many bytes as fit the path's MTU in multiples of 8. The receiver keeps
incomplete datagrams for 30 s, the time of the BSD stacks (RFC 1122, section 3.3.2, asks for 60 to 120 s). A datagram
of which one fragment is lost is lost as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.network.stack import IP_HEADER, Stack
from simio.machines.network import reassembly
from simio.program.builder import Handle, Operand, Register, minimum

LIFETIME = 30 * 10**12
"""Time for which fragments of an incomplete datagram are kept, in ps (4.3BSD-Reno, netinet/ip.h: IPFRAGTTL)."""
PLACES = 64
"""Datagrams put together at a time; stacks limit the memory of fragments, and give up old ones for new ones."""
_WORDS = 4
"""Argument registers of a packet: length, number of the datagram, fragment, and the transport's word."""
_FIELDS = {"number": 1, "fragment": 2}
"""Words of a packet by what they hold, for packet traces."""

Arrived = Callable[[Register, Register], None]
"""Emits the transport's work, at interrupt priority, on a datagram of this many bytes and its word."""


class IpDatagrams:
    """IP datagrams of one transport from one host to another."""

    def __init__(
        self,
        name: str,
        source: Stack,
        target: Stack,
        path: NetworkPath,
        arrived: Arrived,
        ports: tuple[int, int] = (0, 0),
        room: Handle | None = None,
    ) -> None:
        """`ports` are those of the source and the target, for packet traces.

        The bytes of a packet, less its IP header, come back into `room` when it has left the source or is dropped.
        """
        p = self.p = source.p
        self.name = name
        self.source, self.target = source, target
        self.path, self.cut = path.of(ports), path.of(None)
        """The way of a whole datagram, and that of fragments, which have no ports."""
        self.by_ports = path.by_ports
        self.arrived = arrived
        self.room = room
        self.flow = path.flow("udp", ports, _FIELDS)
        self.payload = (path.mtu - IP_HEADER) // 8 * 8
        """Bytes of a datagram that a fragment carries, unless it is the last."""
        self.whole = path.mtu - IP_HEADER
        """Bytes of the largest datagram that needs no fragments."""
        self.numbers = p.variable(f"{name} numbers")
        self.table = p.machine(f"{name} reassembly", reassembly.initial(PLACES, LIFETIME))
        p.tally(name, "given up", self.table + reassembly.GIVEN_UP, "datagrams")
        self.packet = p.procedure(f"{name} packet", _WORDS, self._packet)

    def send(self, length: Operand, word: Operand, priority: int) -> None:
        """Send a datagram of `length` bytes beside the IP header, a fragment after the other."""
        p = self.p
        with p.scope():
            left, count, index = p.register(length), p.register(), p.register(0)
            fragment, piece, carried = p.register(), p.register(), p.register(word)
            self._cut(count, left)
            number = self.numbers.increment()
            with p.until(left <= 0):
                piece.set(minimum(left, self.payload))
                with p.when(count == 1):
                    piece.set(left)
                left.set(left - piece)
                fragment.set((length * 2**8 + count) * 2**8 + index)
                index.set(index + 1)
                self.source.packet_out(self.path.source, priority)
                p.spawn(self.packet, piece + IP_HEADER, number, fragment, carried)

    def send_whole(self, length: int, word: Operand) -> None:
        """Send a datagram that needs no fragments, on which no work is to be done."""
        p = self.p
        with p.scope():
            number, fragment, carried = self.numbers.increment(), p.register(length), p.register(word)
            fragment.set((fragment * 2**8 + 1) * 2**8)
            p.spawn(self.packet, length + IP_HEADER, number, fragment, carried)

    def _cut(self, count: Register, length: Register) -> None:
        """Emit `count` = fragments of a datagram of `length` bytes."""
        p = self.p
        count.set((length + (self.payload - 1)) // self.payload)
        with p.when(length <= self.whole):
            count.set(1)

    def fragments(self, length: int) -> list[int]:
        """The packets of a datagram of `length` bytes beside the IP header, each with its header, in bytes."""
        if length <= self.whole:
            return [length + IP_HEADER]
        rest = length % self.payload
        return [self.payload + IP_HEADER] * (length // self.payload) + ([rest + IP_HEADER] if rest else [])

    def _packet(self, length: Register, number: Register, fragment: Register, word: Register) -> None:
        """The thread that is a packet on its way."""
        packet = Packet(length, (number, fragment, word), self.flow, queue=self.target.queue)
        if not self.by_ports:
            self._sent(self.path, packet)
            return
        p = self.p
        with p.scope():
            several = p.register(fragment // 2**8 % 2**8)
            with p.when(several == 1):
                self._sent(self.path, packet)
            with p.when(several > 1):
                self._sent(self.cut, packet)

    def _sent(self, path: NetworkPath, packet: Packet) -> None:
        room = self.room
        gone = None if room is None else lambda: self.p.put(room, packet.length - IP_HEADER)
        path.send(packet, lambda: self._input(packet), driven=True, gone=gone)

    def _input(self, packet: Packet) -> None:
        """A packet has come, and the adapter's handler passes it on."""
        self.target.passes_on(self.name, packet, self._reassemble)

    def _reassemble(self, packet: Packet) -> None:
        p = self.p
        number, fragment, word = packet.words
        self.target.packet_in()
        with p.scope():
            whole = p.answer(reassembly.reassemble, self.table, number, fragment)
            with p.when(whole > 0):
                self.arrived(whole, word)
