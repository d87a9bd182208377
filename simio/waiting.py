"""Progress of long work, however deep it is called, and Ctrl-C at a safe point."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Protocol


class Watcher(Protocol):
    """A receiver of progress, called several times a second."""

    def prepares(self, steps: int) -> None:
        """A program is written, and has so many steps already."""

    def runs(self, now: int, until: int, delivered: int, of: int) -> None:
        """A run is at `now` of `until` ps, and has delivered this many `of` all its bytes, 0 if these are unknown."""


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def watcher() -> Watcher | None:
    """The watcher of this thread's work, or None."""
    return _watcher.get()


@contextmanager
def watched(by: Watcher | None) -> Iterator[None]:
    """Work inside is watched, by one only if such blocks are nested, or by none."""
    token = _watcher.set(by)
    try:
        yield
    finally:
        _watcher.reset(token)


class Interrupt:
    """A Ctrl-C that has come, if it has."""

    def __init__(self) -> None:
        self.noticed = False

    def notice(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal; one more, to work that looks at none, is as usual."""
        if self.noticed:
            signal.default_int_handler(number, frame)
        self.noticed = True


@contextmanager
def interrupt() -> Iterator[Interrupt]:
    """Ctrl-C inside is noted, for work that looks at it often and stops between two of its steps.

    Where it is not what Python makes of it, or this is another thread than the main one, it does as before.
    Raises KeyboardInterrupt at its end if one was noted.
    """
    found = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield found
        return
    signal.signal(signal.SIGINT, found.notice)
    try:
        yield found
    except Exception:
        if found.noticed:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
