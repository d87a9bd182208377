"""Steering by software: IP and what is above it on the core of the program (RFS), or on one by a hash (RPS).

Linux net/core/dev.c (5.4), get_rps_cpu: the core of the program comes first, then the hash. The softirq that has
polled the queue leaves the buffer in the backlog of the other core (enqueue_to_backlog), which it interrupts if the
backlog was empty, and drops it where the backlog is full; a softirq there takes it up (process_backlog).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simio.components.network.packet import Packet, dropped
from simio.components.network.stack import Stack
from simio.errors import RunError
from simio.program.builder import Register

if TYPE_CHECKING:
    from simio.components.network.seat import Seat


def steered(stack: Stack, core: int, ports: tuple[int, int]) -> int | None:
    """The CPU to which software steers a flow between `ports`, whose program is on `core`; None: to none.

    Fibonacci hashing of both ports stands for the hash of the flow, which is scaled to the number of CPUs as
    reciprocal_scale() does. Raises RunError for more CPUs than the host has.
    """
    sheet, count = stack.sheet, stack.host.description.cpus
    if sheet.rfs:
        return core
    if sheet.rps is None:
        return None
    if sheet.rps > count:
        host = stack.host.name
        raise RunError(f"{host!r} has {count} CPUs, fewer than {sheet.rps}", f"hosts.{host}.stack.rps")
    return ((ports[0] << 16 | ports[1]) * 2654435761 % 2**32) * sheet.rps >> 32


class Steering:
    """The way of a program's packets and buffers to another core than that of its queue."""

    def __init__(self, seat: Seat, name: str, parameters: int, enters: Callable[..., None]) -> None:
        """`enters` emits the work of IP and above on a length and words, `parameters` in all, at the other core.

        `name` counts what the backlog drops.
        """
        p = self.p = seat.stack.p
        self.seat = seat
        self.name = name
        self.enters = enters
        host, core = seat.stack.host.name, seat.softirq.core.number
        self.backlog = p.variable(f"{host}.core {core} backlog")
        self.far = " far" if seat.driver.socket != seat.softirq.socket else ""
        self.passes = p.procedure(f"{name} steered", parameters, self._came)

    def leave(self, packet: Packet) -> None:
        """The driver's softirq, with its core in hand, leaves a buffer to the other core."""
        p, softirq = self.p, self.seat.softirq
        self.seat.driver.spend("steer")
        with p.scope():
            waiting = self.backlog.load()
            most = self.seat.stack.sheet.backlog
            with p.when(waiting >= most):
                dropped(p, self.name, packet)
            with p.when(waiting < most):
                self.backlog.store(waiting + 1)
                with p.when(waiting == 0), p.fork("interrupt"):
                    softirq.spend("interrupt")
                marks = [packet.marks] if packet.marks is not None else []
                p.spawn(self.passes, packet.length, *packet.words, *marks)

    def _came(self, length: Register, *words: Register) -> None:
        """The thread that is a buffer of the backlog."""
        p, softirq = self.p, self.seat.softirq
        with softirq.kept():
            with p.scope():
                self.backlog.store(self.backlog.load() - 1)
            softirq.spend(f"hand over{self.far}")
            self.enters(length, *words)
