"""A medium that stations share by carrier sense with collision detection (IEEE 802.3 clause 4).

Any two stations hear one another after the same time, that of the two that are farthest apart. A station that begins
is heard by nobody before that; who begins meanwhile collides with it. Both then send a jam after they have heard the
other, and at least their preambles.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared

DELAY = 0
"""Time in ps until others hear a station."""
GAP = 1
"""Gap between frames in ps."""
PREAMBLE = 2
"""Time in ps of preamble and start-frame delimiter, which are sent whole in any case."""
JAM = 3
"""Time in ps of the jam."""
BEGUN = 4
"""When the first station that sends, or that sent last, began."""
STATIONS = 5
"""Stations that have begun before they could hear the first."""
SECOND = 6
"""When the second of them began."""
END = 7
"""When the last of them is silent."""
FREE = 8
"""From when on all stations find the medium free, its gap included."""


def initial(delay: int, gap: int, preamble: int, jam: int) -> list[int]:
    """State of a silent medium."""
    return [delay, gap, preamble, jam, 0, 0, 0, 0, 0]


@machine("network")
def ask(state: NDArray, base: int, now: int) -> int:
    """Time until a station finds the medium free, as it hears it; 0: now."""
    if now >= state[base + 8] or (state[base + 5] > 0 and now < state[base + 4] + state[base]):
        return 0
    return state[base + 8] - now


@shared
def jammed(state: NDArray, base: int, begun: int, other: int) -> int:
    """When a station that began at `begun` is silent again after it collided with one that began at `other`."""
    return max(other + state[base], begun + state[base + 2]) + state[base + 3]


@machine("network")
def start(state: NDArray, base: int, now: int, frame: int) -> int:
    """A station begins a frame of `frame` ps: 0 if nobody else has, or the time until its jam ends."""
    if frame <= state[base]:
        return -1
    end = now + frame
    answer = 0
    if now >= state[base + 8]:
        state[base + 4] = now
        state[base + 5] = 1
    elif now < state[base + 4] + state[base]:
        state[base + 5] += 1
        end = jammed(state, base, now, state[base + 4])
        answer = end - now
        if state[base + 5] == 2:
            state[base + 6] = now
            state[base + 7] = 0
        end = max(end, jammed(state, base, state[base + 4], state[base + 6]))
        end = max(end, state[base + 7])
    else:
        return -1
    state[base + 7] = end
    state[base + 8] = end + state[base] + state[base + 1]
    return answer


@machine("network")
def check(state: NDArray, base: int, now: int) -> int:
    """All have begun that could collide with the first station: 0 if none has, or the time to its jam's end."""
    if now != state[base + 4] + state[base]:
        return -1
    if state[base + 5] == 1:
        return 0
    return jammed(state, base, state[base + 4], state[base + 6]) - now
