"""Proportional rate reduction (RFC 9937), and its undoing where it was for nothing (RFC 3708, RFC 3522).

Where the standards leave a choice, it is that of Linux 6.x (net/ipv4/tcp_input.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import congestion, records, segments
from simio.machines.tcp import layout as c
from simio.machines.tcp.records import AFTER, FLAGS, LOST, record
from simio.machines.tcp.segments import in_flight

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def begin_reduction(state: NDArray, base: int, now: int) -> None:
    """Set the threshold, and remember what a reduction starts from (Linux tcp_init_cwnd_reduction)."""
    state[base + c.PRIOR_CWND] = state[base + c.CWND]
    state[base + c.PRIOR_SSTHRESH] = state[base + c.SSTHRESH]
    state[base + c.SSTHRESH] = congestion.threshold(state, base, now)
    state[base + c.PRR_DELIVERED] = state[base + c.PRR_OUT] = 0
    state[base + c.PROBED] = 0
    state[base + c.ANSWER] = state[base + c.ECN]


@shared
def end_reduction(state: NDArray, base: int) -> None:
    """The window comes down to the threshold (Linux tcp_end_cwnd_reduction)."""
    if not state[base + c.STEERED]:
        state[base + c.CWND] = state[base + c.SSTHRESH]


@shared
def reduce(state: NDArray, base: int, advanced: bool) -> None:
    """The window in recovery, by what has arrived (RFC 9937, section 6.2; Linux tcp_cwnd_reduction)."""
    news = state[base + c.DELIVERED] - state[base + c.WAS_DELIVERED]
    if news <= 0 or state[base + c.PRIOR_CWND] == 0:
        return
    mss = state[base + c.MSS]
    state[base + c.PRR_DELIVERED] += news
    threshold, out = state[base + c.SSTHRESH], state[base + c.PRR_OUT]
    flight = in_flight(state, base)
    if flight > threshold:
        before = state[base + c.PRIOR_CWND] // mss
        segments_due = (threshold // mss * (state[base + c.PRR_DELIVERED] // mss) + before - 1) // before
        more = segments_due * mss - out
    else:
        more = max(state[base + c.PRR_DELIVERED] - out, news)
        if advanced and state[base + c.LOSSES] == 0:
            more += mss
        more = min(threshold - flight, more)
    state[base + c.CWND] = flight + max(more, 0 if out > 0 else mss)


@shared
def may_undo(state: NDArray, base: int) -> bool:
    """True if all retransmissions were spurious, by DSACK (RFC 3708) or by timestamps (RFC 3522, Eifel)."""
    if state[base + c.UNDO_FROM] == 0 or state[base + c.FIRST_RESENT] == 0:
        return False
    if state[base + c.UNDO_LEFT] == 0:
        return True
    return 0 < state[base + c.ECHOED] < state[base + c.FIRST_RESENT]


@shared
def undo(state: NDArray, base: int) -> None:
    """Restore what the reduction took (Linux tcp_undo_cwnd_reduction), and take nothing to be lost."""
    number = state[base + c.HEAD]
    stop = number + state[base + c.NOTED]
    before = 0
    while number < stop:
        at = record(state, base, number)
        if state[at + FLAGS] & LOST:
            state[base + c.LOST_OUT] -= state[at + AFTER] - segments.start_of(state, base, number)
            if not records.is_under_way(state[at + FLAGS]):
                before = records.put_back(state, base, at, before)
            state[at + FLAGS] &= ~LOST
        number += 1
    state[base + c.UNDO_FROM] = 0
    # A segment that was late and not lost shows that segments overtake one another (Linux tcp_try_undo_partial).
    state[base + c.REORDERED] = 1
    if not state[base + c.STEERED]:
        state[base + c.CWND] = max(state[base + c.CWND], state[base + c.PRIOR_CWND])
        state[base + c.SSTHRESH] = max(state[base + c.SSTHRESH], state[base + c.PRIOR_SSTHRESH])
