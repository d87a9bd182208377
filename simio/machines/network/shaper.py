"""A token bucket, and a relay that holds packets for random times and keeps them in order."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

BUCKET = Layout("token bucket")
DEPTH = BUCKET.word("depth", "ps", about="time in which an empty bucket fills")
FULL = BUCKET.word("full", "ps", about="instant from which on it is full, if nothing else takes tokens")

RELAY = Layout("relay")
LAST = RELAY.word("last", "ps", about="instant at which the last packet goes on")


def full(depth: int) -> State:
    """State of a full bucket that fills in `depth` ps."""
    return BUCKET.initial(depth=depth)


def idle() -> State:
    """State of a relay that holds nothing."""
    return RELAY.initial()


@machine("network")
def take(state: NDArray, base: int, now: int, time: int) -> int:
    """Time in ps until there are tokens for a packet of `time` ps at the rate; refuses more than the bucket holds.

    The virtual scheduling form of the bucket (ITU-T I.371, GCRA), which tc's tbf (Linux net/sched/sch_tbf.c) keeps as
    tokens in time.
    """
    depth = state[base + DEPTH]
    if time < 0 or time > depth:
        return -1
    goes = max(now, state[base + FULL] - depth + time)
    state[base + FULL] = max(state[base + FULL], goes) + time
    return goes - now


@machine("network")
def police(state: NDArray, base: int, now: int, time: int) -> int:
    """Take the tokens of a packet of `time` ps: 0 if there are too few, 2 if the bucket was full, else 1."""
    full = state[base + FULL]
    if full - state[base + DEPTH] + time > now:
        return 0
    state[base + FULL] = max(full, now) + time
    return 2 if full <= now else 1


@machine("network")
def lacks(state: NDArray, base: int, now: int) -> int:
    """Time in ps until the bucket is full, if nothing else takes tokens."""
    return max(state[base + FULL] - now, 0)


@machine("network")
def hold(state: NDArray, base: int, now: int, time: int) -> int:
    """Time in ps for which a packet is held that should be held for `time`: no less than keeps it behind the last."""
    if time < 0:
        return -1
    goes = max(now + time, state[base + LAST])
    state[base + LAST] = goes
    return goes - now
