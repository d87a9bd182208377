"""A queue of messages with limits on bytes and number: a datagram socket's receive buffer, a server's requests."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("mailbox")
SPACE = WORDS.word("space", "bytes", about="bytes that may be queued")
PLACES = WORDS.word("places", "messages", about="messages that may be queued")
QUEUED = WORDS.word("queued", "bytes", about="bytes in the queue")
HEAD = WORDS.word("head", "messages", about="messages taken so far")
TAIL = WORDS.word("tail", "messages", about="messages accepted so far")
RING = WORDS.table("ring", about="two words a message: its length, and the sender's word")
MESSAGE = 2
"""Words of a message."""
MOST = 1024
"""Messages of a mailbox for datagrams, however small they are."""


def initial(space: int, places: int) -> State:
    """An empty queue for `space` bytes in `places` messages."""
    return WORDS.initial(space=space, places=places, ring=[0] * (MESSAGE * places))


@shared
def message(state: NDArray, base: int, number: int) -> int:
    """Position of the message with a number in the ring."""
    return base + RING + MESSAGE * (number % state[base + PLACES])


@machine("network")
def arrive(state: NDArray, base: int, length: int, word: int) -> int:
    """A message: 1 if it is queued, 0 if it is dropped for want of room."""
    if length < 0 or word < 0:
        return -1
    waiting = state[base + TAIL] - state[base + HEAD]
    if state[base + QUEUED] + length > state[base + SPACE] or waiting >= state[base + PLACES]:
        return 0
    at = message(state, base, state[base + TAIL])
    state[at] = length
    state[at + 1] = word
    state[base + QUEUED] += length
    state[base + TAIL] += 1
    return 1


@machine("network")
def waiting(state: NDArray, base: int) -> int:
    """Messages in the queue."""
    return state[base + TAIL] - state[base + HEAD]


@machine("network")
def length(state: NDArray, base: int) -> int:
    """Bytes of the message at the head; refuses if there is none."""
    if state[base + TAIL] == state[base + HEAD]:
        return -1
    return state[message(state, base, state[base + HEAD])]


@machine("network")
def take(state: NDArray, base: int) -> int:
    """Take the message at the head off the queue: its word; refuses if there is none."""
    if state[base + TAIL] == state[base + HEAD]:
        return -1
    at = message(state, base, state[base + HEAD])
    state[base + QUEUED] -= state[at]
    state[base + HEAD] += 1
    return state[at + 1]
