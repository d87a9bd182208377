"""An output port of a switch of cells, as a fluid: its backlog, what comes in, and whether it has overflowed.

Packets come cell by cell, several at a time, each from an input of its own. The port serves cells in order of arrival
at its own rate. Its backlog is kept as the time B that the port needs to serve it. While packets come whose cells
need w1, w2, … ps of service a ps, B grows by w1 + w2 + … - 1 a ps, and stays at zero where that would be negative.
So a packet costs two looks, at its first and last cell, and no event a cell. What a fluid does not show is the wait
of a cell for others that come at the same instant, a cell time an input at most.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("port of cells")
BACKLOG = WORDS.word("backlog", "ps", about="time that the port needs for all that is in its buffer")
INFLOW = WORDS.word("inflow", about="sum of the shares w of the packets that are coming, in parts of UNIT")
AT = WORDS.word("at", "ps", about="instant for which the backlog holds")
CAPACITY = WORDS.word("capacity", "ps", about="backlog of a full buffer")
DISCARD = WORDS.word("discard", "ps", about="backlog above which no packet is begun; 0 for none")
OVERFLOWS = WORDS.word("overflows", about="how often the buffer has been found to have overflowed")
COMING = WORDS.word("coming", "packets", about="packets that are coming")
UNIT = 2**16
MOST = 2**62
"""Most that the shares may be, times the time in ps between two looks while packets come."""


def initial(capacity: int, discard: int) -> State:
    """State of an empty port: backlogs in ps of a full buffer, and of one at which packets are discarded."""
    return WORDS.initial(capacity=capacity, discard=discard)


@shared
def pass_time(state: NDArray, base: int, now: int) -> int:
    """Bring the backlog up to now; -1 if packets have come for longer than can be reckoned."""
    time = now - state[base + AT]
    state[base + AT] = now
    if state[base + COMING] == 0:
        state[base + BACKLOG] = max(state[base + BACKLOG] - time, 0)
        return 0
    if time > MOST // max(state[base + INFLOW], UNIT):
        return -1
    state[base + BACKLOG] = max(state[base + BACKLOG] + time * (state[base + INFLOW] - UNIT) // UNIT, 0)
    if state[base + BACKLOG] > state[base + CAPACITY]:
        state[base + BACKLOG] = state[base + CAPACITY]
        state[base + OVERFLOWS] += 1
    return 0


@machine("network")
def start(state: NDArray, base: int, now: int, share: int) -> int:
    """The first cell of a packet comes: a token from 1 on, or 0 if the packet is discarded."""
    if share < 0 or pass_time(state, base, now) < 0:
        return -1
    if state[base + DISCARD] > 0 and state[base + BACKLOG] > state[base + DISCARD]:
        return 0
    state[base + INFLOW] += share
    state[base + COMING] += 1
    return state[base + OVERFLOWS] + 1


@machine("network")
def finish(state: NDArray, base: int, now: int, share: int, token: int) -> int:
    """The last cell of a packet has come: 1 + the time until it is served, or 0 if the packet missed a cell."""
    if token < 1 or state[base + COMING] < 1 or pass_time(state, base, now) < 0:
        return -1
    state[base + INFLOW] -= share
    state[base + COMING] -= 1
    if state[base + OVERFLOWS] != token - 1:
        return 0
    return state[base + BACKLOG] + 1


@machine("network")
def whole(state: NDArray, base: int, now: int, service: int) -> int:
    """All cells of a packet come at once, the last of them `service` ps of work behind the first.

    Returns 1 + the time until the port begins to serve that one, or 0 if there is no room for them.
    """
    if service < 0 or pass_time(state, base, now) < 0:
        return -1
    if state[base + DISCARD] > 0 and state[base + BACKLOG] > state[base + DISCARD]:
        return 0
    if state[base + BACKLOG] + service > state[base + CAPACITY]:
        state[base + OVERFLOWS] += 1
        return 0
    state[base + BACKLOG] += service
    return state[base + BACKLOG] + 1
