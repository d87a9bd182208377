"""Classes of traffic: the most urgent go first, and the least urgent share what these leave by weights.

Strict priority and enhanced transmission selection (IEEE 802.1Q, sections 8.6.8.1 and 8.6.8.3), as Linux has both in
one (net/sched/sch_ets.c). A turn ends once it is used up, as in fq_codel (RFC 8290, section 4.2): what a packet takes
beyond it is off the next one.

A class that is stopped has nothing to send, whatever waits there (section 8.6.8). It keeps what is left of its turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.network.disciplines import fq_codel
from simio.machines.network.disciplines import interface as q
from simio.machines.network.disciplines.interface import DISCIPLINES, Discipline, Turns
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

CLASSES = 8

CLASS = Layout("class of traffic")
CLASS.include(fq_codel.FLOW)
NUMBER = q.WORDS.size + CLASS.word("number", about="0 to 7, the most urgent; without a quantum it goes first")

LINE = Layout("line of classes")
LINE.include(fq_codel.LINE)
STRICT = LINE.table("strict", CLASSES, about="offset of each class that goes first; 0: it has had no packet")

STOPPED_LINE = Layout("line of classes that can be stopped")
STOPPED_LINE.include(LINE)
STOPPED = STOPPED_LINE.word("stopped", about="bit n: class n is stopped")


@shared
def urgent(state: NDArray, line: int) -> int:
    """The class whose turn it is, 0 if none has a packet."""
    for number in range(CLASSES - 1, -1, -1):
        own = state[line + STRICT + number]
        if own and state[own + q.PACKETS] > 0:
            return own
    return fq_codel.chosen(state, line)


@machine("network")
def joined(state: NDArray, base: int, now: int, line: int, size: int) -> int:
    """A packet of `size` bytes has come to the class at `base`, where it fits. Returns 1: it stays."""
    state[line + fq_codel.TOTAL] += size
    q.count(state, line + fq_codel.WAITS_AT, now, 1)
    if state[base + q.QUANTUM] == 0:
        state[line + STRICT + state[base + NUMBER]] = base
    elif state[base + fq_codel.PLACE] == 0:
        state[base + fq_codel.CREDIT] = state[base + q.QUANTUM]
        fq_codel.append(state, line, base, 2)
    return 1


@shared
def granted(state: NDArray, line: int, free: bool) -> int:
    """1 if the line is free for the class that asks, and taken from now on; else 0, and its packet waits."""
    if free:
        state[line + fq_codel.BUSY] = 1
        return 1
    state[line + fq_codel.WAITING] += 1
    return 0


@machine("network")
def ask(state: NDArray, base: int, line: int) -> int:
    """The first packet of the class at `base` asks for the line: 1 if it has it now, else 0, and it waits."""
    return granted(state, line, state[line + fq_codel.BUSY] == 0 and urgent(state, line) == base)


@shared
def goes(state: NDArray, line: int, own: int) -> bool:
    """True if the class at `own` has a packet, and is not stopped."""
    return state[own + q.PACKETS] > 0 and not state[line + STOPPED] >> state[own + NUMBER] & 1


@shared
def next_that_goes(state: NDArray, line: int) -> int:
    """The class whose turn it is among those that are not stopped, 0 if none has a packet."""
    for number in range(CLASSES - 1, -1, -1):
        own = state[line + STRICT + number]
        if own and goes(state, line, own):
            return own
    own = state[line + fq_codel.FIRST + 2]
    while own and not goes(state, line, own):
        own = state[own + fq_codel.NEXT]
    if own == 0:
        return 0
    while True:
        own = state[line + fq_codel.FIRST + 2]
        if state[own + fq_codel.CREDIT] <= 0:
            state[own + fq_codel.CREDIT] += state[own + q.QUANTUM]
            fq_codel.append(state, line, fq_codel.pop(state, line, 2), 2)
        elif state[own + q.PACKETS] == 0:
            fq_codel.pop(state, line, 2)
        elif goes(state, line, own):
            return own
        else:
            fq_codel.append(state, line, fq_codel.pop(state, line, 2), 2)


@machine("network")
def ask_to_go(state: NDArray, base: int, line: int) -> int:
    """As `ask`, on a line where classes can be stopped."""
    return granted(state, line, state[line + fq_codel.BUSY] == 0 and next_that_goes(state, line) == base)


@machine("network")
def stop(state: NDArray, base: int, number: int) -> int:
    """A class of the line at `base` is stopped. Returns 0."""
    state[base + STOPPED] |= 1 << number
    return 0


@machine("network")
def resume(state: NDArray, base: int, number: int) -> int:
    """A class of the line at `base` may go on: how many have to ask again now, as the line is free."""
    state[base + STOPPED] &= ~(1 << number)
    return 0 if state[base + fq_codel.BUSY] else fq_codel.free(state, base)


STOPS = Turns(STOPPED_LINE, CLASS, joined, ask_to_go)
DISCIPLINES.add(Discipline("priority", [], Turns(LINE, CLASS, joined, ask), stops=STOPS))
