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
    """The sender has looked whether something may go: what it waited for until now counts, and what it waits for now
    is noted unless it `sends`."""
    why = state[base + WAIT]
    if why > 0:
        state[base + WAITED + why - 1] += now - state[base + WAIT_SINCE]
    state[base + WAIT] = 0
    state[base + WAIT_SINCE] = now
    if sends or state[base + STATE] < ESTABLISHED:
        return
    flight = state[base + NXT] - state[base + UNA]
    left = state[base + END] - state[base + NXT]
    if left <= 0:
        if flight > 0 and state[base + WRITER] > 0:
            state[base + WAIT] = FOR_ACKNOWLEDGEMENT
    elif min(state[base + SEND_WINDOW], state[base + CWND]) - flight >= min(left, state[base + MSS]):
        state[base + WAIT] = FOR_MORE
    elif state[base + SEND_WINDOW] <= state[base + CWND]:
        state[base + WAIT] = FOR_WINDOW
    else:
        state[base + WAIT] = FOR_CONGESTION
