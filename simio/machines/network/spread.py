"""The choice of a bond's member for a packet: by a hash of its flow, or in turn, among those that are known to be up.

Which members are up is known before the run, as faults are: a row for each time from which on others are.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("spread over a bond")
ROTATES = WORDS.word("rotates", about="1 if packets take the members in turn")
TURN = WORDS.word("turn", "packets", about="that have taken one in turn")
COUNT = WORDS.word("rows", about="times from which on other members are up")
WIDTH = WORDS.word("width", about="words of a row: the time, how many members carry packets, and their numbers")
ROWS = WORDS.table("members")
FROM, UP, FIRST = range(3)
"""Words of a row."""
_LOW = 2**32 - 1


def initial(rotates: bool, rows: Sequence[tuple[int, Sequence[int]]], members: int) -> State:
    """State of one end of a bond; each of `rows` is a time in ps and the numbers of the members used from then on."""
    table: list[int] = []
    for since, up in rows:
        table += [since, len(up), *up, *[0] * (members - len(up))]
    return WORDS.initial(rotates=int(rotates), rows=len(rows), width=FIRST + members, members=table)


@shared
def mixed(key: int) -> int:
    """A number below 2**32 each bit of which depends on all of a key below 2**32.

    Two rounds of multiplication and shift, with the constants of C. Wellons, hash-prospector (2018).
    """
    key = ((key ^ (key >> 16)) * 0x21F0AAAD) & _LOW
    key = ((key ^ (key >> 15)) * 0x735A2D97) & _LOW
    return key ^ (key >> 15)


@machine("network")
def choose(state: NDArray, base: int, now: int, key: int, number: int) -> int:
    """The member, from 1, that takes a packet of the flow with this hash; 0 if none is up.

    Of flows that have a hash in common, `number` tells them apart; it is 0 otherwise.
    """
    row = base + ROWS
    for later in range(1, state[base + COUNT]):
        if state[base + ROWS + later * state[base + WIDTH]] > now:
            break
        row = base + ROWS + later * state[base + WIDTH]
    if state[row + UP] == 0:
        return 0
    if state[base + ROTATES] == 1:
        turn = state[base + TURN]
        state[base + TURN] = turn + 1
    else:
        turn = mixed(key ^ mixed(number & _LOW)) if number > 0 else key
    return state[row + FIRST + turn % state[row + UP]]


def hashed(words: Sequence[int]) -> int:
    """The hash of words below 2**32, below 2**32."""
    key = 0
    for word in words:
        key = mixed(key ^ word)
    return key
