"""A packet, and the interface of wires.

A packet is a thread that walks its path step by step; its registers are the packet's fields. So what a stage does
to a packet reads like what happens to it, and a packet that is dropped is a thread that ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

from simio.components.network.capture import Flow
from simio.machines.network import queue
from simio.machines.network.queue import LEVEL, initial
from simio.program.builder import Builder, Handle, Operand, Register

Left = Callable[[], None]
"""Emits what happens at the near end when a packet's last bit has left it."""


class Joins(Protocol):
    """An adapter's joining of a connection's packets into buffers."""

    def take(self, packet: Packet) -> None:
        """Emit what becomes of a packet whose data are in memory; its place in the ring is its own."""


@dataclass(frozen=True)
class Packet:
    """An IP datagram on its way: registers of the thread that is the packet.

    `length` holds the bytes of the datagram, IP header included; `words` are the transport's, which nothing on the
    path looks at. `flow` is what the packet belongs to in a packet trace, None where none is made. `marks` has the
    codepoint and flags of congestion (`simio.machines.tcp.layout`: ECT, CE), None where the transport has none.
    `stream` names whose packet it is, for queues that have one for each flow. `queue` is the core whose queue of an
    adapter takes it, where the adapter has several. `joins` makes buffers of it and others in that adapter (LRO), or
    is None. `traffic_class` is its class of traffic, 0 to 7, for queues that have one for each. `unsent` emits what
    follows if its own host drops it, and is None elsewhere.
    """

    length: Register
    words: tuple[Register, ...] = ()
    flow: Flow | None = None
    marks: Register | None = None
    stream: str = "the rest"
    queue: int = 0
    joins: Joins | None = None
    traffic_class: int = 0
    unsent: Left | None = None


class Wire(Protocol):
    """One direction of a link."""

    name: str
    wire: Handle
    """The resource that is busy while packets are on the wire."""
    mtu: int
    """Largest IP datagram that fits, in bytes."""
    delay: int
    """Propagation delay in ps."""
    header: int
    """Bytes of a frame beside its packet that a switch of packets has to store."""
    streams: bool
    """True if it reports the arrival of a packet's beginning, for a stage that cuts through."""

    def crossing(self, packet: Packet, early: bool = False, left: Left | None = None) -> AbstractContextManager[None]:
        """Emit waiting for the wire and the packet's time on it; the body runs at the far end.

        That is when the last bit has arrived, or, with `early`, when a stage that cuts through may begin to pass the
        packet on. A packet that is lost on the way ends with a mark; the body is not run.
        """

    def time(self, length: int) -> int:
        """Time that the wire is taken by a packet of `length` bytes alone, gaps included, in ps."""

    def head(self) -> int:
        """Time until a stage that cuts through knows where a packet goes, in ps."""

    def span(self, length: Operand) -> Operand:
        """Time from the first to the last bit of a packet of `length` bytes, in ps; may take registers."""


class NetworkSwitch(Protocol):
    """A switch between two wires."""

    cuts_through: bool
    """True if it begins to pass a packet on before all of it has come."""
    streams: bool
    """True if it reports the arrival of a packet's beginning at the end of the next wire."""

    def forward(
        self, packet: Packet, incoming: Wire, outgoing: Wire, streaming: bool, early: bool
    ) -> AbstractContextManager[None]:
        """Emit a packet's way from where one wire ends to where the next one does (or, `early`, begins to).

        With `streaming`, the packet has come so far that it may be passed on, else all of it.
        """


def dropped(p: Builder, name: str, packet: Packet, how: str = "dropped") -> None:
    """Mark that `name` dropped the packet (or lost it: `how`)."""
    p.mark(p.observation(f"{name} {how}", "other", "bytes"), packet.length)
    if packet.unsent:
        packet.unsent()


class DropQueue:
    """A queue, in packets or bytes, that drops what does not fit."""

    def __init__(self, p: Builder, name: str, capacity: int, owner: str, unit: str = "bytes") -> None:
        """`owner` is who the drops are counted for, `name` if left out; `unit` that of the capacity."""
        self.p = p
        self.owner = owner or name
        self.state = p.machine(name, initial(capacity))
        p.gauge(name, "level", self.state + LEVEL, unit)

    @contextmanager
    def entered(self, packet: Packet, amount: Operand, *before: tuple[DropQueue, Operand]) -> Iterator[None]:
        """Run the body if `amount` fits; else the packet is dropped, and leaves the queues that it was in `before`.

        Each of these comes with what the packet takes there.
        """
        p = self.p
        with p.scope():
            fits = p.answer(queue.enter, self.state, amount)
            with p.either(fits == 0) as otherwise:
                for other, had in before:
                    other.leave(had)
                dropped(p, self.owner, packet)
                otherwise()
                yield

    @contextmanager
    def entered_below(self, packet: Packet, amount: Operand, shared: DropQueue, eighths: int) -> Iterator[None]:
        """Run the body if `amount` fits into `share` eighths of the free part of a shared queue, else drop it."""
        p = self.p
        with p.scope():
            most = p.register()
            p.call(most, queue.free, shared.state)
            most.set(most * eighths // 8)
            fits = p.answer(queue.enter_below, self.state, amount, most)
            with p.either(fits == 0) as otherwise:
                dropped(p, self.owner, packet)
                otherwise()
                yield

    def leave(self, amount: Operand) -> None:
        """`amount` has left the queue."""
        with self.p.scope():
            self.level(self.p.register(), amount)

    def level(self, result: Register, less: Operand = 0) -> None:
        """Emit `result` = the level of the queue when `less` has left."""
        self.p.call(result, queue.leave, self.state, less)
