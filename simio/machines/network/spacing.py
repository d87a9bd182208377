"""Frames of a line that has to be silent for a gap between them (IEEE 802.3 clause 4.4.2).

Who takes the line waits for what is left of the gap; nobody has to hold it until that is over.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine

GAP = 0
"""Silence after a frame, in ps."""
SILENT = 1
"""From when on the next frame may begin, in ps."""


def initial(gap: int) -> list[int]:
    """State of a line that has been silent for long."""
    return [gap, 0]


@machine("network")
def begin(state: NDArray, base: int, now: int, time: int) -> int:
    """The line is taken for a frame of `time` ps: how long that waits for the gap after the last one, in ps."""
    wait = max(state[base + 1] - now, 0)
    state[base + 1] = now + wait + time + state[base]
    return wait
