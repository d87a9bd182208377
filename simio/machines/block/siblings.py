"""The two hardware threads of a core (simultaneous multithreading), which share what it executes.

A thread whose sibling is idle works at the full rate of the core, and at `rate` of that while both work. Work is kept
in thousandths of ps at the full rate. What is left of both is brought up to date whenever either begins or asks, so
that the time of a piece of work is exact, whatever its sibling does meanwhile.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.block import layout as c
from simio.machines.door import machine
from simio.machines.shared import shared

FULL = 1000
"""Work in a ps of a thread whose sibling is idle."""
OPEN = 2**61
"""Added to an end in ps that may come later."""


@shared
def advance(state: NDArray, base: int, now: int) -> None:
    """Take the work since the last change off what is left."""
    rate = state[base + c.RATE] if state[base + c.LEFT] > 0 and state[base + c.LEFT + 1] > 0 else FULL
    done = (now - state[base + c.CHANGED]) * rate
    for thread in range(2):
        state[base + c.LEFT + thread] = max(state[base + c.LEFT + thread] - done, 0)
    state[base + c.CHANGED] = now


@shared
def until(state: NDArray, base: int, thread: int) -> int:
    """Time until a thread is done, if nobody begins before: the earliest at which it can be."""
    own, other = state[base + c.LEFT + thread], state[base + c.LEFT + 1 - thread]
    both = min(own, other)
    rate = state[base + c.RATE]
    time = (both + rate - 1) // rate
    return time + (own - both + FULL - 1) // FULL


@machine("block")
def begin(state: NDArray, base: int, now: int, thread: int, work: int) -> int:
    """A thread begins work of so many ps at the full rate: time in ps until it is worth asking `left`."""
    advance(state, base, now)
    state[base + c.LEFT + thread] = work * FULL
    state[state[base + c.CORES + thread] + c.WORKS] = 1
    return until(state, base, thread)


@machine("block")
def left(state: NDArray, base: int, now: int, thread: int) -> int:
    """Time in ps for which a thread has to go on; 0: it is done."""
    advance(state, base, now)
    time = until(state, base, thread)
    if time == 0:
        core = state[base + c.CORES + thread]
        state[core + c.WORKS] = 0
        state[core + c.BUSY_UNTIL] = now
    return time


@shared
def span(state: NDArray, core: int, time: int) -> int:
    """Time in ps that work of `time` at the full rate takes on a core, if its sibling goes on as it does now."""
    base = state[core + c.SHARED]
    if base < 0 or state[base + c.LEFT + 1 - state[core + c.THREAD]] == 0:
        return time
    return time * FULL // state[base + c.RATE]


@machine("block")
def runs(state: NDArray, base: int) -> int:
    """A process works until it says otherwise, where the end that it noted is only the earliest. Returns 0."""
    state[base + c.RUNS_UNTIL] += OPEN
    return 0


@machine("block")
def ran(state: NDArray, base: int, now: int) -> int:
    """The work of the process is over; what it took beyond the end that it noted is its CPU time, too. Returns 0."""
    state[base + c.WORKED] += (now - state[base + c.RUNS_UNTIL] + OPEN) // 1000
    state[base + c.RUNS_UNTIL] = now
    return 0
