"""A lock whose data move between the caches of the cores that take it."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.block import layout as c
from simio.machines.door import machine


@machine("block")
def turn(state: NDArray, base: int, now: int, core: int) -> int:
    """A core has got the lock: time in ps for which it holds it, with what moves from the core that had it last.

    A lock that is handed on to a core in line has lines of its own that move: the lock word and the nodes of the line
    (Linux kernel/locking/qspinlock.c, queued_spin_lock_slowpath).
    """
    before = state[base + c.HOLDER]
    state[base + c.HOLDER] = core
    held = state[base + c.HELD]
    if before != core and before >= 0:
        near = before // state[base + c.SOCKET] == core // state[base + c.SOCKET]
        held += state[base + c.NEAR] if near else state[base + c.FAR]
        if state[base + c.FREE_AT] == now:
            held += state[base + c.HANDED] if near else state[base + c.HANDED_FAR]
    state[base + c.FREE_AT] = now + held
    return held
