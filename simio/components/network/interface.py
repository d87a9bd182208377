"""Parts of every kind of network interface: an output queue that drops, a driver, and the protocol for a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from simio.components.host.host import PROCESS
from simio.components.host.kernel import UnixKernel
from simio.components.network.packet import DropQueue, Left, Packet
from simio.components.passage import Passage
from simio.program.builder import Builder
from simio.program.labels import labelled

Cores = tuple[int, int]
"""Numbers of the cores of a program and of the queue that its packets come by."""
Wish = tuple[int | None, int | None]
"""The same as a workload asks for them; None leaves one to the adapter."""
ANY: Wish = None, None


class Interface(Protocol):
    """One end of a path."""

    name: str
    mtu: int | None
    """Largest IP datagram that it is set up for, in bytes; None: as the link allows."""
    checksum: bool
    """True if the adapter computes the checksums of TCP and UDP, so that the stack need not."""
    transmit_room: int
    receive_room: int
    """Memory on the adapter for packets on their way out and in, in bytes."""

    @property
    def cores(self) -> Callable[[int, Wish, str | None, bool], Cores] | None:
        """Chooses the cores of the program of this number; None of an adapter without queues for cores.

        Of datagrams the name of the interface at the other end is given, too, and whether they come in fragments.
        """

    def drive(self, priority: int = PROCESS) -> None:
        """Emit the CPU time of the driver to hand a packet to the adapter."""

    def sending(self, packet: Packet, driven: bool) -> AbstractContextManager[Left]:
        """Emit a packet's way from the stack to where the wire begins.

        The body runs when the packet is ready to be sent, unless it is dropped; what the context gives has to be
        emitted when its last bit has left. With `driven`, the driver's CPU time has been spent already.
        """

    def reserve(self, packet: Packet) -> None:
        """Emit waiting until a packet may be sent here, where links know of a receiver's room."""

    def receive(self, packet: Packet, deliver: Callable[[], None]) -> None:
        """Emit a packet's way from where the wire ends to the stack: `deliver` is emitted at interrupt level."""

    def passage(self, read: bool) -> Passage:
        """The least time of a byte of packets sent (`read`), or received, on the adapter's bus; emits no step."""


class OutputQueue:
    """The interface's output queue, and the driver that takes packets from it."""

    def __init__(self, p: Builder, kernel: UnixKernel, name: str, packets: int, ring: int, cost: int) -> None:
        """`packets` may wait for the driver, which hands the adapter up to `ring` ahead, at `cost` ps of CPU each."""
        self.p = p
        self.host = kernel.host
        self.cost = cost
        self.queue = DropQueue(p, f"{name} queue", packets, name, "packets")
        self.ring = p.container(f"{name} transmit ring", ring, ring, "packets")

    @labelled("network drivers", "host.name")
    def drive(self, priority: int = PROCESS) -> None:
        """CPU time of the driver to hand a packet to the adapter."""
        self.host.work(self.cost, priority)

    @contextmanager
    def passed(self, packet: Packet, driven: bool) -> Iterator[None]:
        """Run the body when the adapter has the packet's descriptor, unless the queue is full."""
        with self.queue.entered(packet, 1):
            if not driven:
                self.drive()
            self.p.get(self.ring, 1)
            self.queue.leave(1)
            yield

    def sent(self) -> None:
        """The adapter is done with a descriptor."""
        self.p.put(self.ring, 1)
