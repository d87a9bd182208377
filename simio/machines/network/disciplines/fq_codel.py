"""fq_codel: a queue with CoDel for each flow, or each hash; new flows go first, then each has its turn (RFC 8290)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.network.disciplines import codel
from simio.machines.network.disciplines import interface as q
from simio.machines.network.disciplines.interface import DISCIPLINES, Discipline, Turns
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOW = Layout("flow of a fair queue")
CREDIT = q.WORDS.size + FLOW.word("credit", "bytes", about="left of its turn")
PLACE = q.WORDS.size + FLOW.word("place", about="0: in no list, 1: among new flows, 2: among old ones")
NEXT = q.WORDS.size + FLOW.word("next", about="offset of the next flow of its list, 0: none")

LINE = Layout("line of a fair queue")
TOTAL = LINE.word("total", "bytes", about="in all queues")
MOST = LINE.word("most", "bytes", about="that may be in them")
BUSY = LINE.word("busy", about="1: a packet has the line")
WAITING = LINE.word("waiting", "threads", about="first packets of their flows, which wait for the line")
FIRST = LINE.table("first", 3, about="offset of the first flow of each list")
LAST = LINE.table("last", 3, about="offset of the last")
WAITS_AT = LINE.include(q.WAITS)


@shared
def append(state: NDArray, line: int, flow: int, place: int) -> None:
    """Put a flow at the end of a list."""
    state[flow + PLACE] = place
    state[flow + NEXT] = 0
    if state[line + FIRST + place] == 0:
        state[line + FIRST + place] = flow
    else:
        state[state[line + LAST + place] + NEXT] = flow
    state[line + LAST + place] = flow


@shared
def pop(state: NDArray, line: int, place: int) -> int:
    """Take the first flow off a list."""
    flow = state[line + FIRST + place]
    state[line + FIRST + place] = state[flow + NEXT]
    state[flow + PLACE] = 0
    return flow


@shared
def chosen(state: NDArray, line: int) -> int:
    """The flow whose turn it is (section 4.2), 0 if none has a packet."""
    while state[line + FIRST + 1] or state[line + FIRST + 2]:
        place = 1 if state[line + FIRST + 1] else 2
        flow = state[line + FIRST + place]
        if state[flow + CREDIT] <= 0:
            state[flow + CREDIT] += state[flow + q.QUANTUM]
            append(state, line, pop(state, line, place), 2)
        elif state[flow + q.PACKETS] == 0:
            pop(state, line, place)
            if place == 1 and state[line + FIRST + 2]:
                append(state, line, flow, 2)
        else:
            return flow
    return 0


@machine("network")
def enqueued(state: NDArray, base: int, now: int, line: int, size: int) -> int:
    """A packet has come to the flow at `base`: 1 if it may stay, 0 if all queues together are full."""
    if state[line + TOTAL] + size > state[line + MOST]:
        state[base + q.LEVEL] -= size
        state[base + q.PACKETS] -= 1
        return 0
    state[line + TOTAL] += size
    q.count(state, line + WAITS_AT, now, 1)
    if state[base + PLACE] == 0:
        state[base + CREDIT] = state[base + q.QUANTUM]
        append(state, line, base, 1)
    return 1


@machine("network")
def claim(state: NDArray, base: int, line: int) -> int:
    """The first packet of the flow at `base` asks for the line: 1 if it has it now, else 0, and it waits."""
    if state[line + BUSY] == 0 and chosen(state, line) == base:
        state[line + BUSY] = 1
        return 1
    state[line + WAITING] += 1
    return 0


@machine("network")
def served(state: NDArray, base: int, now: int, line: int, size: int) -> int:
    """A packet of `size` bytes has gone from the flow at `base`, sent or dropped. Returns 0."""
    state[base + CREDIT] -= size
    state[line + TOTAL] -= size
    q.count(state, line + WAITS_AT, now, -1)
    return 0


@machine("network")
def free(state: NDArray, base: int) -> int:
    """The line at `base` is free: how many have to ask again."""
    state[base + BUSY] = 0
    waiting = state[base + WAITING]
    state[base + WAITING] = 0
    return waiting


DISCIPLINES.add(Discipline("fq_codel", [codel.depart], Turns(LINE, FLOW, enqueued, claim)))
