"""Loss: what duplicate acknowledgements, partial acknowledgements and timeouts do to the windows (RFC 5681, 6582)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.layout import (
    COUNTED,
    CWND,
    DUPLICATES,
    HIGH_RESENT,
    MAX,
    MAX_CWND,
    MSS,
    NEWRENO,
    NXT,
    PARTIAL,
    RECOVER,
    RECOVERING,
    RECOVERY,
    RENO,
    RESEND,
    RESEND_DUE,
    RTO,
    SACK,
    SACKED,
    SSTHRESH,
    TAHOE,
    THRESHOLD,
    TIMED_OUT,
    TIMING,
    UNA,
)
from simio.machines.tcp.sacked import lost_below
from simio.machines.tcp.timers import back_off, instant


@shared
def halve(state: NDArray, base: int) -> None:
    """The slow start threshold becomes half of what is outstanding, 2 segments at least (RFC 5681, equation 4)."""
    flight = state[base + MAX] - state[base + UNA]
    state[base + SSTHRESH] = max(flight // 2, 2 * state[base + MSS])


@shared
def fast_retransmit(state: NDArray, base: int) -> None:
    """The first segment that is outstanding counts as lost: it goes again at once (RFC 5681, section 3.2)."""
    way = state[base + RECOVERY]
    halve(state, base)
    state[base + COUNTED] = 0
    state[base + TIMING] = 0
    state[base + RESEND_DUE] = 0
    state[base + RESEND] = state[base + UNA]
    state[base + RECOVER] = state[base + MAX]
    if way == TAHOE:
        state[base + CWND] = state[base + MSS]
        return
    state[base + RECOVERING] = 1
    state[base + PARTIAL] = 0
    state[base + HIGH_RESENT] = state[base + UNA]
    state[base + CWND] = state[base + SSTHRESH]
    if way != SACK:
        state[base + CWND] += state[base + THRESHOLD] * state[base + MSS]


@shared
def duplicate(state: NDArray, base: int) -> None:
    """A duplicate acknowledgement has arrived."""
    way = state[base + RECOVERY]
    state[base + DUPLICATES] += 1
    count = state[base + DUPLICATES]
    if state[base + RECOVERING]:
        if way != SACK:
            state[base + CWND] = min(state[base + CWND] + state[base + MSS], state[base + MAX_CWND])
        return
    # What an earlier recovery sent twice causes duplicates too (RFC 6582, section 3.2; RFC 6675, section 5.1).
    if way == SACK and state[base + UNA] < state[base + RECOVER]:
        return
    if way == NEWRENO and state[base + UNA] <= state[base + RECOVER]:
        return
    if count == state[base + THRESHOLD] or (way == SACK and lost_below(state, base) > state[base + UNA]):
        fast_retransmit(state, base)


@shared
def recovered(state: NDArray, base: int, acked: int) -> bool:
    """New data are acknowledged during recovery; UNA has moved. Whether the timer of retransmission starts anew."""
    way = state[base + RECOVERY]
    mss = state[base + MSS]
    if way == RENO or state[base + UNA] >= state[base + RECOVER]:
        flight = state[base + MAX] - state[base + UNA]
        threshold = state[base + SSTHRESH]
        state[base + CWND] = min(threshold, max(flight, mss) + mss) if way == NEWRENO else threshold
        state[base + RECOVERING] = 0
        state[base + RESEND] = -1
        return True
    first = state[base + PARTIAL] == 0
    state[base + PARTIAL] = 1
    if way == NEWRENO:
        state[base + RESEND] = state[base + UNA]
        kept = max(state[base + CWND] - acked, 0)
        state[base + CWND] = kept + mss if acked >= mss else max(kept, mss)
        return first
    return True


@shared
def timeout(state: NDArray, base: int, now: int) -> None:
    """The retransmission timer has run out: back to one segment, and all again from the first one (RFC 5681, 3.1)."""
    back_off(state, base)
    # Not again for the same segment, since what is outstanding then tells nothing of the path.
    if state[base + UNA] != state[base + TIMED_OUT]:
        halve(state, base)
    state[base + TIMED_OUT] = state[base + UNA]
    state[base + CWND] = state[base + MSS]
    state[base + COUNTED] = 0
    state[base + TIMING] = 0
    state[base + DUPLICATES] = 0
    state[base + RECOVERING] = 0
    state[base + RECOVER] = state[base + MAX]
    state[base + RESEND] = -1
    state[base + SACKED] = 0
    state[base + NXT] = state[base + UNA]
    state[base + RESEND_DUE] = instant(state, base, now, state[base + RTO])
