"""The rings of a queue as its driver has them: buffers posted, doorbells rung, and what was sent taken back."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.nic import layout as c
from simio.machines.shared import shared


@shared
def give_back(state: NDArray, base: int, queue: int, page: int) -> None:
    """A buffer is free again, behind those that are."""
    tail = state[queue + c.FREE_TAIL]
    state[base + state[queue + c.FREE_AT] + tail % state[queue + c.FREE_ROOM]] = page
    state[queue + c.FREE_TAIL] = tail + 1


@shared
def post(state: NDArray, base: int, queue: int) -> None:
    """Post a buffer for each packet taken: the one that has been free longest, or else a new one."""
    posted = state[queue + c.POSTED]
    until = state[queue + c.TAKEN] + state[base + c.RING]
    while posted < until:
        head = state[queue + c.FREE_HEAD]
        if head < state[queue + c.FREE_TAIL]:
            page = state[base + state[queue + c.FREE_AT] + head % state[queue + c.FREE_ROOM]]
            state[queue + c.FREE_HEAD] = head + 1
        else:
            page = state[queue + c.PAGES]
            state[queue + c.PAGES] = page + 1
        state[base + state[queue + c.PAGE_AT] + posted % state[base + c.RING]] = page
        posted += 1
    state[queue + c.POSTED] = posted


@shared
def ring(state: NDArray, base: int, queue: int, at: int) -> None:
    """Ring the doorbell for the prepared packets, which the adapter knows of at `at` and then fetches."""
    bell = state[queue + c.BELLS]
    state[queue + c.BELLS] = bell + 1
    row = bell % state[base + c.SEND_RING]
    state[base + state[queue + c.BELL_END_AT] + row] = state[queue + c.SENT] + state[queue + c.PREPARED]
    state[base + state[queue + c.BELL_TIME_AT] + row] = c.NEVER
    ready = at + state[base + c.VISIBLE] + state[base + c.FETCH_ROUND]
    while state[queue + c.PREPARED] > 0:
        place = state[queue + c.SENT] % state[base + c.SEND_RING]
        tail = state[base + c.SEND_TAIL]
        row = base + state[base + c.SEND_AT] + tail % state[base + c.SEND_ROOM] * c.SEND_WORDS
        state[row + c.READY] = ready
        state[row + c.ARRIVED] = state[base + state[queue + c.SENT_CAME_AT] + place]
        state[row + c.OF_QUEUE] = queue
        state[row + c.LAST_OF] = -1
        state[base + c.SEND_TAIL] = tail + 1
        state[queue + c.SENT] += 1
        state[queue + c.PREPARED] -= 1
        if state[queue + c.PREPARED] == 0:
            state[row + c.LAST_OF] = bell


@shared
def reap(state: NDArray, base: int, queue: int, now: int) -> None:
    """Take back the buffers of packets that were sent, as completions say that can be seen by now."""
    while state[queue + c.BELLS_REAPED] < state[queue + c.BELLS]:
        row = state[queue + c.BELLS_REAPED] % state[base + c.SEND_RING]
        if state[base + state[queue + c.BELL_TIME_AT] + row] > now:
            return
        end = state[base + state[queue + c.BELL_END_AT] + row]
        while state[queue + c.REAPED] < end:
            place = state[queue + c.REAPED] % state[base + c.SEND_RING]
            give_back(state, base, queue, state[base + state[queue + c.SENT_PAGE_AT] + place])
            state[queue + c.REAPED] += 1
        state[queue + c.BELLS_REAPED] += 1
