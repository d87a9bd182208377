"""A queue discipline: its operations, the queue that they decide for, and the functions that programs call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.strategies import Strategies, Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

PASS, MARK, DROP = 0, 1, 2
"""Answers of a discipline for a packet; a packet that is not ECN-capable is dropped where it would be marked."""

WAITS = Layout("packets that wait")
WAITED = WAITS.word("waited", "ps", about="that all packets have waited, until COUNTED_AT")
COUNTED_AT = WAITS.word("counted_at", "ps", about="when a packet came or went last")
QUEUED = WAITS.word("queued", "packets", about="that wait since then")
MOST_QUEUED = WAITS.word("most_queued", "packets", about="that waited at once")

WORDS = Layout("managed queue")
_word = WORDS.word
KIND = _word("discipline", about="number of the strategy")
CAPACITY = _word("capacity", "bytes", about="most that may be in the queue")
MARKS = _word("marks", about="1: packets that are ECN-capable are marked, not dropped")
MARK_ABOVE = _word("mark_above", "bytes", about="level from which all are marked that are ECN-capable; 0: none")
LEVEL = _word("level", "bytes", about="what is in it")
PACKETS = _word("packets", "packets", about="what is in it")
EMPTY_AT = _word("empty_at", "ps", about="instant from which on it is empty")
LEAST = _word("least", "bytes", about="mean level from which on packets are marked or dropped (RED)")
MOST = _word("most", "bytes", about="mean level at which the chance is CHANCE (RED)")
CHANCE = _word("chance", "1 / 2^16", about="of a packet there (RED, max_p)")
WEIGHT = _word("weight", about="shift by which a level counts for the mean (RED, w_q)")
PACKET_TIME = _word(
    "packet_time", "ps", about="time of a packet on the line, by which the mean falls while empty (RED)"
)
MEAN = _word("mean", "bytes / 2^16", about="mean level (RED)")
SINCE = _word("since", "packets", about="since one was marked or dropped (RED)")
TARGET = _word("target", "ps", about="time that packets may wait (CoDel)")
INTERVAL = _word("interval", "ps", about="for which they have to wait longer (CoDel)")
QUANTUM = _word(
    "quantum", "bytes", about="a flow's turn (fq_codel), and the level at which nothing is dropped (CoDel)"
)
ABOVE_AT = _word("above_at", "ps", about="when they will have waited longer for so long; 0: they do not (CoDel)")
DROPPING = _word("dropping", about="1: in the state that drops (CoDel)")
DROP_NEXT = _word("drop_next", "ps", about="when the next is dropped (CoDel)")
COUNT = _word("count", "packets", about="dropped in the present state (CoDel)")
LAST_COUNT = _word("last_count", "packets", about="COUNT as the state was entered (CoDel)")
WAITS_AT = WORDS.include(WAITS)
LUCK = 2**16
"""Draws are uniform below this."""


@dataclass(frozen=True)
class Turns:
    """Several queues take turns on one line: words of the line, words of each queue beyond `WORDS`, and functions.

    `enqueued` says whether a packet may stay, `claim` whether a first packet has the line now.
    """

    line: Layout
    own: Layout
    enqueued: Callable[..., Any]
    claim: Callable[..., Any]


class Discipline(Strategy):
    """A discipline: its name in datasheets, its functions, and how its queues take turns, if it has several.

    `drawn`: it draws a random number for each packet. `stops`: turns where some of the queues can be stopped.
    """

    def __init__(
        self,
        name: str,
        functions: Iterable[Callable[..., Any]],
        turns: Turns | None = None,
        drawn: bool = False,
        stops: Turns | None = None,
    ) -> None:
        super().__init__(name, functions)
        self.turns, self.drawn, self.stops = turns, drawn, stops


DISCIPLINES = Strategies[Discipline]("queue discipline", KIND, "network")
known = DISCIPLINES.known


@DISCIPLINES.operation
def arrive(state: NDArray, base: int, now: int, size: int, luck: int) -> int:
    """PASS, MARK or DROP for a packet that comes and fits, by default PASS; `luck` is uniform below LUCK."""
    return PASS


@DISCIPLINES.operation
def depart(state: NDArray, base: int, now: int, size: int, waited: int) -> int:
    """PASS, MARK or DROP for a packet that is to leave after having `waited` ps; by default it passes."""
    return PASS


@shared
def count(state: NDArray, waits: int, now: int, change: int) -> None:
    """Count so many packets more among those that wait."""
    state[waits + WAITED] += state[waits + QUEUED] * (now - state[waits + COUNTED_AT])
    state[waits + COUNTED_AT] = now
    state[waits + QUEUED] += change
    state[waits + MOST_QUEUED] = max(state[waits + MOST_QUEUED], state[waits + QUEUED])


@machine("network")
def enter(state: NDArray, base: int, now: int, size: int, able: int) -> int:
    """A packet of `size` bytes comes; `able`: 2 times a draw, plus 1 if it is ECN-capable."""
    if state[base + LEVEL] + size > state[base + CAPACITY]:
        return DROP
    answer = arrive(state, base, now, size, able // 2)
    above = state[base + MARK_ABOVE]
    if answer == PASS and 0 < above < state[base + LEVEL] + size:
        answer = MARK if able % 2 else PASS
    elif answer == MARK and not (able % 2 and state[base + MARKS]):
        answer = DROP
    if answer != DROP:
        state[base + LEVEL] += size
        state[base + PACKETS] += 1
        count(state, base + WAITS_AT, now, 1)
    return answer


@machine("network")
def leave(state: NDArray, base: int, now: int, able: int, waited: int) -> int:
    """The first packet is to leave: `able` is its size times 2, plus 1 if it is ECN-capable."""
    size = able // 2
    state[base + LEVEL] -= size
    state[base + PACKETS] -= 1
    count(state, base + WAITS_AT, now, -1)
    if state[base + LEVEL] == 0:
        state[base + EMPTY_AT] = now
    answer = depart(state, base, now, size, waited)
    if answer == MARK and not (able % 2 and state[base + MARKS]):
        return DROP
    return answer


@machine("network")
def withdraw(state: NDArray, base: int, size: int) -> int:
    """The bytes in the queue, less `size`."""
    return state[base + LEVEL] - size
