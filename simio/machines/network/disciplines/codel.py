"""CoDel: packets that have waited too long for too long are dropped, ever closer together (RFC 8289)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.network.disciplines import interface as q
from simio.machines.network.disciplines.interface import DISCIPLINES, MARK, PASS, Discipline
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def root(value: int) -> int:
    """The largest whole number whose square is at most `value`."""
    low = 0
    for bit in range(30, -1, -1):
        if (low + (1 << bit)) ** 2 <= value:
            low += 1 << bit
    return low


@shared
def law(state: NDArray, base: int, time: int) -> int:
    """The instant of the next drop: an interval over the root of the number dropped later (section 5.3)."""
    return time + state[base + q.INTERVAL] * 1024 // root(state[base + q.COUNT] * 1024 * 1024)


@shared
def depart(state: NDArray, base: int, now: int, size: int, waited: int) -> int:
    """1 if the packet is dropped (section 5.5); the line asks again for the next one then."""
    over = False
    if waited < state[base + q.TARGET] or state[base + q.LEVEL] <= state[base + q.QUANTUM]:
        state[base + q.ABOVE_AT] = 0
    elif state[base + q.ABOVE_AT] == 0:
        state[base + q.ABOVE_AT] = now + state[base + q.INTERVAL]
    else:
        over = now >= state[base + q.ABOVE_AT]
    if state[base + q.DROPPING]:
        if not over:
            state[base + q.DROPPING] = 0
        elif now >= state[base + q.DROP_NEXT]:
            state[base + q.COUNT] += 1
            state[base + q.DROP_NEXT] = law(state, base, state[base + q.DROP_NEXT])
            return MARK
        return PASS
    if not over:
        return PASS
    state[base + q.DROPPING] = 1
    since = state[base + q.COUNT] - state[base + q.LAST_COUNT]
    recent = now - state[base + q.DROP_NEXT] < 16 * state[base + q.INTERVAL]
    state[base + q.COUNT] = since if since > 1 and recent else 1
    state[base + q.LAST_COUNT] = state[base + q.COUNT]
    state[base + q.DROP_NEXT] = law(state, base, now)
    return MARK


DISCIPLINES.add(Discipline("codel", [depart]))
