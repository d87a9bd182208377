"""Units (bits, cells) counted down to the next one that is hit by an error."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

LEFT = 0
"""Units that pass unhurt before the next hit."""
PASSING = 1
"""Units of the present packet that are still to pass, plus one while it passes; 0 between packets."""
DRAWN = 2
"""1 from when the first distance was drawn."""

INITIAL = [0, 0, 0]
"""State before anything has passed."""
MOST = 2**60


@machine("network")
def passing(state: NDArray, base: int, units: int) -> int:
    """`units` of a packet pass, or the rest of it: 1 if a distance has to be drawn before it goes on, else 0."""
    if units < 0 or units > 2**40:
        return -1
    if state[base + 1] == 0:
        state[base + 1] = units + 1
    left = state[base + 1] - 1
    if state[base + 2] == 1 and state[base] >= left:
        state[base] -= left
        state[base + 1] = 0
        return 0
    return 1


@machine("network")
def following(state: NDArray, base: int, distance: int) -> int:
    """So many units pass unhurt from here to the next hit; returns whether one was hit now (1), or it is the first
    distance of all (0)."""
    if distance < 0 or state[base + 1] == 0:
        return -1
    hit = state[base + 2]
    if hit == 1:
        state[base + 1] -= state[base] + 1
    state[base] = min(distance, MOST)
    state[base + 2] = 1
    return hit
