"""Interrupts of a network adapter, whose handler serves packets one after another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.components.host.host import INTERRUPT
from simio.components.host.kernel import UnixKernel
from simio.machines.network import handler
from simio.machines.network.handler import FIRST, RAISE
from simio.program.builder import Builder


class PacketInterrupts:
    """One interrupt for up to `count` packets, the first of which waits at most `delay` ps for others.

    The handler serves packets one after another in the order of arrival, and looks for more before it returns: what
    arrives while it runs takes no interrupt. It has a CPU while the driver works, and not while the layers above do,
    which take one for themselves: they may have to wait for one another, as they could not with the only CPU in hand.
    """

    def __init__(self, p: Builder, kernel: UnixKernel, name: str, cost: int, count: int = 1, delay: int = 0) -> None:
        """`cost` is the CPU time of the driver a packet, in ps of the reference CPU."""
        self.p = p
        self.kernel = kernel
        self.host = kernel.host
        self.name = name
        self.cost = self.host.span(cost)
        self.count, self.delay = count, delay
        self.state = p.machine(f"{name} interrupts", handler.WORDS.initial())
        self.turn = p.container(f"{name} handler", 1, 0, "turns")
        self.counted = p.machine(f"{name} counted", handler.COUNTER.initial())

    @contextmanager
    def served(self) -> Iterator[None]:
        """A packet has arrived; the body is the handler's work on it after the driver's."""
        p = self.p
        serving = p.resource(f"{self.name} handler", lock=True)
        with p.scope():
            what = p.answer(handler.arrive, self.state, self.count)
            with p.when(what == RAISE):
                self._raise()
            if self.count > 1:
                with p.when(what == FIRST):
                    self._expire_later()
            # The turn, and with it the CPU, is handed on in the order in which packets came: none overtakes another.
            p.get(self.turn, 1)
            p.seize(serving)
            with p.label("network drivers", self.host.name):
                p.advance(self.cost)
            p.release(self.host.cpu)
            yield
        p.release(serving)
        with p.scope():
            more = p.answer(handler.served, self.state)
            with p.when(more != 0):
                p.seize(self.host.cpu, priority=INTERRUPT)
                p.put(self.turn, 1)

    def _raise(self) -> None:
        with self.p.fork("interrupt"):
            self._enter()

    def _enter(self) -> None:
        """The handler gets a CPU, and the first packet its turn."""
        self.p.seize(self.host.cpu, priority=INTERRUPT)
        self._interrupted()

    def _interrupted(self) -> None:
        """A CPU that the handler holds takes the interrupt, and the first packet gets its turn."""
        with self.p.label("interrupts", self.host.name):
            self.p.advance(self.host.span(self.kernel.sheet.interrupt))
        self.p.put(self.turn, 1)

    def _expire_later(self) -> None:
        """The first of a batch starts its clock."""
        p = self.p
        batch = p.answer(handler.gathering, self.state)
        with p.fork("coalesce", delay=self.delay):
            p.call(batch, handler.expire, self.state, batch)
            with p.when(batch == RAISE):
                self._enter()

    def note(self) -> None:
        """An event of which every `count`th raises an interrupt without a waiter."""
        p = self.p
        with p.scope():
            full = p.answer(handler.count_to, self.counted, self.count)
            with p.when(full != 0), p.fork("interrupt", daemon=True):
                self.kernel.interrupt()
