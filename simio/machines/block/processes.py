"""A process with requests outstanding: what its next turn costs, and when it sleeps.

A process takes done requests and submits a new one for each. While it finds done requests it goes on; when a look at
its completion queue finds none, it sleeps until an interrupt wakes it, or looks again if it polls.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.block import layout as c
from simio.machines.block import siblings
from simio.machines.door import machine
from simio.machines.shared import shared


@machine("block")
def begin(state: NDArray, base: int, now: int, more: int) -> int:
    """The process, on its core, takes a done request and submits the next: time in ps, with `more` of a scheduler."""
    return turn(state, base, now, state[base + c.COST] + more)


@machine("block")
def take(state: NDArray, base: int, now: int) -> int:
    """The process, on its core, takes a done request and submits none: time in ps."""
    return turn(state, base, now, 0)


@shared
def turn(state: NDArray, base: int, now: int, time: int) -> int:
    """Time in ps of a turn: `time`, and what a sleep before it and a look at the completion queue add."""
    if state[base + c.WOKEN] != 0:
        time += state[base + c.SWITCH] + state[base + c.COLD]
        state[base + c.WOKEN] = 0
        state[base + c.COLD] = 0
    if state[base + c.TAKEN] > 0:
        state[base + c.TAKEN] -= 1
    else:
        time += state[base + c.LOOK]
        state[base + c.TAKEN] = max(state[base + c.READY] - 1, 0)
    if state[base + c.READY] > 0:
        state[base + c.READY] -= 1
    since = state[base + c.RUNS_UNTIL] if state[base + c.POLLS] != 0 else now
    state[base + c.WORKED] += (now + time - since) // 1000
    state[base + c.RUNS_UNTIL] = now + time
    core = state[base + c.OWN_CORE]
    state[core + c.BUSY_UNTIL] = now + time
    return time


@machine("block")
def until_slice(state: NDArray, base: int, now: int) -> int:
    """Time until a process runs again that shares its core with others that poll, each of which keeps it in turn."""
    slice = state[base + c.SLICE]
    turn = slice * state[base + c.SHARERS]
    begun = now % turn - slice * state[base + c.PLACE]
    if 0 <= begun < slice:
        return 0
    return (turn - begun) % turn


@machine("block")
def goes_on(state: NDArray, base: int, now: int, more: int) -> int:
    """The process, which has kept its core until now, works on for `more` ps, which this returns."""
    state[base + c.WORKED] += (now + more - state[base + c.RUNS_UNTIL]) // 1000
    state[base + c.RUNS_UNTIL] = now + more
    core = state[base + c.OWN_CORE]
    state[core + c.BUSY_UNTIL] = now + more
    return more


@machine("block")
def done(state: NDArray, base: int) -> int:
    """A request of a process that polls is done; it learns so at its next look."""
    state[base + c.READY] += 1
    return state[base + c.READY]


@machine("block")
def interrupt(state: NDArray, base: int, now: int) -> int:
    """A request of a hardware queue is done: time in ps that its end keeps the core.

    The handler goes on as long as the queue has done requests, so that one that comes while it runs pays for no
    interrupt of its own. A core that slept comes to first; a process that slept is made ready. That the work of a
    process goes on before the handler here, and not after it, is a matter of order: the interrupt is paid for.
    """
    owner = state[base + c.OWNER]
    core = state[owner + c.OWN_CORE]
    time = state[base + c.END]
    served = state[base + c.SERVED]
    if served <= now:
        time += state[base + c.INTERRUPT]
        served = now
    exit = 0
    idle = now - state[core + c.BUSY_UNTIL] if state[core + c.WORKS] == 0 else 0
    polls = state[owner + c.POLLS] != 0
    quiet = state[owner + c.READY] == 0 and now >= state[owner + c.RUNS_UNTIL] and state[owner + c.WOKEN] == 0
    if idle > 0 and not polls:
        exit = state[core + c.EXIT]
        if idle >= state[core + c.LONG]:
            exit = state[core + c.LONG_EXIT]
            state[owner + c.COLD] = state[core + c.LONG_COLD]
    if quiet and not polls:
        time += state[owner + c.WAKE]
        state[owner + c.WOKEN] = 1
    elif idle <= 0:
        state[owner + c.WORKED] += time // 1000
    state[owner + c.READY] += 1
    state[base + c.SERVED] = served + siblings.span(state, core, exit + time)
    state[core + c.BUSY_UNTIL] = max(state[core + c.BUSY_UNTIL], now) + exit + time
    return exit + time
