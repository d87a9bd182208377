"""ICMP echo (RFC 792): a request that the other host's kernel answers, as ping uses it."""

from __future__ import annotations

from simio.components.host import INTERRUPT, PROCESS
from simio.components.network.packet import Packet
from simio.components.network.path import NetworkPath
from simio.components.network.stack import IP_HEADER, Stack
from simio.program.builder import Register

ICMP_HEADER = 8
"""Bytes of the header of an echo message (RFC 792)."""


class Echo:
    """Echo requests from one host to another, with `size` bytes of data; one is under way at a time.

    The checksum of ICMP is the CPU's, whatever the adapter can do for TCP and UDP.
    """

    def __init__(
        self, name: str, stacks: tuple[Stack, Stack], paths: tuple[NetworkPath, NetworkPath], size: int
    ):
        self.p = stacks[0].p
        self.near, self.far = stacks
        self.there, self.back = paths
        self.size = size
        self.identifier = paths[0].capture.number() if paths[0].capture else 0
        self.replied = self.p.container(f"{name} replied", unit="replies")
        self.request = self.p.procedure(f"{name} request", 1, self._request)
        self.reply = self.p.procedure(f"{name} reply", 1, self._reply)

    def ask(self) -> None:
        """Send a request; returns when the reply has come and the program runs again."""
        p = self.p
        self.near.call()
        self.near.host.work(self.near.sheet.echo)
        with p.loop(1):
            length = p.register(self.size + ICMP_HEADER)
            self.near.send(0, length, False, PROCESS)
            self.there.source.drive()
            p.let(length, "ADD", length, IP_HEADER)
            p.spawn(self.request, length)
        p.get(self.replied, 1)
        self.near.kernel.wake()

    def _request(self, length: Register) -> None:
        self.there.send(self._packet(self.there, length, 0), lambda: self._answer(length), driven=True)

    def _packet(self, path: NetworkPath, length: Register, reply: int) -> Packet:
        return Packet(length, flow=path.flow("icmp", (self.identifier, self.identifier), {"reply": reply}))

    def _answer(self, length: Register) -> None:
        """The far kernel turns the message round without asking any program."""
        p = self.p
        with p.loop(1):
            data = p.register()
            p.let(data, "SUB", length, IP_HEADER)
            self.far.receive(0, data, False)
            self.far.send(0, data, False, INTERRUPT)
            self.back.source.drive(INTERRUPT)
        p.spawn(self.reply, length)

    def _reply(self, length: Register) -> None:
        self.back.send(self._packet(self.back, length, 1), lambda: self._arrived(length), driven=True)

    def _arrived(self, length: Register) -> None:
        p = self.p
        with p.loop(1):
            data = p.register()
            p.let(data, "SUB", length, IP_HEADER)
            self.near.receive(0, data, False)
        p.put(self.replied, 1)
