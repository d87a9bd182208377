"""NFS versions 2 (RFC 1094) and 3 (RFC 1813): a file read or written in order, with the daemons at both ends.

A server that crashes has a socket, threads and a cache for each of its incarnations
(`simio.components.faults.incarnations`). A client keeps what it has written and not committed, and writes it again
when the server's write verifier changes (RFC 1813, sections 3.3.7 and 3.3.21).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from math import floor
from typing import Protocol

from simio.components.host.host import PROCESS
from simio.components.network.path import NetworkPath
from simio.components.network.rpc import OWN, RpcClient
from simio.components.network.stack import Stack
from simio.components.network.udp import UDP_HEADER
from simio.components.passage import claim
from simio.description.messages import MESSAGES
from simio.machines.network import rpc as machines
from simio.machines.network import writeback
from simio.program.builder import Builder, Handle, Operand, Register, minimum
from simio.program.service import ceil_times

COMMIT = OWN - 1
"""The number in a COMMIT, where READ and WRITE have the number of a block."""


class MountParams(Protocol):
    """The options of a mount over UDP, and its file."""

    @property
    def version(self) -> int:
        """The version of NFS, 2 or 3."""

    @property
    def access(self) -> str:
        """The operation of the client: `read` or `write`."""

    @property
    def size(self) -> int:
        """Bytes of the file."""

    @property
    def transfer(self) -> int:
        """Bytes a READ or WRITE request."""

    @property
    def biods(self) -> int:
        """Read-ahead and write-behind daemons of the client."""

    @property
    def timeout(self) -> int:
        """First retransmission timeout of the RPC in ps."""

    @property
    def retrans(self) -> int | None:
        """Retransmissions of a call on a soft mount; None: a hard mount."""

    @property
    def stable(self) -> int:
        """Time in ps of the server's disk for a WRITE or a COMMIT; 0: none."""


class ServerStorage(Protocol):
    """A server's store of a file: the steps of its threads to get a block or to keep one."""

    def read(self, block: Register) -> None:
        """Have a block where it can be sent from."""

    def write(self, block: Register, copy: Callable[[], None], stable: bool) -> None:
        """Keep a block, `copy` being what moves it there; `stable`: on the disk before this returns."""

    def commit(self) -> None:
        """Wait until all of the file is on the disk."""


