"""DCQCN: a queue pair's rate by notifications of marked packets.

Y. Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 3.1: the receiver sends a
congestion notification packet (CNP) for marked packets, at most one in a time; the sender cuts its rate by alpha / 2
with each, and raises it again by a timer and by bytes sent: halfway to where it was (fast recovery), then with a
target that rises (additive increase), and faster once both have gone on for long (hyper increase). What timers do is
caught up with when the next packet goes, or the next CNP comes: nothing looks at the rate in between.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.rdma import layout as c
from simio.machines.shared import shared


@shared
def rise(state: NDArray, base: int) -> None:
    """One increase, after one was counted (section 3.1, "RP algorithm"; equations 3 and 4)."""
    by_time, by_bytes, fast = state[base + c.BY_TIME], state[base + c.BY_BYTES], state[base + c.FAST]
    if min(by_time, by_bytes) > fast:
        state[base + c.TARGET] += state[base + c.LEAP] * (min(by_time, by_bytes) - fast)
    elif max(by_time, by_bytes) >= fast:
        state[base + c.TARGET] += state[base + c.STEP]
    state[base + c.TARGET] = min(state[base + c.TARGET], state[base + c.LINE])
    state[base + c.RATE] = (state[base + c.TARGET] + state[base + c.RATE] + 1) // 2


@shared
def catch_up(state: NDArray, base: int, now: int) -> None:
    """Bring alpha and the rate up to date with the timers that have run out by now."""
    while state[base + c.CUTS] > 0 and state[base + c.ALPHA] > 0 and state[base + c.DECAY_AT] <= now:
        state[base + c.ALPHA] -= max(state[base + c.ALPHA] * state[base + c.GAIN] // c.ONE, 1)
        state[base + c.DECAY_AT] += state[base + c.DECAY]
    while state[base + c.RATE] < state[base + c.LINE] and state[base + c.RISE_AT] <= now:
        state[base + c.BY_TIME] += 1
        state[base + c.RISE_AT] += state[base + c.PERIOD]
        rise(state, base)


@shared
def departs(state: NDArray, base: int, now: int, size: int) -> None:
    """A packet of `size` bytes goes: the next one may when it has passed at the rate."""
    if state[base + c.LINE] == 0:
        return
    catch_up(state, base, now)
    if state[base + c.RATE] >= state[base + c.LINE]:
        return
    state[base + c.SENT] += size
    if state[base + c.SENT] >= state[base + c.BYTES]:
        state[base + c.SENT] -= state[base + c.BYTES]
        state[base + c.BY_BYTES] += 1
        rise(state, base)
    state[base + c.GO_AT] = max(now, state[base + c.GO_AT]) + size * 10**12 // state[base + c.RATE]


@machine("rdma")
def cut(state: NDArray, base: int, now: int) -> int:
    """A CNP has come: cut the rate, and begin to recover (equation 1). Returns the rate in bytes/s."""
    if state[base + c.LINE] == 0:
        return 0
    catch_up(state, base, now)
    state[base + c.CUTS] += 1
    state[base + c.TARGET] = state[base + c.RATE]
    rate = state[base + c.RATE] - state[base + c.RATE] * state[base + c.ALPHA] // (2 * c.ONE)
    state[base + c.RATE] = max(rate, state[base + c.LEAST])
    state[base + c.ALPHA] += (c.ONE - state[base + c.ALPHA]) * state[base + c.GAIN] // c.ONE
    state[base + c.DECAY_AT] = now + state[base + c.DECAY]
    state[base + c.RISE_AT] = now + state[base + c.PERIOD]
    state[base + c.BY_TIME] = state[base + c.BY_BYTES] = state[base + c.SENT] = 0
    return state[base + c.RATE]


@machine("rdma")
def marked(state: NDArray, base: int, now: int) -> int:
    """A marked packet has come: 1 if a CNP goes, else 0."""
    if now < state[base + c.NOTED_AT] or state[base + c.NOTE_GAP] == 0:
        return 0
    state[base + c.NOTED_AT] = now + state[base + c.NOTE_GAP]
    state[base + c.NOTES] += 1
    return 1
