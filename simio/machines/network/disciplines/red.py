"""RED: random early detection by the mean level.

S. Floyd and V. Jacobson, *IEEE/ACM Transactions on Networking* 1(4), 1993. Between two levels the
chance rises to `chance`, and in the gentle form from there to 1 at twice the upper level
(S. Floyd, 2000), as tc's red has it (Linux include/net/red.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.network.disciplines import interface as q
from simio.machines.network.disciplines.interface import DISCIPLINES, LUCK, MARK, PASS, Discipline
from simio.machines.shared import shared

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def mean(state: NDArray, base: int, now: int) -> int:
    """The mean level in bytes, with the present one; an empty queue counts as so many packets of level 0."""
    value, weight = state[base + q.MEAN], state[base + q.WEIGHT]
    if state[base + q.LEVEL] == 0:
        missed = min((now - state[base + q.EMPTY_AT]) // max(state[base + q.PACKET_TIME], 1), 4000)
        for _ in range(missed):
            if value == 0:
                break
            value -= -(-value >> weight) if value >> weight else value
    else:
        value += ((state[base + q.LEVEL] << 16) - value) >> weight
    state[base + q.MEAN] = value
    return value >> 16


@shared
def arrive(state: NDArray, base: int, now: int, size: int, luck: int) -> int:
    """Mark or drop by chance, more evenly the longer none was (section 8 of the paper)."""
    level = mean(state, base, now)
    least, most, chance = state[base + q.LEAST], state[base + q.MOST], state[base + q.CHANCE]
    if level < least:
        state[base + q.SINCE] = 0
        return PASS
    if level >= 2 * most:
        state[base + q.SINCE] = 0
        return MARK
    if level < most:
        odds = chance * (level - least) // max(most - least, 1)
    else:
        odds = chance + (LUCK - chance) * (level - most) // most
    spread = LUCK - state[base + q.SINCE] * odds
    if spread <= 0 or luck * spread < odds * LUCK:
        state[base + q.SINCE] = 0
        return MARK
    state[base + q.SINCE] += 1
    return PASS


DISCIPLINES.add(Discipline("red", [arrive], drawn=True))
