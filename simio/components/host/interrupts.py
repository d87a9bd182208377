"""Interrupts of an adapter: one a command, or one for several."""

from __future__ import annotations

from typing import Protocol

from simio.machines import coalesce
from simio.program.builder import Builder


class Interruptible(Protocol):
    """A kernel that an interrupt can be raised on."""

    def interrupt(self) -> None:
        """Emit the service of one interrupt."""


class Interrupts:
    """Coalescing: one interrupt for `count` finished commands, or when the first of them has waited for `delay` ps.

    A count of 1 or no delay means an interrupt a command.
    """

    def __init__(self, p: Builder, kernel: Interruptible, name: str, count: int, delay: int) -> None:
        self.p = p
        self.kernel = kernel
        self.name = name
        self.count, self.delay = count, delay
        self.coalesces = count > 1 and delay > 0
        if self.coalesces:
            self.state = p.machine(f"{name} interrupts", coalesce.WORDS.initial())
            self.served = p.container(f"{name} interrupts", unit="commands")

    def raise_and_wait(self) -> None:
        """A command is done; returns when an interrupt that serves it has been taken."""
        p = self.p
        if not self.coalesces:
            self.kernel.interrupt()
            return
        with p.scope():
            member = p.answer(coalesce.arrive, self.state, self.count)
            with p.when(member == 1):
                self._expire_later()
            with p.when(member < self.count):
                p.get(self.served, 1)
            with p.when(member == self.count):
                self.kernel.interrupt()
                p.put(self.served, self.count - 1)

    def _expire_later(self) -> None:
        """Start the clock of a batch that begins with this command."""
        p = self.p
        batch = p.answer(coalesce.batch, self.state)
        with p.fork("coalesce", delay=self.delay, daemon=True):
            p.call(batch, coalesce.expire, self.state, batch)
            with p.when(batch > 0):
                self.kernel.interrupt()
                p.put(self.served, batch)
