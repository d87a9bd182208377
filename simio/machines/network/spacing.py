"""Frames of a line that has to be silent for a gap between them (IEEE 802.3 clause 4.4.2).

Who takes the line waits for what is left of the gap; nobody has to hold it until that is over.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

WORDS = Layout("line with gaps")
GAP = WORDS.word("gap", "ps", about="silence after a frame")
SILENT = WORDS.word("silent", "ps", about="from when on the next frame may begin")


def initial(gap: int) -> State:
    """State of a line that has been silent for long."""
    return WORDS.initial(gap=gap)


@machine("network")
def begin(state: NDArray, base: int, now: int, time: int) -> int:
    """The line is taken for a frame of `time` ps: that, and what it waits for the gap after the last one, in ps."""
    wait = max(state[base + SILENT] - now, 0)
    state[base + SILENT] = now + wait + time + state[base + GAP]
    return wait + time
