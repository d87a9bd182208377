"""Loss: duplicate acknowledgements, recovery and timeouts (RFC 5681, section 3; RFC 6298, section 5).

Congestion control and recovery set the windows.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import congestion, recovery
from simio.machines.tcp import layout as c
from simio.machines.tcp.timers import back_off, instant


@shared
def fast_retransmit(state: NDArray, base: int, now: int) -> None:
    """Send the first outstanding segment again at once, as it counts as lost (RFC 5681, section 3.2)."""
    state[base + c.SSTHRESH] = congestion.threshold(state, base, now)
    congestion.happens(state, base, now, congestion.RECOVERY_BEGINS)
    state[base + c.TIMING] = 0
    state[base + c.RESEND_DUE] = 0
    state[base + c.RESEND] = state[base + c.UNA]
    state[base + c.RECOVER] = state[base + c.MAX]
    recovery.enter(state, base, now)


@shared
def duplicate(state: NDArray, base: int, now: int) -> None:
    """Count a duplicate acknowledgement."""
    state[base + c.DUPLICATES] += 1
    if state[base + c.RECOVERING]:
        recovery.duplicated(state, base)
    elif recovery.begins(state, base):
        fast_retransmit(state, base, now)


@shared
def recovered(state: NDArray, base: int, now: int, acked: int) -> bool:
    """Take an acknowledgement of new data in recovery, after UNA has moved; whether the timer starts anew."""
    window = recovery.window_after(state, base)
    if window < 0:
        return recovery.partial(state, base, acked)
    state[base + c.CWND] = window
    state[base + c.RECOVERING] = 0
    state[base + c.RESEND] = -1
    congestion.happens(state, base, now, congestion.RECOVERY_ENDS)
    return True


@shared
def timeout(state: NDArray, base: int, now: int) -> None:
    """Send all again from the first segment on, as the retransmission timer has run out (RFC 5681, section 3.1)."""
    back_off(state, base)
    # Not again for the same segment, since outstanding data then show nothing of the path.
    if state[base + c.UNA] != state[base + c.TIMED_OUT]:
        state[base + c.SSTHRESH] = congestion.threshold(state, base, now)
    if state[base + c.SCOREBOARD] and state[base + c.UNA] > 0:
        if not state[base + c.LOSING]:
            state[base + c.PRIOR_CWND] = state[base + c.CWND]
        state[base + c.CWND] = congestion.loss_window(state, base, now)
        recovery.timed_out(state, base, now)
        state[base + c.TIMED_OUT] = state[base + c.UNA]
        congestion.happens(state, base, now, congestion.TIMEOUT)
        state[base + c.RECOVER] = state[base + c.MAX]
        state[base + c.RESEND] = -1
        state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])
        return
    state[base + c.TIMED_OUT] = state[base + c.UNA]
    state[base + c.CWND] = congestion.loss_window(state, base, now)
    congestion.happens(state, base, now, congestion.TIMEOUT)
    state[base + c.TIMING] = 0
    state[base + c.DUPLICATES] = 0
    state[base + c.RECOVERING] = 0
    state[base + c.RECOVER] = state[base + c.MAX]
    state[base + c.RESEND] = -1
    state[base + c.SACKED] = 0
    state[base + c.NXT] = state[base + c.UNA]
    state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])
