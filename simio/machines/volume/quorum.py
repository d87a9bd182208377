"""Writes of a mirror that are done when some of its members have them: which still wait for how many."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WRITES = 1024
"""Writes that may be on some members and not yet on all."""

WORDS = Layout("quorum")
MEMBERS = WORDS.word("members")
NEEDED = WORDS.word("needed", "members", about="that have a write before it is done")
NEXT = WORDS.word("next", about="number of the next write")
WAITING = WORDS.word("waiting", "threads", about="that look again when any write goes on")
BEHIND = WORDS.word("behind", "writes", about="that were done before all members had them")
LEFT = WORDS.table("left", WRITES, "members", about="that do not have a write yet, by its number")


def initial(members: int, needed: int) -> State:
    """State of a mirror without writes."""
    return WORDS.initial(members=members, needed=needed)


@machine("volume")
def begin(state: NDArray, base: int) -> int:
    """The place of a new write plus 1; 0 if the caller has to wait, as the one that had it is not on all members."""
    at = state[base + NEXT] % WRITES
    if state[base + LEFT + at] > 0:
        state[base + WAITING] += 1
        return 0
    state[base + NEXT] += 1
    state[base + LEFT + at] = state[base + MEMBERS]
    return at + 1


@machine("volume")
def stored(state: NDArray, base: int, place: int) -> int:
    """One member more has the write of a place: how many threads to wake, to look again."""
    state[base + LEFT + place - 1] -= 1
    left = state[base + LEFT + place - 1]
    if left == 0 and state[base + NEEDED] < state[base + MEMBERS]:
        state[base + BEHIND] += 1
    if left > 0 and left != state[base + MEMBERS] - state[base + NEEDED]:
        return 0
    woken = state[base + WAITING]
    state[base + WAITING] = 0
    return woken


@machine("volume")
def done(state: NDArray, base: int, place: int) -> int:
    """1 if enough members have the write of a place; else 0, and the caller has to wait."""
    if state[base + MEMBERS] - state[base + LEFT + place - 1] >= state[base + NEEDED]:
        return 1
    state[base + WAITING] += 1
    return 0
