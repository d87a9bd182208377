"""Token buckets of a service: one of requests with credits, one of its peak, one of bytes.

A bucket is an instant: what has been taken is paid for at the bucket's rate up to there. It is never further back
than a full bucket reaches, and a request waits until it is past (the virtual scheduling algorithm of ATM, ITU-T
I.371).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared
from simio.machines.ssd.layout import LATEST

WORDS = Layout("token buckets")
GAP = WORDS.word("gap", "ps", about="of a request at the provisioned rate")
DEPTH = WORDS.word("depth", "ps", about="that a full bucket of credits is worth at that rate")
PEAK = WORDS.word("peak", "ps", about="of a request in a burst")
BYTES = WORDS.word("bytes", "ps", about="of 4096 bytes at the provisioned rate")
UNIT = WORDS.word("unit", "bytes", about="that count as a request")
PAID = WORDS.table("paid", 3, "ps", about="instants of the buckets")
WAITED = WORDS.table("waited", 3, "ps", about="time in which a request waited for each of the buckets")
TAKEN = WORDS.table("taken", 3, "ps", about="what all requests have taken from each bucket, as the time to fill it")
LAST = WORDS.word("last", "ps", about="when the last request went on that had to wait")
CREDITS = WORDS.word("credits", "requests", about="left when the last request came")
REQUESTS, BURST, RATE = range(3)
"""The buckets: of provisioned requests with their credits, of requests in a burst, and of bytes."""
GRAIN = 4096


def initial(gap: int, depth: int, peak: int, each: int, unit: int) -> State:
    """State of full buckets; times in ps, `each` of 4096 bytes."""
    paid = [-depth, 0, 0]
    return WORDS.initial(gap=gap, depth=depth, peak=peak, bytes=each, unit=unit, paid=paid, credits=depth // gap)


@shared
def pay(state: NDArray, base: int, now: int, bucket: int, depth: int, time: int) -> int:
    """Take from a bucket what fills in `time`; instant from which on it allows that."""
    at = max(state[base + PAID + bucket], now - depth)
    state[base + PAID + bucket] = at + time
    state[base + TAKEN + bucket] += time
    return at


@machine("ssd")
def wait(state: NDArray, base: int, now: int, size: int) -> int:
    """Time that a request of so many bytes has to wait, in ps; -1 for an empty one."""
    if size < 1 or now > LATEST or size > 2**40:
        return -1
    count = -(-size // state[base + UNIT])
    at = now
    why = REQUESTS
    for bucket in range(3):
        if bucket == REQUESTS:
            allowed = pay(state, base, now, bucket, state[base + DEPTH], count * state[base + GAP])
        elif bucket == BURST:
            allowed = pay(state, base, now, bucket, 0, count * state[base + PEAK])
        else:
            allowed = pay(state, base, now, bucket, 0, size * state[base + BYTES] // GRAIN)
        if allowed > at:
            at = allowed
            why = bucket
    state[base + CREDITS] = max(now - state[base + PAID + REQUESTS], 0) // state[base + GAP]
    if at > now:
        # Requests go on one after another: while one waits, the wait of those behind it is the same time.
        state[base + WAITED + why] += at - max(now, min(state[base + LAST], at))
        state[base + LAST] = max(state[base + LAST], at)
    return at - now
