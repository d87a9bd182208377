"""Memory that runs have freed, kept by the process for the next runs."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

_TRIM, _MAPPED = -1, -3
"""Options of mallopt(3), of glibc's malloc.h: bytes that may be free at the heap's end, and from which on a block is
mapped by itself."""
MOST_FREE = 2**26
LARGE = 2**22
"""Bytes of a table that goes back to the system when it is freed."""


@cache
def keep_freed() -> None:
    """Let the heap keep up to 64 MB that are free, where the C library is glibc; of use where runs are short.

    Tables of one small run are some hundred kilobytes, which malloc gives back to the system at its end. The next run
    then has a fault for each page of them.
    """
    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        # To set one of them stops malloc from adapting the other.
        mallopt(_TRIM, MOST_FREE)
        mallopt(_MAPPED, LARGE)
