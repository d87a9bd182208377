"""Calls that wait for their replies (RFC 1057), and blocks that arrive in any order and are wanted in one."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("calls")
PLACES = WORDS.word("places", "calls", about="calls that may be outstanding")
NEXT = WORDS.word("next", initial=1, about="number (xid) of the next call")
DUPLICATES = WORDS.word("duplicates", "replies", about="replies to calls that were answered already")
CALLS = WORDS.table("calls", about="two words a call: its xid or 0, and the caller's word")
CALL = 2
"""Words of a call."""

ORDER = Layout("blocks in order")
WINDOW = ORDER.word("window", "blocks", about="what comes is less than this ahead of what is missing")
MISSING = ORDER.word("missing", about="number of the first block that has not come")
HERE = ORDER.table("here", about="1 for each block of the window that has come")

PERMITS = Layout("permits")
FREE = PERMITS.word("free")


def initial(places: int) -> State:
    """No call yet, and room for `places` at once."""
    return WORDS.initial(places=places, calls=[0] * (CALL * places))


def in_order(window: int) -> State:
    """State of `arrived`: nothing has come, and what comes is less than `window` ahead of what is missing."""
    return ORDER.initial(window=window, here=[0] * window)


@machine("network")
def call(state: NDArray, base: int, word: int) -> int:
    """A call is made: its xid, from 1 on. Refuses where no place is left, or a negative word."""
    if word < 0:
        return -1
    for place in range(state[base + PLACES]):
        at = base + CALLS + CALL * place
        if not state[at]:
            xid = state[base + NEXT]
            state[base + NEXT] = xid + 1
            state[at] = xid
            state[at + 1] = word
            return xid
    return -1


@machine("network")
def reply(state: NDArray, base: int, xid: int) -> int:
    """A reply comes: the caller's word + 1, or 0 if the call was answered before."""
    for place in range(state[base + PLACES]):
        at = base + CALLS + CALL * place
        if state[at] == xid:
            state[at] = 0
            return state[at + 1] + 1
    state[base + DUPLICATES] += 1
    return 0


@machine("network")
def outstanding(state: NDArray, base: int, xid: int) -> int:
    """1 if a call still waits for its reply, else 0."""
    for place in range(state[base + PLACES]):
        if state[base + CALLS + CALL * place] == xid:
            return 1
    return 0


@machine("network")
def arrived(state: NDArray, base: int, number: int) -> int:
    """Block `number` has come: how many blocks are in order now that were not before.

    Refuses one that is as far ahead as the window, or came before.
    """
    window = state[base + WINDOW]
    ahead = number - state[base + MISSING]
    if ahead < 0 or ahead >= window or state[base + HERE + number % window]:
        return -1
    state[base + HERE + number % window] = 1
    count = 0
    while state[base + HERE + state[base + MISSING] % window]:
        state[base + HERE + state[base + MISSING] % window] = 0
        state[base + MISSING] += 1
        count += 1
    return count


@machine("network")
def grant(state: NDArray, base: int) -> int:
    """Take one of what is free: 1, or 0 if there is none."""
    if state[base + FREE] < 1:
        return 0
    state[base + FREE] -= 1
    return 1


@machine("network")
def restore(state: NDArray, base: int) -> int:
    """Give one back: how many are free now."""
    state[base + FREE] += 1
    return state[base + FREE]
