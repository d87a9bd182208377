"""A connection over a medium that others share, kept as long as there is something to send over it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simio.program.builder import Builder, Handle


class Connection:
    """A device's hold of a shared medium while it is connected.

    A device that has sent what it had does not know whether more will be ready at once: the connection lingers
    until the end of the instant. What is sent at the same instant goes over it; otherwise a child closes it.
    """

    def __init__(self, p: Builder, medium: Handle, name: str) -> None:
        self.p = p
        self.medium = medium
        self.kept = p.variable(f"{name} connection")

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Be connected; the body, which seizes the medium, runs unless the connection lingers."""
        p = self.p
        with p.scope():
            kept = self.kept.swap(0)
            with p.when(kept == 0):
                yield

    def linger(self, closing: int) -> None:
        """Keep the connection for this instant; then let it go, which takes `closing` ps."""
        p = self.p
        with p.scope():
            self.kept.store(1)
            with p.fork("disconnect"):
                kept = self.kept.swap(0)
                with p.when(kept == 1):
                    self.close(closing)

    def close(self, closing: int) -> None:
        """Let the medium go after `closing` ps."""
        self.p.advance(closing)
        self.p.release(self.medium)
