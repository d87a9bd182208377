"""The functions of an endpoint that a CALL step can name, by number."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.buffers import append, room
from simio.machines.tcp.connection import accept, close, expire, look, open_up, stage, stamps
from simio.machines.tcp.layout import OUT_WORD, STAGED_A, STAGED_VALUE
from simio.machines.tcp.receiving import block, read
from simio.machines.tcp.sending import output, plan
from simio.machines.tcp.timers import sleep

TCP_OPEN = 32
"""a: 1 active open (sends a SYN), 0 passive open. 1 where TCP_OUTPUT has to be asked."""
TCP_CLOSE = 33
TCP_ROOM = 34
TCP_APPEND = 35
TCP_OUTPUT = 36
TCP_ACKNOWLEDGE = 37
TCP_STAMP = 38
TCP_SACK = 39
TCP_OPTIONS = 40
TCP_SACKED = 41
TCP_INPUT = 42
TCP_READ = 43
TCP_WANTS = 44
TCP_SLEEP = 45
TCP_EXPIRE = 46
TCP_LOOK = 47
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

NAMES = {
    TCP_OPEN: "tcp.open",
    TCP_CLOSE: "tcp.close",
    TCP_ROOM: "tcp.room",
    TCP_APPEND: "tcp.append",
    TCP_OUTPUT: "tcp.output",
    TCP_ACKNOWLEDGE: "tcp.acknowledge",
    TCP_STAMP: "tcp.stamp",
    TCP_SACK: "tcp.sack",
    TCP_OPTIONS: "tcp.options",
    TCP_SACKED: "tcp.sacked",
    TCP_INPUT: "tcp.input",
    TCP_READ: "tcp.read",
    TCP_WANTS: "tcp.wants",
    TCP_SLEEP: "tcp.sleep",
    TCP_EXPIRE: "tcp.expire",
    TCP_LOOK: "tcp.look",
}


@shared
def call_tcp(function: int, state: NDArray, base: int, now: int, a: int, b: int) -> int:
    """Value of an endpoint's function; -1 if it refuses."""
    if function == 42:
        return accept(state, base, now, a, b)
    if function == 36:
        return output(state, base, now)
    if function == 37:
        return state[base + OUT_WORD]
    if function == 34:
        return room(state, base, now, a)
    if function == 35:
        return append(state, base, now, a)
    if function == 43:
        return read(state, base, now, a)
    if function == 44:
        return 1 if plan(state, base, now, 1) > 0 else 0
    if function == 45:
        return sleep(state, base, now)
    if function == 46:
        return expire(state, base, now)
    if function == 38:
        return stamps(state, base, now)
    if function == 39:
        return block(state, base, a)
    if function == 40:
        return stage(state, base, STAGED_VALUE, a >> 31, a & 2147483647)
    if function == 41:
        return stage(state, base, STAGED_A, a, b)
    if function == 32:
        return open_up(state, base, now, a)
    if function == 33:
        return close(state, base, now)
    if function == 47:
        return look(state, base, a)
    return -1
