"""A lock whose data move between the caches of the cores that take it."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.block import layout as c
from simio.machines.door import machine


@machine("block")
def turn(state: NDArray, base: int, core: int) -> int:
    """A core has got the lock: time in ps for which it holds it, with what moves from the core that had it last."""
    before = state[base + c.HOLDER]
    state[base + c.HOLDER] = core
    held = state[base + c.HELD]
    if before == core or before < 0:
        return held
    if before // state[base + c.SOCKET] == core // state[base + c.SOCKET]:
        return held + state[base + c.NEAR]
    return held + state[base + c.FAR]
