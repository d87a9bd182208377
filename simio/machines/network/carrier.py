"""A medium that stations share by carrier sense with collision detection (IEEE 802.3 clause 4).

Any two stations hear one another after the same time, that of the two that are farthest apart. A station that begins
is heard by nobody before that; who begins meanwhile collides with it. Both then send a jam after they have heard the
other, and at least their preambles.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

WORDS = Layout("shared medium")
DELAY = WORDS.word("delay", "ps", about="time until others hear a station")
GAP = WORDS.word("gap", "ps", about="gap between frames")
PREAMBLE = WORDS.word("preamble", "ps", about="preamble and start-frame delimiter, which are sent whole in any case")
JAM = WORDS.word("jam", "ps", about="time of the jam")
BEGUN = WORDS.word("begun", "ps", about="when the first station that sends, or that sent last, began")
STATIONS = WORDS.word("stations", about="stations that have begun before they could hear the first")
SECOND = WORDS.word("second", "ps", about="when the second of them began")
END = WORDS.word("end", "ps", about="when the last of them is silent")
FREE = WORDS.word("free", "ps", about="from when on all stations find the medium free, its gap included")


def initial(delay: int, gap: int, preamble: int, jam: int) -> State:
    """State of a silent medium; times in ps."""
    return WORDS.initial(delay=delay, gap=gap, preamble=preamble, jam=jam)


@machine("network")
def ask(state: NDArray, base: int, now: int) -> int:
    """Time until a station finds the medium free, as it hears it; 0: now."""
    if now >= state[base + FREE] or (state[base + STATIONS] > 0 and now < state[base + BEGUN] + state[base + DELAY]):
        return 0
    return state[base + FREE] - now


@shared
def jammed(state: NDArray, base: int, begun: int, other: int) -> int:
    """Instant at which a station that began at `begun` is silent after it collided with one that began at `other`."""
    return max(other + state[base + DELAY], begun + state[base + PREAMBLE]) + state[base + JAM]


@machine("network")
def start(state: NDArray, base: int, now: int, frame: int) -> int:
    """A station begins a frame of `frame` ps: 0 if nobody else has, or the time until its jam ends."""
    if frame <= state[base + DELAY]:
        return -1
    end = now + frame
    answer = 0
    if now >= state[base + FREE]:
        state[base + BEGUN] = now
        state[base + STATIONS] = 1
    elif now < state[base + BEGUN] + state[base + DELAY]:
        state[base + STATIONS] += 1
        end = jammed(state, base, now, state[base + BEGUN])
        answer = end - now
        if state[base + STATIONS] == 2:
            state[base + SECOND] = now
            state[base + END] = 0
        end = max(end, jammed(state, base, state[base + BEGUN], state[base + SECOND]))
        end = max(end, state[base + END])
    else:
        return -1
    state[base + END] = end
    state[base + FREE] = end + state[base + DELAY] + state[base + GAP]
    return answer


@machine("network")
def check(state: NDArray, base: int, now: int) -> int:
    """All have begun that could collide with the first station: 0 if none has, or the time to its jam's end."""
    if now != state[base + BEGUN] + state[base + DELAY]:
        return -1
    if state[base + STATIONS] == 1:
        return 0
    return jammed(state, base, state[base + BEGUN], state[base + SECOND]) - now
