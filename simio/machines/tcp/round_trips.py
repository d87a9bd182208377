"""Round trips of a sender that notes when it sent what, so that each acknowledgement times one.

As Linux does it (net/ipv4/tcp_input.c, tcp_clean_rtx_queue). What is sent at one instant is one burst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.timers import measured

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def note_burst(state: NDArray, base: int, now: int, after: int) -> None:
    """Note that new sequence numbers below `after` are sent; beyond its size, the ring widens the last burst."""
    ring = base + state[base + c.BURST_RING]
    size = state[base + c.BURSTS]
    count = state[base + c.BURST_COUNT]
    last = ring + 2 * ((state[base + c.BURST_HEAD] + count + size - 1) % size)
    if count > 0 and (state[last + 1] == now or count == size):
        state[last] = after
        return
    last = ring + 2 * ((state[base + c.BURST_HEAD] + count) % size)
    state[last] = after
    state[last + 1] = now
    state[base + c.BURST_COUNT] = count + 1


@shared
def time_bursts(state: NDArray, base: int, now: int, una: int, ack: int) -> int:
    """The round trip in ps of the last byte below `ack`, -1 if none is timed; that of the byte `una` sets timers.

    What went twice times nothing (Karn's rule; RFC 6298, section 3).
    """
    ring = base + state[base + c.BURST_RING]
    size = state[base + c.BURSTS]
    head = state[base + c.BURST_HEAD]
    count = state[base + c.BURST_COUNT]
    if count == 0:
        return -1
    first = newest = state[ring + 2 * head + 1]
    reached = una
    while count > 0 and reached < ack:
        newest = state[ring + 2 * head + 1]
        reached = state[ring + 2 * head]
        if reached <= ack:
            head = (head + 1) % size
            count -= 1
    state[base + c.BURST_HEAD] = head
    state[base + c.BURST_COUNT] = count
    if ack <= state[base + c.TWICE]:
        return -1
    measured(state, base, (now - first) // max(state[base + c.RTO_TICK], 1))
    return max(now - newest, 1)
