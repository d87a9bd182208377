"""Remote procedure calls over UDP (RFC 1057): a client's calls with their retransmission, and a server's queue.

A call that has no reply in time is sent again, by the kernel's timer as in the BSD client; each time the client waits
twice as long as before, up to a minute. Which of a client's daemons takes a reply does not matter to what they do, so
replies are taken in the order in which they come.
"""

from __future__ import annotations

from collections.abc import Callable

from simio.components.host import INTERRUPT, PROCESS
from simio.components.network.path import NetworkPath
from simio.components.network.stack import Stack
from simio.components.network.udp import UdpFlow, UdpSocket
from simio.machines.network import mailbox
from simio.machines.network import rpc as calls
from simio.machines.network.transfer_calls import (
    MAILBOX_ARRIVE,
    MAILBOX_TAKE,
    RPC_CALL,
    RPC_OUTSTANDING,
    RPC_REPLY,
)
from simio.program.builder import Amount, Builder, Register

CREDENTIALS = 8 + 4 + (4 + 8) + 4 + 4 + (4 + 4)
"""Bytes of AUTH_UNIX credentials (RFC 1057, section 9.2): flavour and length; stamp; length and
name of the machine, of up to 8 letters; user; group; number of further groups, and one."""
CALL_HEADER = 24 + CREDENTIALS + 8
"""Bytes of a call before its arguments (RFC 1057, section 8): xid, CALL, version of RPC, program, version, procedure;
credentials; an empty verifier."""
REPLY_HEADER = 12 + 8 + 4
"""Bytes of a reply before its results (RFC 1057, section 8): xid, REPLY, accepted; an empty verifier; success."""
PORTS = (1023, 2049)
"""Ports of a client, privileged as BSD's are, and of an NFS server (RFC 1813, section 2.3), for packet traces."""
LONGEST = 60 * 10**12
"""Longest time between two transmissions of a call, in ps (4.3BSD-Reno, nfs/nfs.h: NFS_MAXTIMEO)."""
OWN = 1 << 30
"""Added to what a call is about where the process that makes it waits for the reply itself."""
WORD = 1 << 31
"""A message's word is its xid times this, plus what the call is about: below this."""


class RpcClient:
    """Calls from one host to a server on another, of which `places` are outstanding at most.

    What a call is about is a number below 2**30, which goes with it and comes back with the reply.
    """

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        paths: tuple[NetworkPath, NetworkPath],
        places: int,
        timeout: int,
    ) -> None:
        p: Builder = stacks[0].p
        self.p, self.name, self.timeout = p, name, timeout
        self.stack = stacks[0]
        self.server = RpcServer(name, (stacks[1], stacks[0]), paths[1], self._replied)
        self.requests = UdpFlow(f"{name} call", stacks, paths[0], self.server.socket.arrive, PORTS)
        self.state = p.machine(f"{name} calls", calls.initial(places))
        p.tally(name, "answered before", self.state + calls.DUPLICATES, "replies")
        self.replies = p.machine(f"{name} replies", mailbox.initial(2**62, places))
        self.waiting = p.container(f"{name} replies", unit="replies")
        self.own = p.container(f"{name} own reply", unit="replies")
        self.timer = p.procedure(f"{name} timer", 2, self._timer)
        self.repeated = p.observation(f"{name}: retransmission", "other", "bytes")

    def ask(self, length: Amount, about: Amount) -> None:
        """Send a call of `length` bytes with its header, and set its timer; then `take` or `wait`."""
        p = self.p
        with p.loop(1):
            size, word = p.register(length), p.register()
            self.stack.work("RPC and NFS", self.stack.sheet.rpc)
            p.call(word, RPC_CALL, self.state, about)
            p.let(word, "MUL", word, WORD)
            p.let(word, "ADD", word, about)
            self.requests.send(size, word, PROCESS)
            p.spawn(self.timer, size, word, delay=self.timeout, daemon=True)

    def take(self, about: Register) -> None:
        """Wait for a reply, whichever is the next, and tell what it is about."""
        self.stack.kernel.slept(lambda: self.p.get(self.waiting, 1))
        self.p.call(about, MAILBOX_TAKE, self.replies)
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def wait(self) -> None:
        """Wait for the reply to the one call that was made with `OWN`."""
        self.stack.kernel.slept(lambda: self.p.get(self.own, 1))
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def _replied(self, length: Register, word: Register) -> None:
        """A reply has come; one to a call that was answered before is dropped."""
        p = self.p
        with p.loop(1):
            about = p.register()
            p.let(about, "DIV", word, WORD)
            p.call(about, RPC_REPLY, self.state, about)
            with p.when(about, ">", OWN):
                p.put(self.own, 1)
                p.let(about, "SET", 0)
            with p.when(about, ">", 0):
                p.let(about, "SUB", about, 1)
                p.call(about, MAILBOX_ARRIVE, self.replies, 0, about)
                p.put(self.waiting, 1)

    def _timer(self, length: Register, word: Register) -> None:
        """The thread that sends a call again as long as there is no reply."""
        p = self.p
        size, message, xid = p.register(length), p.register(word), p.register()
        after, waits = p.register(self.timeout), p.register()
        p.let(xid, "DIV", message, WORD)
        p.call(waits, RPC_OUTSTANDING, self.state, xid)
        with p.when(waits, "==", 1), p.until(waits, "==", 0):
            p.mark(self.repeated, size)
            self.requests.send(size, message, INTERRUPT)
            p.let(after, "MUL", after, 2)
            p.let(after, "MIN", after, LONGEST)
            p.advance(0, after, 1)
            p.call(waits, RPC_OUTSTANDING, self.state, xid)


class RpcServer:
    """A server's socket, whose requests processes take and answer."""

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        path: NetworkPath,
        replied: Callable[[Register, Register], None],
    ) -> None:
        """`stacks` are the server's and its client's; `path` leads to the client, where `replied` is emitted."""
        self.p = stacks[0].p
        self.stack = stacks[0]
        self.socket = UdpSocket(stacks[0], f"{name} at {stacks[0].name}")
        self.replies = UdpFlow(f"{name} reply", stacks, path, replied, PORTS[::-1])

    def take(self, about: Register, word: Register) -> None:
        """Wait for a request: its word, which the reply needs, and what it is about."""
        p = self.p
        with p.loop(1):
            length = p.register()
            self.socket.receive(length, word)
        p.let(about, "MOD", word, OWN)
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def answer(self, length: Amount, word: Register) -> None:
        """Send the reply, of `length` bytes with its header."""
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)
        self.replies.send(length, word, PROCESS)
