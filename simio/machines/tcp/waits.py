"""What keeps a sender from sending, and for how long: counts for whoever asks why a connection is not faster."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.layout import (
    CWND,
    END,
    ESTABLISHED,
    FOR_ACKNOWLEDGEMENT,
    FOR_CONGESTION,
    FOR_MORE,
    FOR_WINDOW,
    MSS,
    NXT,
    SEND_WINDOW,
    STATE,
    UNA,
    WAIT,
    WAIT_SINCE,
    WAITED,
    WRITER,
)


@shared
def waiting(state: NDArray, base: int, now: int, sends: int) -> None:
    """The sender has looked whether something may go, or the writer whether there is room: what was waited for until
    now counts, and what is waited for now is noted unless the sender `sends`.

    A small rest that is held back does not count as the reason where much more is under way and the buffer is full.
    """
    why = state[base + WAIT]
    if why > 0:
        state[base + WAITED + why - 1] += now - state[base + WAIT_SINCE]
    state[base + WAIT] = 0
    state[base + WAIT_SINCE] = now
    if sends or state[base + STATE] < ESTABLISHED:
        return
    flight = state[base + NXT] - state[base + UNA]
    left = state[base + END] - state[base + NXT]
    if state[base + WRITER] > 0 and 2 * left < flight:
        state[base + WAIT] = FOR_ACKNOWLEDGEMENT
    elif left <= 0:
        return
    elif min(state[base + SEND_WINDOW], state[base + CWND]) - flight >= min(left, state[base + MSS]):
        state[base + WAIT] = FOR_MORE
    elif state[base + SEND_WINDOW] <= state[base + CWND]:
        state[base + WAIT] = FOR_WINDOW
    else:
        state[base + WAIT] = FOR_CONGESTION
