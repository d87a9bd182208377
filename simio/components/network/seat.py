"""A program's core and the queue that has its packets: who works where, and what passes from one to the other."""

from __future__ import annotations

from simio.components.network.pages import Unread
from simio.components.network.place import CorePlace
from simio.components.network.polling import Polls
from simio.components.network.queued import QueuedInterface
from simio.components.network.stack import Stack
from simio.machines.network import profile
from simio.program.builder import Operand, Register


class Seat:
    """One program with a socket, on a core, whose packets come by the queue of the same core or another.

    `driver` is the softirq that polls the queue, and `softirq` the one that has the protocols: the same, or one on
    the core that it `steers` to (RFS, RPS).
    """

    def __init__(self, stack: Stack, interface: QueuedInterface, cores: tuple[int, int], steered: int | None) -> None:
        """`cores` are those of the program and of the queue, `steered` the one that software steers to, if it does.

        Raises RunError if programs poll, and the first two differ.
        """
        self.stack, self.interface = stack, interface
        self.queue = cores[1]
        self.napi = interface.queue(cores[1])
        self.process: CorePlace = interface.places.process(cores[0])
        self.driver: CorePlace = self.napi.place
        protocols = cores[1] if steered is None else steered
        self.steers = protocols != cores[1]
        self.softirq: CorePlace = interface.places.softirq(protocols) if self.steers else self.driver
        self.apart = self.process.core.number != self.softirq.core.number
        self.far = " far" if self.process.socket != self.softirq.socket else ""
        self._transmits = {place: interface.transmits(place) for place in (self.process, self.softirq)}
        limit = stack.sheet.busy_read
        self.polls = Polls(self.napi, self.process, limit) if limit else None

    def arrived(self, amount: Register) -> None:
        """Bytes have come for the program, and are in the socket's cache if they may be."""
        if not self.far and not self.interface.far(self.queue):
            with self.stack.p.scope():
                self.stack.p.answer(profile.arrived, self.softirq.spent.state, amount)

    def sent(self, place: CorePlace) -> None:
        """A buffer goes down from the program or the softirq."""
        self._transmits[place].sent()

    def unread(self, name: str, whole: int, length: int) -> Unread | None:
        """The buffers of a socket, where pages are counted: full packets have `whole` bytes of data in `length`."""
        interface = self.interface
        return Unread(name, interface.pool(self.queue), whole, length) if interface.lists.counted else None

    def take(self, amount: Register, handed: Operand, lines: Operand) -> None:
        """The program copies its data, in buffers that another core has `handed` over, with lists of fragments."""
        with self.process.kept():
            if self.apart:
                self.process.spend(f"hand over{self.far}", handed)
                self.process.spend(f"fragments{self.far}", lines)
            if not self.stack.sheet.copies:
                return
            if self.far:
                self.process.copy(profile.FAR, amount)
            elif self.interface.far(self.queue):
                self.process.copy(profile.MEMORY_NEAR, amount)
            else:
                self.process.take(amount)
