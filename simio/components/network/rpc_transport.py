"""Transports of remote procedure calls: connections of a mount, which calls take in turn, and a server's threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from simio.components.network.sockets import Sockets
from simio.components.network.stack import Stack
from simio.program.builder import Handle, Register

C = TypeVar("C")
"""A connection."""
K = TypeVar("K", contravariant=True)

WORD = 4
"""Bytes to whose multiples data are padded (RFC 4506, section 4.9)."""


def padded(size: Register) -> Any:
    """`size` in whole words."""
    return (size + (WORD - 1)) // WORD * WORD


class RpcService:
    """The threads of a server, each with one request at a time, for all connections to it."""

    def __init__(self, stack: Stack, name: str, threads: int) -> None:
        self.stack = stack
        self.threads = stack.p.resource(name, threads, lock=True)

    def take(self) -> None:
        """Get a thread, which a request has until its reply is with the transport."""
        self.stack.p.seize(self.threads)

    def done(self) -> None:
        """Give it back."""
        self.stack.p.release(self.threads)


class Exchange(Protocol[K]):
    """The messages of one call."""

    def ask(self, own: K) -> None:
        """Emit the way of the call to the server, in the thread of the call."""

    def answer(self) -> None:
        """Emit the size of the reply."""

    def reply(self, own: K) -> None:
        """Emit the way of the reply to the client."""

    def end(self) -> None:
        """Emit the client's remaining work on the reply."""


class RpcTransport(ABC, Generic[C]):
    """The connections of one mount, which calls take in turn (Linux net/sunrpc/xprtmultipath.c, round robin).

    As many calls as there are slots are outstanding: on each connection, or with `shared` in all.
    """

    def __init__(self, name: str, sockets: Sockets, hosts: tuple[str, str], service: RpcService) -> None:
        """`hosts` are the client and the server."""
        self.p, self.name, self.service = sockets.p, name, service
        self.client, self.server = (sockets.stack(host) for host in hosts)
        self.connections: list[C] = []

    def _takes_turns(self, slots: int, shared: bool) -> None:
        """Let calls take the connections in turn, once these are made."""
        p, count = self.p, len(self.connections)
        self.slots = [
            p.container(f"{name} slots", slots, slots, "calls") for name in self.names(count)[: 1 if shared else None]
        ]
        self.next = p.variable(f"{self.name} next connection")

    def names(self, count: int) -> Sequence[str]:
        """The names of `count` connections."""
        if count == 1:
            return [f"{self.name} connection"]
        return [f"{self.name} connection {number + 1}" for number in range(count)]

    @abstractmethod
    def mounted(self) -> None:
        """Wait until all connections are there."""

    def call(
        self,
        length: int,
        reply: int,
        serve: Callable[[], None],
        sends: Register | None = None,
        receives: Register | None = None,
    ) -> None:
        """A call of `length` bytes and its `reply`, beside the data that it `sends` or `receives`.

        `serve` emits the server's work. Data are pages of a cache at both ends.
        """
        p = self.p
        with p.scope():
            line, exchange = self._line(), self._exchange(length, reply, sends, receives)
            self._work(self.client)
            for number, own in self._each(line):
                p.get(self._slot(number), 1)
                exchange.ask(own)
            self._work(self.server)
            serve()
            exchange.answer()
            self._work(self.server)
            for number, own in self._each(line):
                exchange.reply(own)
                p.put(self._slot(number), 1)
            exchange.end()
            self._work(self.client)

    @staticmethod
    def _work(stack: Stack) -> None:
        stack.work("RPC and NFS", stack.sheet.rpc)

    @abstractmethod
    def _exchange(self, length: int, reply: int, sends: Register | None, receives: Register | None) -> Exchange[C]:
        """Emit the size of a call's message; the rest follows as the exchange says."""

    @abstractmethod
    def times(self, writes: bool) -> Mapping[Handle, Fraction]:
        """Least time in ps of a byte of data on each resource that all connections share."""

    def _line(self) -> Register:
        """The number of the next call's connection."""
        line = self.next.increment(1)
        line.set(line % len(self.connections))
        return line

    def _slot(self, number: int) -> Handle:
        """The slots of a connection."""
        return self.slots[number % len(self.slots)]

    def _each(self, line: Register) -> Iterator[tuple[int, C]]:
        """Run a for loop's body for each connection, in the case that `line` is its number."""
        for number, own in enumerate(self.connections):
            with self.p.when(line == number) if len(self.connections) > 1 else nullcontext():
                yield number, own
