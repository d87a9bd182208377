"""A queue of messages with limits on bytes and number: a datagram socket's receive buffer, a server's requests."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

SPACE = 0
"""Bytes that may be queued."""
PLACES = 1
"""Messages that may be queued."""
QUEUED = 2
"""Bytes in the queue."""
HEAD = 3
"""Messages taken so far."""
TAIL = 4
"""Messages accepted so far."""
RING = 5
"""First word of the ring, two words a message: length and word."""


def initial(space: int, places: int) -> list[int]:
    """An empty queue for `space` bytes in `places` messages."""
    return [space, places, 0, 0, 0, *[0] * (2 * places)]


@machine("network")
def arrive(state: NDArray, base: int, length: int, word: int) -> int:
    """A message: 1 if it is queued, 0 if it is dropped for want of room."""
    if length < 0 or word < 0:
        return -1
    waiting = state[base + 4] - state[base + 3]
    if state[base + 2] + length > state[base] or waiting >= state[base + 1]:
        return 0
    at = base + 5 + 2 * (state[base + 4] % state[base + 1])
    state[at] = length
    state[at + 1] = word
    state[base + 2] += length
    state[base + 4] += 1
    return 1


@machine("network")
def length(state: NDArray, base: int) -> int:
    """Bytes of the message at the head; refuses if there is none."""
    if state[base + 4] == state[base + 3]:
        return -1
    return state[base + 5 + 2 * (state[base + 3] % state[base + 1])]


@machine("network")
def take(state: NDArray, base: int) -> int:
    """Take the message at the head off the queue: its word; refuses if there is none."""
    if state[base + 4] == state[base + 3]:
        return -1
    at = base + 5 + 2 * (state[base + 3] % state[base + 1])
    state[base + 2] -= state[at]
    state[base + 3] += 1
    return state[at + 1]
