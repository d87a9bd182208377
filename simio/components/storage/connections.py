"""Connections of an initiator to a target, and the workers that speak the protocol at both ends."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from simio.components.host.host import PROCESS, Computer
from simio.components.network.agreement import Dialogue
from simio.components.network.place import CorePlace
from simio.components.network.placed import PlacedEndpoint
from simio.components.network.rpc_tcp import Messages
from simio.components.network.stack import Stack
from simio.components.network.tcp import Endpoint
from simio.description.sheets.remote import RemoteAdapter, RemoteLink
from simio.errors import RunError
from simio.program.builder import Builder, Operand, Register
from simio.program.service import ceil_times, per_byte

if TYPE_CHECKING:
    from simio.components.site import Site
    from simio.components.storage.remote import RemoteSession


Way = TypeVar("Way")
_NOTHING = {
    **dict.fromkeys(("socket_call", "buffer_cost", "walk_cost"), 0),
    **dict.fromkeys(("tcp_send", "tcp_receive", "ip_send", "ip_receive"), 0),
    "checksum": None,
    "copies": False,
}
"""The costs of a stack that a card has taken over."""


class Side:
    """One end of a connection: whose CPU works, at which costs.

    The worker of a connection is one thread, as that of a queue of Linux is (drivers/nvme/host/tcp.c,
    nvme_tcp_io_work; drivers/nvme/target/tcp.c, nvmet_tcp_io_work): on the core of the connection, where it has one,
    else on any CPU, and on one at a time.
    """

    def __init__(
        self,
        host: Computer,
        sheet: RemoteLink | RemoteAdapter,
        name: str,
        polled: bool = False,
        place: CorePlace | None = None,
    ) -> None:
        """A core that polls (`polled`) does one thing at a time by itself; `place` is the core of the connection."""
        self.host, self.pdu = host, sheet.pdu_cost
        self.place = place
        self.worker = None if polled else host.p.resource(f"{name} worker on {host.name}", lock=True)
        self.digest = per_byte(sheet.digest) * host.scale if sheet.digest else Fraction(0)

    @contextmanager
    def _works(self, what: str) -> Iterator[None]:
        p = self.host.p
        with p.label(what, self.host.name), p.hold(self.worker) if self.worker is not None else nullcontext():
            yield

    def unit(self, units: Operand, size: Operand, digests: bool) -> None:
        """CPU time of data units with `size` bytes of data, before they are sent or as they come."""
        p = self.host.p
        if not self.pdu and not (digests and self.digest):
            return
        with self._works("data units"):
            if self.pdu:
                self._work(units * self.pdu)
            if digests and self.digest:
                with p.scope():
                    self._sum(p.register(size))

    def serve(self, cost: int) -> None:
        """CPU time of a command, beside its data units."""
        if cost:
            with self._works("target software"):
                self._work(cost)

    def _work(self, cost: Operand) -> None:
        """Work of `cost` ps of the reference CPU's time."""
        if self.place is None:
            self.host.work(cost)
        else:
            self._on_core(self.host.span(cost))

    def _sum(self, size: Register) -> None:
        """Compute the digest of `size` bytes."""
        if self.place is None:
            self.host.work_on(0, size, self.digest, PROCESS)
        else:
            self._on_core(ceil_times(size, self.digest))

    def _on_core(self, time: Operand) -> None:
        assert self.place is not None
        with self.place.kept():
            self.place.core.spend(time)


class StorageConnection:
    """A connection with a reader at each end."""

    def __init__(self, session: RemoteSession, name: str, target: Computer) -> None:
        """Raises RunError where cores that poll, or a card, would have to share packets with cores of a kernel."""
        sheet, site = session.sheet, session.site
        made = Dialogue(session.host, session.target, window=None, nodelay=True)
        self.near, self.far = site.sockets.connection(made, name, (sheet.largest, sheet.largest), False)
        if sheet.cores and self.far.placed:
            what = "a card at" if sheet.card else "cores that poll for"
            raise RunError(
                f"{what} a target whose adapter has queues ({self.far.stack.name!r}) is not modelled: the kernel's "
                "cores have its packets; take links/nvme-tcp-nvmet, or an adapter of another kind, such as "
                "adapters/ideal-ethernet",
                f"links.{session.link.name}",
            )
        for end in (self.near, self.far):
            end.inside = True
        self.card = sheet.card
        self._place(site, target)
        self.initiator = Side(self.near.stack.host, session.adapter.part.sheet, name, place=_place_of(self.near))
        self.target = Side(target, sheet, name, sheet.cores > 0, _place_of(self.far))
        self.out = Messages(f"{name} to the target", self.near, self.far, sheet.depth)
        self.back = Messages(f"{name} to the initiator", self.far, self.near, sheet.depth)
        self.tags = site.p.container(f"{name} commands", sheet.depth, sheet.depth, "commands")

    def _place(self, site: Site, target: Computer) -> None:
        """Have the target's end worked for by its own core, or its card."""
        far, part = self.far, site.system.hosts[self.far.stack.name].stack
        assert part is not None
        kernel = copy.copy(far.stack.kernel)
        kernel.host = target
        far.stack = Stack(kernel, replace(part, sheet=part.sheet.model_copy(update=_NOTHING)) if self.card else part)


def _place_of(end: Endpoint) -> CorePlace | None:
    """The core of an end's connection, where it has one."""
    return end.process if isinstance(end, PlacedEndpoint) else None


class InTurn(Generic[Way]):
    """The ways of a session to its target, which commands take in turn."""

    def __init__(self, p: Builder, name: str, each: Sequence[Way]) -> None:
        self.p = p
        self.each = each
        self.next = p.variable(name)

    def take(self) -> Register:
        """The number of the next command's way."""
        line = self.next.increment(1)
        line.set(line % len(self.each))
        return line

    def on(self, line: Register, do: Callable[[Way], None]) -> None:
        """Emit `do` for the way whose number is in `line`."""
        for number, own in enumerate(self.each):
            with self.p.when(line == number) if len(self.each) > 1 else nullcontext():
                do(own)


class Queues(InTurn[StorageConnection]):
    """The connections of a session."""

    def __init__(self, session: RemoteSession) -> None:
        p, sheet, name = session.p, session.sheet, session.link.name
        own = [f"{name} connection {number + 1}" for number in range(sheet.connections)]
        each = [StorageConnection(session, each, session.core(number)) for number, each in enumerate(own)]
        super().__init__(p, f"{name} next connection", each)
        self.open = p.container(f"{name} open", unit="connections")
        for connection in self.each:
            self._readers(connection)

    def _readers(self, own: StorageConnection) -> None:
        p = self.p
        for messages, end, open_up in (
            (own.back, own.near, own.near.connect),
            (own.out, own.far, own.far.accept),
        ):
            with p.thread(f"{messages.name}: reader on {end.stack.name}", daemon=True):
                open_up()
                p.put(self.open, 1)
                with p.forever():
                    messages.receive()

    def take(self) -> Register:
        """The number of the next command's connection, once all are there."""
        p, ends = self.p, 2 * len(self.each)
        p.get(self.open, ends)
        p.put(self.open, ends)
        return super().take()