class NfsMount:
    """A file of `params.size` bytes on a server, as a client's processes and daemons see it.

    Without `storage`, the file is in the server's memory. `threads` is what the server's threads for several clients
    share: as many are at work at a time. Of both there is one for each incarnation of the server.
    """

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        paths: tuple[NetworkPath, NetworkPath],
        params: MountParams,
        storage: Sequence[ServerStorage],
        threads: Sequence[Handle],
    ) -> None:
        p: Builder = stacks[0].p
        self.p, self.name, self.params = p, name, params
        self.client, self.server = stacks
        self.messages = MESSAGES[params.version]
        self.blocks = -(-params.size // params.transfer)
        # A process has a call of its own beside those of the daemons.
        self.rpc = RpcClient(name, stacks, paths, params.biods + 1, params.timeout, params.retrans)
        self.next = p.variable(f"{name} next block")
        self.order = p.machine(f"{name} blocks", machines.in_order(2 * params.biods + 2))
        self.ready = p.container(f"{name} blocks ready", unit="blocks")
        self.wanted = p.container(f"{name} blocks wanted", unit="blocks")
        self.storage, self.threads = storage, threads
        self.disk = p.resource(f"{name} disk of {self.server.name}") if params.stable else None
        self.kept: int | None = None
        """The machine of the blocks that are kept until they are committed, where the server may lose them."""
        if params.access == "write" and params.version == 3 and len(self.rpc.incarnations) > 1:
            p.room(f"{name} write-back", writeback.words(self.blocks))
            self.kept = p.machine(f"{name} write-back", writeback.initial(self.blocks))
            p.tally(name, "written again", self.kept + writeback.AGAIN, "blocks")
            self.rpc.noted = self._answered

    @contextmanager
    def next_block(self, block: Register) -> Iterator[None]:
        """Run the body for the next block of the file, if there is one left."""
        p = self.p
        if self.kept is None:
            self.next.increment(into=block)
        else:
            p.call(block, writeback.following, self.kept)
        with p.when(block < self.blocks):
            yield

    def read(self, block: Register, own: bool) -> None:
        """READ of a block: the call, the reply, and its data copied into the cache.

        A daemon (not `own`) continues with the block that came, whose number is then in `block`.
        """
        self.client.work("RPC and NFS", self.client.sheet.nfs_client)
        self._called(lambda about: self.rpc.ask(self.messages.read, about), block, own)
        self._copy(self.client, block)

    def write(self, block: Register, own: bool) -> None:
        """WRITE of a block: its data copied from the cache, the call, and the reply."""
        p = self.p
        self.client.work("RPC and NFS", self.client.sheet.nfs_client)
        self._copy(self.client, block)
        with p.scope():
            length = p.register(self._message(block, self.messages.write))
            self._called(lambda about: self.rpc.ask(length, about), block, own)

    def commit(self) -> None:
        """COMMIT of all that was written, by the process itself."""
        self.rpc.ask(self.messages.commit, OWN + COMMIT)
        self.rpc.wait()

    def left(self, blocks: Register) -> None:
        """Emit `blocks` = how many have to be written again, with no call under way."""
        assert self.kept is not None
        self.p.call(blocks, writeback.left, self.kept)

    def _answered(self, about: Register, incarnation: int) -> None:
        """A WRITE or COMMIT is answered, in an incarnation of the server whose number is the write verifier."""
        p = self.p
        assert self.kept is not None
        with p.scope():
            p.call(p.register(), writeback.answered, self.kept, about, incarnation)

    def count_once(self, amount: Register, block: Register) -> None:
        """Make `amount` 0 where a block is not written for the first time."""
        if self.kept is not None:
            with self.p.scope():
                first = self.p.answer(writeback.counted, self.kept, block)
                amount.set(amount * first)

    def wakes(self, container: Handle, amount: int) -> None:
        """A program may wait for this, and has to continue when a call is given up."""
        if self.params.retrans is not None:
            self.rpc.wakes.append((container, amount))

    @contextmanager
    def unless_given_up(self) -> Iterator[None]:
        """Run the body while no call has been given up; on a hard mount, always."""
        p = self.p
        if self.params.retrans is None:
            yield
            return
        with p.scope():
            failed = p.register()
            self.rpc.gave_up(failed)
            with p.when(failed == 0):
                yield

    def _called(self, ask: Callable[[Register], None], block: Register, own: bool) -> None:
        p = self.p
        if not own:
            ask(block)
            self.rpc.take(block)
            return
        with p.scope():
            ask(p.register(block + OWN))
            self.rpc.wait()

    def serve(self, incarnation: int = 0) -> None:
        """One of the threads of an incarnation of the server: a request after another."""
        p = self.p
        if incarnation + 1 == len(self.rpc.incarnations):
            with p.forever():
                self._serve_one(incarnation, None)
            return
        over = p.register()
        with p.until(over == 1):
            self._serve_one(incarnation, over)

    def _serve_one(self, incarnation: int, over: Register | None) -> None:
        """A request; none is begun or answered once the incarnation is `over`, None for one that never is."""
        p, server = self.p, self.rpc.servers[incarnation]
        incarnations = self.rpc.incarnations
        with p.scope():
            about, word, length = p.register(), p.register(), p.register()
            server.take(about, word)
            with incarnations.alive(incarnation) if over else nullcontext():
                if self.threads:
                    p.seize(self.threads[incarnation])
                self.server.work("RPC and NFS", self.server.sheet.nfs_server)
                if self.params.access == "read":
                    if self.storage:
                        self.storage[incarnation].read(about)
                    self._copy(self.server, about)
                    length.set(self._message(about, self.messages.read_reply))
                else:
                    self._serve_write(incarnation, about, length)
                with incarnations.alive(incarnation) if over else nullcontext():
                    server.answer(length, word)
                if self.threads:
                    p.release(self.threads[incarnation])
            if over:
                incarnations.over(over, incarnation)

    def _serve_write(self, incarnation: int, about: Register, length: Register) -> None:
        """A WRITE, or a COMMIT; `length` is that of the reply."""
        p, version = self.p, self.params.version
        length.set(self.messages.write_reply)
        with p.when(about < COMMIT):
            if self.storage:
                self.storage[incarnation].write(about, lambda: self._copy(self.server, about), version == 2)
            else:
                self._copy(self.server, about)
            if version == 2:
                self._make_stable()
        if version == 3:
            with p.when(about == COMMIT):
                if self.storage:
                    self.storage[incarnation].commit()
                self._make_stable()
                length.set(self.messages.commit_reply)

    def _make_stable(self) -> None:
        """The server's disk stores written data, one request at a time."""
        if self.disk:
            with self.p.hold(self.disk):
                self.p.advance(self.params.stable)

    def declare(self, amount: int) -> None:
        """Declare to the bound the certain demand of a block of `amount` bytes on wires and CPUs; emits no step."""
        p, reads = self.p, self.params.access == "read"
        flow = self.rpc.servers[0].replies if reads else self.rpc.requests
        overhead = self.messages.read_reply if reads else self.messages.write
        packets = flow.datagrams.fragments(amount + overhead + UDP_HEADER)
        for wire in (flow.datagrams.cut if len(packets) > 1 else flow.path).wires:
            claim(p, wire.wire, sum(wire.time(length) for length in packets))
        out, into = flow.source.sheet, flow.target.sheet
        for stack, datagram, packet in (
            (flow.source, out.udp_send, out.ip_send),
            (flow.target, into.udp_receive, into.ip_receive),
        ):
            cost = datagram + len(packets) * packet + 2 * stack.sheet.rpc
            p.demand(stack.host.cpu, ceil_times(cost, stack.host.scale))
        # The copies between cache and network; that of the program is in its own steps.
        for stack, cost in (
            (self.client, self.client.sheet.nfs_client),
            (self.server, self.server.sheet.nfs_server),
        ):
            copied = floor(amount * stack.host.copy_byte) if stack.sheet.copies else 0
            p.demand(stack.host.cpu, ceil_times(cost, stack.host.scale) + copied)

    def arrived(self, block: Register) -> None:
        """A block is in the cache: those that are in order now can be read."""
        p = self.p
        with p.scope():
            count = p.answer(machines.arrived, self.order, block)
            p.put(self.ready, count)

    def amount(self, block: Register) -> Operand:
        """Bytes of a block; the last one may be shorter."""
        return minimum(self.params.size - block * self.params.transfer, self.params.transfer)

    def _message(self, block: Register, overhead: int) -> Operand:
        """Bytes of a message with a block's data, which XDR pads to words."""
        return (self.amount(block) + 3) // 4 * 4 + overhead

    def _copy(self, stack: Stack, block: Register) -> None:
        """A block's data between the cache and the network's buffers."""
        p = self.p
        with p.scope():
            stack.move(p.register(self.amount(block)), self.params.transfer, False)

    def message(self, kind: str) -> int:
        """Bytes of a message with a whole block, for checks: `kind` names one of `MessageSizes`."""
        return self.messages.whole(kind, self.params.transfer)


__all__ = ["COMMIT", "MESSAGES", "PROCESS", "NfsMount", "ServerStorage"]
