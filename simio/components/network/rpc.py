"""Remote procedure calls over UDP (RFC 1057): a client's calls with their retransmission, and a server's queue.

A call that has no reply in time is sent again, by the kernel's timer as in the BSD client; each time the client waits
twice as long as before, up to a minute. It repeats for ever, or gives the call up after a number of times. Which of a
client's daemons takes a reply does not matter to what they do, so replies are taken in the order in which they come.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from simio.components.faults.incarnations import Incarnations, of_incarnation
from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.path import NetworkPath
from simio.components.network.stack import Stack
from simio.components.network.udp import UdpFlow, UdpSocket
from simio.machines.network import mailbox, queue
from simio.machines.network import rpc as calls
from simio.program.builder import Builder, Operand, Register, minimum

PORTS = (1023, 2049)
"""Ports of a client, privileged as BSD's are, and of an NFS server (RFC 1813, section 2.3), for packet traces."""
LONGEST = 60 * 10**12
"""Longest time between two transmissions of a call, in ps (4.3BSD-Reno, nfs/nfs.h: NFS_MAXTIMEO)."""
OWN = 1 << 30
"""Added to a call's subject if the calling process waits for the reply itself."""
WORD = 1 << 31
"""A message's word is its xid times this, plus the call's subject, which is below this."""


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
        retrans: int | None,
    ) -> None:
        """`timeout` is the first one in ps; after `retrans` repetitions a call is given up, if that is not None."""
        p: Builder = stacks[0].p
        self.p, self.name, self.timeout, self.retrans = p, name, timeout, retrans
        self.stack = stacks[0]
        self.incarnations = Incarnations(p, stacks[1].host.description.crashes)
        self.servers = [
            RpcServer(
                of_incarnation(name, incarnation),
                (stacks[1], stacks[0]),
                paths[1],
                partial(self._replied, incarnation),
            )
            for incarnation in range(len(self.incarnations))
        ]
        self.requests = UdpFlow(f"{name} call", stacks, paths[0], self._called, PORTS)
        self.state = p.machine(f"{name} calls", calls.initial(places))
        p.tally(name, "answered before", self.state + calls.DUPLICATES, "replies")
        self.replies = p.machine(f"{name} replies", mailbox.initial(2**62, places))
        self.waiting = p.container(f"{name} replies", unit="replies")
        self.own = p.container(f"{name} own reply", unit="replies")
        self.timer = p.procedure(f"{name} timer", 2, self._timer)
        self.repeated = p.observation(f"{name}: retransmission", "other", "bytes")
        self.noted: Callable[[Register, int], None] | None = None
        """Emits the work on the first answer to a call, given its subject and the incarnation."""
        if retrans is not None:
            self.failed = p.machine(f"{name} given up", queue.initial(1))
            self.wakes = [(self.own, 1)]
            """Container and amount that a program may wait for, which has to continue when a call is given up."""

    def ask(self, length: Operand, about: Operand) -> None:
        """Send a call of `length` bytes with its header, and set its timer; then `take` or `wait`."""
        p = self.p
        with p.scope():
            size, word = p.register(length), p.register()
            self.stack.work("RPC and NFS", self.stack.sheet.rpc)
            p.call(word, calls.call, self.state, about)
            word.set(word * WORD + about)
            self.requests.send(size, word, PROCESS)
            p.spawn(self.timer, size, word, delay=self.timeout, daemon=True)

    def take(self, about: Register) -> None:
        """Wait for the next reply, and give the caller's word of its call."""
        self.stack.kernel.slept(lambda: self.p.get(self.waiting, 1))
        self.p.call(about, mailbox.take, self.replies)
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def wait(self) -> None:
        """Wait for the reply to the one call that was made with `OWN`."""
        self.stack.kernel.slept(lambda: self.p.get(self.own, 1))
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def _called(self, length: Register, word: Register) -> None:
        """A call has reached the server: its present incarnation, if it has one."""
        for incarnation, server in enumerate(self.servers):
            with self.incarnations.alive(incarnation):
                server.socket.arrive(length, word)

    def _replied(self, incarnation: int, length: Register, word: Register) -> None:
        """A reply has come from an incarnation of the server; one to a call that was answered before is dropped."""
        p = self.p
        with p.scope():
            about = p.answer(calls.reply, self.state, word // WORD)
            if self.noted:
                with p.when(about > 0), p.scope():
                    self.noted(p.register((about - 1) % OWN), incarnation)
            with p.when(about > OWN):
                p.put(self.own, 1)
                about.set(0)
            with p.when(about > 0):
                p.call(about, mailbox.arrive, self.replies, 0, about - 1)
                p.put(self.waiting, 1)

    def _timer(self, length: Register, word: Register) -> None:
        """The thread that sends a call again as long as there is no reply."""
        p = self.p
        size, message, xid = p.register(length), p.register(word), p.register(word // WORD)
        after, waits = p.register(self.timeout), p.register()
        p.call(waits, calls.outstanding, self.state, xid)
        if self.retrans is None:
            with p.while_(waits == 1):
                self._repeat(size, message, xid, after, waits)
            return
        left = p.register(self.retrans)
        with p.while_(waits == 1):
            with p.when(left > 0):
                self._repeat(size, message, xid, after, waits)
            left.set(left - 1)
            with p.when(waits == 1), p.when(left < 0):
                self._give_up(size, xid)
                waits.set(0)

    def _repeat(self, size: Register, message: Register, xid: Register, after: Register, waits: Register) -> None:
        """Send a call again and wait; `waits` is 1 if it still has no reply."""
        p = self.p
        p.mark(self.repeated, size)
        self.requests.send(size, message, INTERRUPT)
        after.set(minimum(after * 2, LONGEST))
        p.wait(after)
        p.call(waits, calls.outstanding, self.state, xid)

    def gave_up(self, result: Register) -> None:
        """Emit `result` = 1 if a call has been given up, else 0."""
        self.p.call(result, queue.leave, self.failed, 0)

    def _give_up(self, size: Register, xid: Register) -> None:
        """A call has been repeated often enough: it is forgotten, and the program is woken to see an error."""
        p = self.p
        p.mark(p.observation(f"{self.name}: given up", "other", "bytes"), size)
        with p.scope():
            done = p.answer(calls.reply, self.state, xid)
            p.call(done, queue.enter, self.failed, 1)
        for container, amount in self.wakes:
            p.put(container, amount)


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
        self.socket = UdpSocket(stacks[0], f"{name} at {stacks[0].name}", stacks[0].sheet.call_space)
        self.replies = UdpFlow(f"{name} reply", stacks, path, replied, PORTS[::-1])

    def take(self, about: Register, word: Register) -> None:
        """Wait for a request: its word, which the reply needs, and its subject."""
        p = self.p
        with p.scope():
            length = p.register()
            self.socket.receive(length, word)
        about.set(word % OWN)
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)

    def answer(self, length: Operand, word: Register) -> None:
        """Send the reply, of `length` bytes with its header."""
        self.stack.work("RPC and NFS", self.stack.sheet.rpc)
        self.replies.send(length, word, PROCESS)
