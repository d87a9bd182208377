"""Remote procedure calls over TCP (RFC 5531).

A call is a thread. It writes its message into a connection, waits until the other end has read it, does the server's
work there, and comes back with the reply. Messages of a connection are read in the order in which they were written,
so that waiting threads at its end are woken in turn, and no message needs an identifier here.

At either end one thread reads a connection: the worker of Linux's client (net/sunrpc/xprtsock.c,
xs_stream_data_receive_workfn), and whichever thread of the server has taken the connection (net/sunrpc/svc_xprt.c,
XPT_BUSY). That thread copies what has come, so that one connection keeps one CPU at each end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from simio.components.network.agreement import Dialogue
from simio.components.network.demand import shared_times
from simio.components.network.rpc_transport import RpcService, RpcTransport, padded
from simio.components.network.sockets import Sockets
from simio.components.network.tcp import Endpoint
from simio.machines.network import mailbox
from simio.program.builder import Builder, Handle, Operand, Register

MARK = 4
"""Bytes of the record mark before each message (RFC 5531, section 11)."""


class Messages:
    """The messages of one direction of a connection."""

    def __init__(self, name: str, sender: Endpoint, receiver: Endpoint, places: int) -> None:
        p: Builder = sender.p
        self.p, self.name, self.sender, self.receiver = p, name, sender, receiver
        self.turn = p.resource(f"{name} turn", lock=True)
        self.lengths = p.machine(f"{name} lengths", mailbox.initial(2**62, places))
        self.came = p.container(f"{name} messages", unit="messages")

    def send(self, length: Operand, moved: bool, gone: Callable[[], None] = lambda: None) -> None:
        """Write a message of `length` bytes and wait until the other end has read it.

        `gone` is what is done once it is in the socket. Without `moved`, its pages are passed on and not copied. No
        time passes between the end of a turn and the place in the line of those that wait: both have one order.
        """
        p = self.p
        p.seize(self.turn)
        with p.scope():
            p.answer(mailbox.arrive, self.lengths, length, 0)
            size = p.register(length)
            size.set(size + MARK)
            self.sender.write(size, moved)
        gone()
        p.release(self.turn)
        p.get(self.came, 1)

    def receive(self, take: Callable[[], None] = lambda: None) -> None:
        """Read the next message; `take` is called when it begins to arrive."""
        p = self.p
        with p.scope():
            left = p.register(MARK)
            self._read(left)
            p.call(left, mailbox.length, self.lengths)
            p.answer(mailbox.take, self.lengths)
            take()
            self._read(left)
        p.put(self.came, 1)

    def _read(self, left: Register) -> None:
        """Read `left` bytes, none of those after them."""
        p = self.p
        with p.scope():
            got = p.register()
            with p.until(left == 0):
                self.receiver.read(got, left)
                left.set(left - got)


class RpcConnection:
    """One connection of a client to a server, with a reader at each end."""

    def __init__(self, name: str, ends: tuple[Endpoint, Endpoint], places: int) -> None:
        for end in ends:
            end.inside = True
        self.name, (self.client, self.server) = name, ends
        self.calls = Messages(f"{name} calls", self.client, self.server, places)
        self.replies = Messages(f"{name} replies", self.server, self.client, places)


class TcpTransport(RpcTransport[RpcConnection]):
    """TCP connections of one mount."""

    def __init__(
        self,
        name: str,
        sockets: Sockets,
        hosts: tuple[str, str],
        service: RpcService,
        connections: int,
        slots: int,
        shared: bool,
        buffer: int,
    ) -> None:
        """`hosts` are the client and the server; `buffer` is the bytes of the largest data of a call."""
        super().__init__(name, sockets, hosts, service)
        made = Dialogue(*hosts, window=None, nodelay=True)
        for own in self.names(connections):
            ends = sockets.connection(made, own, (buffer, buffer), False)
            self.connections.append(RpcConnection(own, ends, slots))
        self._takes_turns(slots, shared)
        self.open = self.p.container(f"{name} open", unit="connections")
        for each in self.connections:
            self._readers(each)

    def _readers(self, own: RpcConnection) -> None:
        """The threads that read both ends of a connection, once it is there."""
        p = self.p
        with p.thread(f"{own.name}: reader on {self.client.name}", daemon=True):
            own.client.connect()
            p.put(self.open, 1)
            with p.forever():
                own.replies.receive()
        with p.thread(f"{own.name}: reader on {self.server.name}", daemon=True):
            own.server.accept()
            with p.forever():
                own.calls.receive(self.service.take)

    def mounted(self) -> None:
        """See `RpcTransport.mounted`."""
        self.p.get(self.open, len(self.connections))
        self.p.put(self.open, len(self.connections))

    def _exchange(self, length: int, reply: int, sends: Register | None, receives: Register | None) -> TcpExchange:
        return TcpExchange(self, length, reply, sends, receives)

    def times(self, writes: bool) -> Mapping[Handle, Fraction]:
        """See `RpcTransport.times`."""
        ends = self.connections[0]
        pair = (ends.client, ends.server) if writes else (ends.server, ends.client)
        found: dict[Handle, Fraction] = {}
        for resource, byte in shared_times(*pair):
            found[resource] = found.get(resource, Fraction(0)) + byte
        return found


class TcpExchange:
    """A call and its reply in messages; pages that the client sends or receives leave without being copied."""

    def __init__(
        self, transport: TcpTransport, length: int, reply: int, sends: Register | None, receives: Register | None
    ) -> None:
        self.done, self.whole = transport.service.done, (reply, receives)
        self.sends, self.receives = sends, receives
        self.size = transport.p.register(_whole(length, sends))

    def ask(self, own: RpcConnection) -> None:
        """See `Exchange.ask`."""
        own.calls.send(self.size, self.sends is None)

    def answer(self) -> None:
        """See `Exchange.answer`."""
        self.size.set(_whole(*self.whole))

    def reply(self, own: RpcConnection) -> None:
        """See `Exchange.reply`."""
        own.replies.send(self.size, self.receives is None, self.done)

    def end(self) -> None:
        """Nothing: the reader of the connection has copied the reply."""


def _whole(length: int, data: Register | None) -> Operand:
    """Bytes of a message with its data, if it has any."""
    return length if data is None else padded(data) + length
