"""Frames of a line that has to be silent for a gap between them (IEEE 802.3 clause 4.4.2).

Who takes the line waits for what is left of the gap; nobody has to hold it until that is over.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

_LIMIT = 2**62
WORDS = Layout("line with gaps")
LEAST = WORDS.word("least", "bytes", about="to which a packet is padded")
BESIDE = WORDS.word("beside", "bytes", about="of a frame beside its packet, the preamble included")
NUMERATOR = WORDS.word("numerator", "ps", about="time of as many bytes as the next word says")
DENOMINATOR = WORDS.word("denominator", "bytes")
MOST = WORDS.word("most", "bytes", about="of a packet whose time surely fits 63 bits")
GAP = WORDS.word("gap", "ps", about="silence after a frame")
SILENT = WORDS.word("silent", "ps", about="from when on the next frame may begin")


def initial(gap: int, least: int, beside: int, numerator: int, denominator: int) -> State:
    """State of a line that has been silent for long; `denominator` bytes take `numerator` ps."""
    most = _LIMIT // numerator - beside
    return WORDS.initial(gap=gap, least=least, beside=beside, numerator=numerator, denominator=denominator, most=most)


@machine("network")
def begin(state: NDArray, base: int, now: int, length: int) -> int:
    """The line is taken for the frame of a packet: its time, and what it waits for the gap after the last one, in ps.

    -1 for a packet of so many bytes that this would not fit.
    """
    if length > state[base + MOST]:
        return -1
    time = (max(length, state[base + LEAST]) + state[base + BESIDE]) * state[base + NUMERATOR]
    if state[base + DENOMINATOR] > 1:
        time = -(-time // state[base + DENOMINATOR])
    wait = max(state[base + SILENT] - now, 0)
    state[base + SILENT] = now + wait + time + state[base + GAP]
    return wait + time
