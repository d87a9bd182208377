"""Numbered things that come out of order and are handed on in order."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

ORDER = Layout("order")
NEXT = ORDER.word("next", about="number of the first that has not come")
ROOM = ORDER.word("room", about="numbers from the next on that may come before it")
CAME = ORDER.table("came", about="1 for each number, modulo room, that has come and waits for one before it")


def order(room: int) -> State:
    """State in which numbers come from 0 on, none of them `room` or more above the next."""
    return ORDER.initial(room=room, came=[0] * room)


@machine("parts")
def arrive(state: NDArray, base: int, number: int) -> int:
    """Note that a number has come; returns how many can be handed on now."""
    room = state[base + ROOM]
    if not 0 <= number - state[base + NEXT] < room or state[base + CAME + number % room]:
        return -1
    state[base + CAME + number % room] = 1
    ready = 0
    while state[base + CAME + (state[base + NEXT]) % room]:
        state[base + CAME + (state[base + NEXT]) % room] = 0
        state[base + NEXT] += 1
        ready += 1
    return ready
