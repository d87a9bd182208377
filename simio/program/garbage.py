"""Context manager that pauses the cyclic garbage collector while large, long-lived structures are built."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_frozen = False
"""True in a process whose objects `freeze` has taken out of the collector's sight."""


def freeze() -> None:
    """Take all objects that there are out of the garbage collector's sight, for as long as the process lives."""
    global _frozen
    _frozen = True
    gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector, which would scan all the objects that the body makes again and again.

    They count as old ones afterwards, so that the next collection does not scan them either.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            # To count what is frozen takes longer than to lower a program.
            if not _frozen and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
