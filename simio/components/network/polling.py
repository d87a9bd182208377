"""Busy polling: a program that reads polls the queue of its core, in place of interrupts (SO_BUSY_POLL).

Linux net/core/dev.c, napi_busy_loop: the program polls until there is something to read or its time is over, and lets
others have the core who want it. A poll that finds nothing takes `poll_cost`; a packet is found as it ends. While the
program polls there are no interrupts; that one may come which was asked for before is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simio.errors import RunError
from simio.machines.network import napi, profile, spinning
from simio.program.builder import Builder, Register, minimum, since

if TYPE_CHECKING:
    from simio.components.network.napi import Napi
    from simio.components.network.place import CorePlace, Profile


class Spinner:
    """A core whose program polls and finds nothing, until something comes."""

    def __init__(self, p: Builder, spent: Profile, core: int, each: int) -> None:
        """A poll that finds nothing takes `each` ps."""
        self.p, self.spent, self.each = p, spent, each
        name = f"{spent.host.name}.core {core} polling"
        self.state = p.machine(name, spinning.WORDS.initial())
        self.told = p.container(name, unit="turns")
        p.tally(name, "empty polls", self.state + spinning.SPUN, "ns")

    def tell(self) -> None:
        """A packet has come, or someone wants the core."""
        p = self.p
        with p.scope():
            spins = p.answer(spinning.stop, self.state)
            with p.when(spins == 1):
                p.put(self.told, 1)

    def spin(self, limit: Register) -> None:
        """Poll, with the core in hand, until something comes, or for `limit` ps; ends with a poll."""
        p = self.p
        with p.scope():
            number, begun = p.answer(spinning.begin, self.state), p.now()
            with p.fork("end of polling", daemon=True):
                p.wait(limit)
                p.call(number, spinning.expire, self.state, number)
                with p.when(number == 1):
                    p.put(self.told, 1)
            p.get(self.told, 1)
            p.wait(p.answer(spinning.rest, self.state, self.each))
            number.set(since(begun))
            p.call(number, profile.charge, self.spent.state, profile.NETDEV, number)


class Polls:
    """A program on a core that polls its queue as long as it has nothing to read, `limit` ps at most."""

    def __init__(self, queue: Napi, reader: CorePlace, limit: int) -> None:
        """Raises RunError if the queue is another core's."""
        self.p, self.queue, self.reader, self.limit = queue.p, queue, reader, limit
        if queue.place.core.number != reader.core.number:
            raise RunError(
                f"programs of {reader.spent.host.name!r} poll for what they read (busy_read), and packets for core "
                f"{reader.core.number} come by the queue of core {queue.place.core.number}; have them come by that "
                "of their reader's core, as with steering: flow of the adapter",
                ".busy_read",
            )

    def until(self, found: Callable[[Register], None]) -> None:
        """Emit polls; `found` emits a register above 0 if there is something to read."""
        p, queue, spinner = self.p, self.queue, self.queue.spinner
        assert spinner
        with p.scope():
            begun, going, more, left = p.now(), p.register(1), p.register(), p.register()
            with p.while_(going == 1), self.reader.kept():
                p.call(going, napi.take_over, queue.state)
                with p.when(going == 1):
                    more.set(1)
                    with p.while_(more == 1):
                        left.set(self.limit - since(begun))
                        p.call(more, napi.waiting, queue.state)
                        with p.when(more == 0), p.when(left > 0):
                            spinner.spin(left)
                            p.call(more, napi.waiting, queue.state)
                        with p.when(more > 0):
                            queue.poll()
                        more.set(minimum(more, 1))
                        found(left)
                        with p.when(left > 0):
                            going.set(0)
                        with p.when(since(begun) >= self.limit):
                            going.set(0)
                        # Neither a packet nor the end: someone wants the core.
                        more.set(more * going)
                    queue.leave()
