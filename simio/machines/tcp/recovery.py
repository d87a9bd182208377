"""Loss: what duplicate acknowledgements, partial acknowledgements and timeouts do to the windows (RFC 5681, 6582)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.sacked import lost_below
from simio.machines.tcp.timers import back_off, instant


@shared
def halve(state: NDArray, base: int) -> None:
    """The slow start threshold becomes half of what is outstanding, 2 segments at least (RFC 5681, equation 4)."""
    flight = state[base + c.MAX] - state[base + c.UNA]
    state[base + c.SSTHRESH] = max(flight // 2, 2 * state[base + c.MSS])


@shared
def fast_retransmit(state: NDArray, base: int) -> None:
    """The first segment that is outstanding counts as lost: it goes again at once (RFC 5681, section 3.2)."""
    way = state[base + c.RECOVERY]
    halve(state, base)
    state[base + c.COUNTED] = 0
    state[base + c.TIMING] = 0
    state[base + c.RESEND_DUE] = 0
    state[base + c.RESEND] = state[base + c.UNA]
    state[base + c.RECOVER] = state[base + c.MAX]
    if way == c.TAHOE:
        state[base + c.CWND] = state[base + c.MSS]
        return
    state[base + c.RECOVERING] = 1
    state[base + c.PARTIAL] = 0
    state[base + c.HIGH_RESENT] = state[base + c.UNA]
    state[base + c.CWND] = state[base + c.SSTHRESH]
    if way != c.SACK:
        state[base + c.CWND] += state[base + c.THRESHOLD] * state[base + c.MSS]


@shared
def duplicate(state: NDArray, base: int) -> None:
    """A duplicate acknowledgement has arrived."""
    way = state[base + c.RECOVERY]
    state[base + c.DUPLICATES] += 1
    count = state[base + c.DUPLICATES]
    if state[base + c.RECOVERING]:
        if way != c.SACK:
            state[base + c.CWND] = min(state[base + c.CWND] + state[base + c.MSS], state[base + c.MAX_CWND])
        return
    # What an earlier recovery sent twice causes duplicates too (RFC 6582, section 3.2; RFC 6675, section 5.1).
    if way == c.SACK and state[base + c.UNA] < state[base + c.RECOVER]:
        return
    if way == c.NEWRENO and state[base + c.UNA] <= state[base + c.RECOVER]:
        return
    if count == state[base + c.THRESHOLD] or (way == c.SACK and lost_below(state, base) > state[base + c.UNA]):
        fast_retransmit(state, base)


@shared
def recovered(state: NDArray, base: int, acked: int) -> bool:
    """New data are acknowledged during recovery; UNA has moved. Whether the timer of retransmission starts anew."""
    way = state[base + c.RECOVERY]
    mss = state[base + c.MSS]
    if way == c.RENO or state[base + c.UNA] >= state[base + c.RECOVER]:
        flight = state[base + c.MAX] - state[base + c.UNA]
        threshold = state[base + c.SSTHRESH]
        state[base + c.CWND] = min(threshold, max(flight, mss) + mss) if way == c.NEWRENO else threshold
        state[base + c.RECOVERING] = 0
        state[base + c.RESEND] = -1
        return True
    first = state[base + c.PARTIAL] == 0
    state[base + c.PARTIAL] = 1
    if way == c.NEWRENO:
        state[base + c.RESEND] = state[base + c.UNA]
        kept = max(state[base + c.CWND] - acked, 0)
        state[base + c.CWND] = kept + mss if acked >= mss else max(kept, mss)
        return first
    return True


@shared
def timeout(state: NDArray, base: int, now: int) -> None:
    """The retransmission timer has run out: back to one segment, and all again from the first one (RFC 5681, 3.1)."""
    back_off(state, base)
    # Not again for the same segment, since what is outstanding then tells nothing of the path.
    if state[base + c.UNA] != state[base + c.TIMED_OUT]:
        halve(state, base)
    state[base + c.TIMED_OUT] = state[base + c.UNA]
    state[base + c.CWND] = state[base + c.MSS]
    state[base + c.COUNTED] = 0
    state[base + c.TIMING] = 0
    state[base + c.DUPLICATES] = 0
    state[base + c.RECOVERING] = 0
    state[base + c.RECOVER] = state[base + c.MAX]
    state[base + c.RESEND] = -1
    state[base + c.SACKED] = 0
    state[base + c.NXT] = state[base + c.UNA]
    state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])
