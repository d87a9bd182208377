"""The functions of an endpoint that a CALL step can name."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.tcp.buffers import append, room
from simio.machines.tcp.connection import accept, close, expire, look, open_up, stage, stamps
from simio.machines.tcp.layout import OUT_WORD, STAGED_A, STAGED_VALUE
from simio.machines.tcp.receiving import read
from simio.machines.tcp.sacked import block
from simio.machines.tcp.sending import output, plan
from simio.machines.tcp.timers import sleep

_declare = machine("tcp")
TCP_OPEN = _declare(open_up)
"""a: 1 active open (sends a SYN), 0 passive open. 1 where TCP_OUTPUT has to be asked."""
TCP_CLOSE = _declare(close)
TCP_ROOM = _declare(room)
TCP_APPEND = _declare(append)
TCP_OUTPUT = _declare(output)
TCP_STAMP = _declare(stamps)
TCP_SACK = _declare(block)
TCP_INPUT = _declare(accept)
TCP_READ = _declare(read)
TCP_SLEEP = _declare(sleep)
TCP_EXPIRE = _declare(expire)
TCP_LOOK = _declare(look)
"""a: one of the following."""
LOOK_STATE = 0
LOOK_CHAIN = 1
"""Buffers in the send buffer, which 4.3BSD walks along for each append and each segment."""
LOOK_WINDOW = 2
"""Congestion window in bytes."""
LOOK_FLIGHT = 3
"""Bytes that are outstanding."""
LOOK_UNACKNOWLEDGED = 4
"""Bytes in the send buffer."""
LOOK_UNREAD = 5
"""Bytes in the receive buffer."""


@_declare
def TCP_ACKNOWLEDGE(state: NDArray, base: int) -> int:  # noqa: N802
    """The word of the segment that was planned last."""
    return state[base + OUT_WORD]


@_declare
def TCP_OPTIONS(state: NDArray, base: int, now: int, stamps: int) -> int:  # noqa: N802
    """The time stamps of the segment that arrives next."""
    return stage(state, base, STAGED_VALUE, stamps >> 31, stamps & 2147483647)


@_declare
def TCP_SACKED(state: NDArray, base: int, now: int, a: int, b: int) -> int:  # noqa: N802
    """A block of the segment that arrives next."""
    return stage(state, base, STAGED_A, a, b)


@_declare
def TCP_WANTS(state: NDArray, base: int, now: int) -> int:  # noqa: N802
    """1 if there is a segment to send, else 0."""
    return 1 if plan(state, base, now, 1) > 0 else 0
