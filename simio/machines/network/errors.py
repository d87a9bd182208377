"""Units (bits, cells) counted down to the next one that is hit by an error."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("errors of a line")
LEFT = WORDS.word("left", about="units that pass unhurt before the next hit")
PASSING = WORDS.word("passing", about="units of the packet that are still to pass, plus 1; 0 between packets")
DRAWN = WORDS.word("drawn", about="1 from when the first distance was drawn")

MOST = 2**60


@machine("network")
def passing(state: NDArray, base: int, units: int) -> int:
    """`units` of a packet pass, or the rest of it: 1 if a distance has to be drawn before it goes on, else 0."""
    if units < 0 or units > 2**40:
        return -1
    if state[base + PASSING] == 0:
        state[base + PASSING] = units + 1
    left = state[base + PASSING] - 1
    if state[base + DRAWN] == 1 and state[base + LEFT] >= left:
        state[base + LEFT] -= left
        state[base + PASSING] = 0
        return 0
    return 1


@machine("network")
def following(state: NDArray, base: int, distance: int) -> int:
    """Set the units that pass unhurt before the next hit; returns 1 if one is hit now, 0 at the first distance."""
    if distance < 0 or state[base + PASSING] == 0:
        return -1
    hit = state[base + DRAWN]
    if hit == 1:
        state[base + PASSING] -= state[base + LEFT] + 1
    state[base + LEFT] = min(distance, MOST)
    state[base + DRAWN] = 1
    return hit
