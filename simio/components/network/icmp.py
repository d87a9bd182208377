"""ICMP echo (RFC 792): a request that the other host's kernel answers, as ping uses it."""

from __future__ import annotations

from simio.components.host.host import INTERRUPT, PROCESS
from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.network.stack import IP_HEADER, Stack
from simio.machines import coalesce
from simio.program.builder import Register

ICMP_HEADER = 8
"""Bytes of the header of an echo message (RFC 792)."""


class Echo:
    """Echo requests from one host to another, with `size` bytes of data; one is under way at a time.

    Each has a number that its reply brings back; one whose reply is not there after `patience` ps is lost.

    The checksum of ICMP is the CPU's, whatever the adapter can do for TCP and UDP.
    """

    def __init__(
        self,
        name: str,
        stacks: tuple[Stack, Stack],
        paths: tuple[NetworkPath, NetworkPath],
        size: int,
        patience: int,
    ):
        self.p = stacks[0].p
        self.near, self.far = stacks
        self.there, self.back = (path.of(None) for path in paths)
        self.size, self.patience = size, patience
        self.asked = self.p.machine(f"{name} asked", coalesce.WORDS.initial(batch=1))
        self.identifier = paths[0].capture.number() if paths[0].capture else 0
        self.replied = self.p.container(f"{name} replied", unit="replies")
        self.request = self.p.procedure(f"{name} request", 2, self._request)
        self.reply = self.p.procedure(f"{name} reply", 2, self._reply)

    def ask(self) -> None:
        """Send a request; returns when the reply has come or it is lost, and the program runs again."""
        p = self.p
        self.near.call()
        self.near.work("protocols", self.near.sheet.echo)
        with p.scope():
            length = p.register(self.size + ICMP_HEADER)
            self.near.send(0, length, False, PROCESS)
            self.there.source.drive()
            length.set(length + IP_HEADER)
            number = p.answer(coalesce.arrive, self.asked, 2)
            p.call(number, coalesce.batch, self.asked)
            p.spawn(self.request, length, number)
            with p.fork("patience", delay=self.patience, daemon=True):
                self._settle(number)
        p.get(self.replied, 1)
        self.near.kernel.wake()

    def _settle(self, number: Register) -> None:
        """Let the program continue if it still waits for this request."""
        p = self.p
        with p.scope():
            waits = p.answer(coalesce.expire, self.asked, number)
            with p.when(waits > 0):
                p.put(self.replied, 1)

    def _request(self, length: Register, number: Register) -> None:
        packet = self._packet(self.there, length, 0)
        self.there.send(packet, lambda: self._answer(length, number), driven=True)

    def _packet(self, path: NetworkPath, length: Register, reply: int) -> Packet:
        return Packet(length, flow=path.flow("icmp", (self.identifier, self.identifier), {"reply": reply}))

    def _answer(self, length: Register, number: Register) -> None:
        """The far kernel turns the message round without asking any program."""
        p = self.p
        with p.scope():
            data = p.register(length - IP_HEADER)
            self.far.receive(0, data, False)
            self.far.send(0, data, False, INTERRUPT)
            self.back.source.drive(INTERRUPT)
        p.spawn(self.reply, length, number)

    def _reply(self, length: Register, number: Register) -> None:
        packet = self._packet(self.back, length, 1)
        self.back.send(packet, lambda: self._arrived(length, number), driven=True)

    def _arrived(self, length: Register, number: Register) -> None:
        p = self.p
        with p.scope():
            data = p.register(length - IP_HEADER)
            self.near.receive(0, data, False)
        self._settle(number)
