"""Calls that wait for their replies (RFC 1057), and blocks that arrive in any order and are wanted in one."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

PLACES = 0
"""Calls that may be outstanding."""
NEXT = 1
"""Number (xid) of the next call."""
DUPLICATES = 2
"""Replies to calls that were answered already."""
CALLS = 3
"""First word of the places, two words each: xid or 0, and the caller's word."""


def initial(places: int) -> list[int]:
    """No call yet, and room for `places` at once."""
    return [places, 1, 0, *[0] * (2 * places)]


def in_order(window: int) -> list[int]:
    """State of `arrived`: nothing has come, and what comes is less than `window` ahead of what is missing."""
    return [window, 0, *[0] * window]


@machine("network")
def call(state: NDArray, base: int, word: int) -> int:
    """A call is made: its xid, from 1 on. Refuses where no place is left, or a negative word."""
    if word < 0:
        return -1
    for place in range(state[base]):
        at = base + 3 + 2 * place
        if not state[at]:
            xid = state[base + 1]
            state[base + 1] = xid + 1
            state[at] = xid
            state[at + 1] = word
            return xid
    return -1


@machine("network")
def reply(state: NDArray, base: int, xid: int) -> int:
    """A reply comes: the caller's word + 1, or 0 if the call was answered before."""
    for place in range(state[base]):
        at = base + 3 + 2 * place
        if state[at] == xid:
            state[at] = 0
            return state[at + 1] + 1
    state[base + 2] += 1
    return 0


@machine("network")
def outstanding(state: NDArray, base: int, xid: int) -> int:
    """Whether a call still waits for its reply: 1 or 0."""
    for place in range(state[base]):
        if state[base + 3 + 2 * place] == xid:
            return 1
    return 0


@machine("network")
def arrived(state: NDArray, base: int, number: int) -> int:
    """Block `number` has come: how many blocks are in order now that were not before.

    Refuses one that is as far ahead as the window, or came before.
    """
    window = state[base]
    ahead = number - state[base + 1]
    if ahead < 0 or ahead >= window or state[base + 2 + number % window]:
        return -1
    state[base + 2 + number % window] = 1
    count = 0
    while state[base + 2 + state[base + 1] % window]:
        state[base + 2 + state[base + 1] % window] = 0
        state[base + 1] += 1
        count += 1
    return count


@machine("network")
def grant(state: NDArray, base: int) -> int:
    """Take one of what is free: 1, or 0 if there is none."""
    if state[base] < 1:
        return 0
    state[base] -= 1
    return 1


@machine("network")
def restore(state: NDArray, base: int) -> int:
    """Give one back: how many are free now."""
    state[base] += 1
    return state[base]
