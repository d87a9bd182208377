"""Remote procedure calls over RDMA (RFC 8166), for NFS (RFC 8267): queue pairs, chunks, inline messages, credits.

A call and its reply are a SEND each. Data that do not fit into the message are a chunk: memory of the client that it
registers, and into which the server writes the data of a READ, its reply behind them, or from which it reads those of
a WRITE. No CPU copies a chunk. The reply invalidates the client's registration. Messages without data always fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from fractions import Fraction

from simio.components.host.interrupts import Interrupts
from simio.components.network.rdma.pair import End, queue_pair
from simio.components.network.rdma.port import RdmaPorts
from simio.components.network.rpc_transport import RpcService, RpcTransport, padded
from simio.components.network.sockets import Sockets
from simio.machines.rdma.layout import INVALIDATES, READ, SEND, WRITE
from simio.program.builder import Handle, Register

HEADER = 28
"""Bytes of the transport's header before a message: four words, and three empty lists (RFC 8166, section 4.2)."""
CHUNK = 24
"""Bytes that a list has more with a chunk of one segment of 16 bytes (RFC 8166, section 4.3)."""


class RdmaConnection:
    """A queue pair, with completions by interrupts at both ends."""

    def __init__(
        self, name: str, ports: RdmaPorts, hosts: tuple[str, str], service: RpcService, credits: int
    ) -> None:
        self.near, self.far = queue_pair(ports, name, hosts)
        self.p, self.service = self.near.p, service
        self.credits = self.p.container(f"{name} credits", credits, credits, "calls")
        self._replies, self._calls, self._sent = (
            self._interrupts(end, what)
            for end, what in ((self.near, "replies"), (self.far, "calls"), (self.far, "requests"))
        )

    def _interrupts(self, end: End, what: str) -> Interrupts:
        sheet, kernel = end.port.sheet, end.port.kernel
        return Interrupts(self.p, kernel, f"{end.name} {what}", sheet.coalesce_count, sheet.coalesce_delay)

    def _take(self, end: End, where: Handle, interrupts: Interrupts) -> None:
        self.p.get(where, 1)
        interrupts.raise_and_wait()
        end.poll()

    def ask(self, size: Register, chunk: Register | None, reads: bool) -> None:
        """Send a call of `size` bytes that names a chunk, if there is one, which the server `reads` if it is to.

        Returns in a thread of the server.
        """
        p, near = self.p, self.near
        if chunk is not None:
            with p.when(chunk > 0):
                near.register(chunk)
        p.get(self.credits, 1)
        near.spend()
        # The client requests the completion of a call's SEND only now and then (rpcrdma_prepare_send_sges).
        near.post(SEND, size, signalled=False)
        self._take(self.far, self.far.received, self._calls)
        self.service.take()
        if chunk is not None and reads:
            with p.when(chunk > 0):
                self._fetch(chunk)

    def _fetch(self, chunk: Register) -> None:
        """Read a chunk; the thread of the server does other work meanwhile (svc_rdma_process_read_list)."""
        far = self.far
        far.spend()
        far.post(READ, chunk)
        self.service.done()
        self._take(far, far.fetched, self._sent)
        self.service.take()

    def reply(self, size: Register, chunk: Register | None, writes: bool) -> None:
        """Send the reply, behind the data of a chunk if the server `writes` it; returns at the client."""
        p, near, far = self.p, self.near, self.far
        if chunk is not None:
            with p.when(chunk > 0):
                far.spend(1 + writes)
                if writes:
                    far.post(WRITE, chunk, ring=False, signalled=False)
                far.post(SEND + INVALIDATES, size)
        with p.when(chunk == 0) if chunk is not None else nullcontext():
            far.spend()
            far.post(SEND, size)
        self.service.done()
        with p.fork("send completion", daemon=True):
            self._take(far, far.done, self._sent)
        self._take(near, near.received, self._replies)
        p.put(self.credits, 1)


class RdmaTransport(RpcTransport[RdmaConnection]):
    """Queue pairs of one mount."""

    def __init__(
        self,
        name: str,
        ports: RdmaPorts,
        sockets: Sockets,
        hosts: tuple[str, str],
        service: RpcService,
        connections: int,
        slots: int,
        shared: bool,
        inline: int,
        credits: int,
    ) -> None:
        """A message of more than `inline` bytes has its data in a chunk; `credits` are calls of a connection."""
        super().__init__(name, sockets, hosts, service)
        self.inline = inline
        self.connections = [RdmaConnection(own, ports, hosts, service, credits) for own in self.names(connections)]
        self._takes_turns(slots, shared)

    def mounted(self) -> None:
        """See `RpcTransport.mounted`: queue pairs are there from the beginning."""

    def _exchange(self, length: int, reply: int, sends: Register | None, receives: Register | None) -> RdmaExchange:
        return RdmaExchange(self, length, reply, sends, receives)

    def times(self, writes: bool) -> Mapping[Handle, Fraction]:
        """See `RpcTransport.times`."""
        ends = self.connections[0]
        return (ends.near if writes else ends.far).least_times()


class RdmaExchange:
    """A call and its reply, whose data are a chunk or inside the message."""

    def __init__(
        self, transport: RdmaTransport, length: int, reply: int, sends: Register | None, receives: Register | None
    ) -> None:
        self.p, self.client, self.inline = transport.p, transport.client, transport.inline
        self.length, self.sends, self.receives = reply, sends, receives
        self.size = self.p.register(HEADER + length)
        self.chunk: Register | None = None
        """Bytes of data that go as a chunk: all, or none if the message with them has room for them."""
        if sends is not None:
            self.chunk = self._chunk(sends, length)
            self._add(self.chunk, sends)
        elif receives is not None:
            self.chunk = self._chunk(receives, reply)
            self._add(self.chunk)

    def ask(self, own: RdmaConnection) -> None:
        """See `Exchange.ask`."""
        own.ask(self.size, self.chunk, self.sends is not None)

    def answer(self) -> None:
        """See `Exchange.answer`."""
        self.size.set(HEADER + self.length)
        if self.receives is not None and self.chunk is not None:
            self._add(self.chunk, self.receives)

    def reply(self, own: RdmaConnection) -> None:
        """See `Exchange.reply`."""
        own.reply(self.size, self.chunk, self.receives is not None)

    def end(self) -> None:
        """Data in the message are copied to their pages (rpcrdma_inline_fixup)."""
        if self.receives is not None and self.chunk is not None:
            with self.p.when(self.chunk == 0):
                self.client.move(self.receives, self.inline, False)

    def _chunk(self, data: Register, length: int) -> Register:
        p = self.p
        chunk = p.register(data)
        with p.when(padded(data) + (HEADER + length) <= self.inline):
            chunk.set(0)
        return chunk

    def _add(self, chunk: Register, data: Register | None = None) -> None:
        """The name of a chunk in a message, or the data of which it has none."""
        with self.p.when(chunk > 0):
            self.size.set(self.size + CHUNK)
        if data is not None:
            with self.p.when(chunk == 0):
                self.size.set(self.size + padded(data))
