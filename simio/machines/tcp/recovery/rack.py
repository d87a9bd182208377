"""RACK-TLP: losses by time, and probes at the tail (RFC 8985), with proportional rate reduction (RFC 9937).

Each acknowledgement is settled on the scoreboard (`simio.machines.tcp.segments`). A segment is lost once one that was
sent a reordering window later has arrived. Where the standards leave a choice, it is that of Linux 6.x
(net/ipv4/tcp_recovery.c, net/ipv4/tcp_input.c): marks reduce the window like a loss (CWR), a reduction is undone
that duplicates or timestamps show to be spurious (RFC 3708, RFC 3522). F-RTO (RFC 5682) is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import congestion, records, segments
from simio.machines.tcp import layout as c
from simio.machines.tcp.records import AFTER, FLAGS, LOST, ORDER, OTHER, RESENT, SACKED, SENT, record
from simio.machines.tcp.recovery import reduction
from simio.machines.tcp.recovery.interface import RECOVERIES, Recovery
from simio.machines.tcp.segments import in_flight
from simio.machines.tcp.timers import instant

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MASK = 2**31 - 1
LATE, TAIL = 1, 2
"""Kinds of the loss timer: a segment may be late, or a tail loss probe is due."""
_TIMER_MIN = 2 * 10**9
"""Least time of a timer beyond what it waits for (Linux include/net/tcp.h, TCP_TIMEOUT_MIN_US: 2 ms)."""
_PERSISTS = 16
"""Recoveries for which a widened reordering window lasts (RFC 8985, section 6.2, step 4)."""


@shared
def take_block(state: NDArray, base: int, now: int, ack: int, word: int) -> None:
    """Take a block of a segment that acknowledges `ack`; one below `ack` reports a duplicate (RFC 2883)."""
    if word == 0:
        return
    length = word & _MASK
    if word >> 62:
        state[base + c.DSACKED] += 1
        state[base + c.UNDO_LEFT] = max(state[base + c.UNDO_LEFT] - 1, 0)
        return
    start = ack + (word >> 31)
    end = start + length
    if start > state[base + c.UNA] and end <= state[base + c.MAX]:
        if end <= ack:
            state[base + c.DSACKED] += 1
        else:
            segments.report(state, base, now, start, end)


@shared
def is_duplicate(state: NDArray, base: int, ack: int, length: int, offered: int) -> bool:
    """Never: acknowledgements are settled, not counted."""
    return False


@shared
def begins(state: NDArray, base: int) -> bool:
    """Never: see `settle`."""
    return False


@shared
def enter(state: NDArray, base: int, now: int) -> None:
    """Enter fast recovery: what PRR needs is noted (RFC 9937, section 6)."""
    state[base + c.RECOVERING] = 1
    state[base + c.LOSING] = 0
    state[base + c.RECOVER] = state[base + c.MAX]
    state[base + c.UNDO_FROM] = state[base + c.UNA] + 1
    state[base + c.UNDO_LEFT] = 0
    state[base + c.FIRST_RESENT] = 0
    if not state[base + c.REDUCING]:
        reduction.begin_reduction(state, base, now)
    state[base + c.REDUCING] = 0
    congestion.happens(state, base, now, congestion.RECOVERY_BEGINS)


@shared
def reordering_window(state: NDArray, base: int) -> int:
    """Time in ps by which a segment may be late (RFC 8985, section 6.2, step 4)."""
    if not state[base + c.REORDERED]:
        enough = state[base + c.SACKED_OUT] >= state[base + c.REORDERING] * state[base + c.MSS]
        if state[base + c.RECOVERING] or enough:
            return 0
    srtt = (state[base + c.SRTT] >> 3) * max(state[base + c.RTO_TICK], 1)
    return min(state[base + c.MIN_RTT] // 4 * state[base + c.WIDENED], srtt)


@shared
def adapt(state: NDArray, base: int) -> None:
    """Widen the reordering window where something came twice, once a round trip (RFC 8985, section 6.2, step 4)."""
    if state[base + c.DSACKED] and state[base + c.SAMPLE_FROM] > state[base + c.DSACK_ROUND]:
        state[base + c.WIDENED] = min(state[base + c.WIDENED] + 1, 255)
        state[base + c.DSACK_ROUND] = state[base + c.DELIVERED]
        state[base + c.WIDE_FOR] = _PERSISTS
    elif state[base + c.WIDE_FOR] == 0:
        state[base + c.WIDENED] = 1


@shared
def lose(state: NDArray, base: int, number: int, at: int) -> None:
    """Mark a segment, or its retransmission, as lost."""
    size = state[at + AFTER] - segments.start_of(state, base, number)
    if records.is_under_way(state[at + FLAGS]):
        records.take(state, base, at)
    if state[at + FLAGS] & RESENT:
        state[base + c.RESENT_OUT] -= size
    if state[at + FLAGS] & LOST == 0:
        state[base + c.LOST_OUT] += size
    state[at + FLAGS] = (state[at + FLAGS] | LOST) & ~RESENT
    state[base + c.LOSSES] += size
    state[base + c.LOWEST] = min(state[base + c.LOWEST], number)


@shared
def detect(state: NDArray, base: int, now: int) -> None:
    """Mark what is late as lost, and have a timer look again (RFC 8985, section 6.2, step 5)."""
    if state[base + c.LOSS_DUE] > 0 and state[base + c.LOSS_KIND] == LATE:
        state[base + c.LOSS_DUE] = 0
    allowed = state[base + c.RACK_RTT] + reordering_window(state, base)
    longest = 0
    place = state[base + c.OLDEST]
    while place > 0:
        at = record(state, base, place - 1)
        if state[at + ORDER] >= state[base + c.RACK_ORDER]:
            break
        number = records.number_of(state, base, place)
        place = records.next_of(state, base, place)
        due = state[at + SENT] + allowed
        if due <= now:
            lose(state, base, number, at)
        else:
            longest = max(longest, due - now)
    if longest > 0:
        state[base + c.LOSS_DUE] = now + longest + _TIMER_MIN
        state[base + c.LOSS_KIND] = LATE


@shared
def leave(state: NDArray, base: int, now: int) -> None:
    """End recovery: the window is the threshold, or goes on from where slow start after a timeout has come."""
    if reduction.may_undo(state, base):
        reduction.undo(state, base)
    elif not state[base + c.LOSING]:
        reduction.end_reduction(state, base)
    state[base + c.RECOVERING] = state[base + c.LOSING] = 0
    state[base + c.UNDO_FROM] = 0
    state[base + c.WIDE_FOR] = max(state[base + c.WIDE_FOR] - 1, 0)
    congestion.happens(state, base, now, congestion.RECOVERY_ENDS)


@shared
def answer_probe(state: NDArray, base: int, now: int, advanced: bool) -> None:
    """End the episode of a probe: one that made up for a loss reduces the window (RFC 8985, section 7.4)."""
    end = state[base + c.PROBED]
    if end == 0 or state[base + c.UNA] < end:
        return
    if not state[base + c.PROBE_AGAIN] or state[base + c.DSACKED]:
        state[base + c.PROBED] = 0
    elif state[base + c.UNA] > end:
        reduction.begin_reduction(state, base, now)
        reduction.end_reduction(state, base)
    elif not advanced:
        state[base + c.PROBED] = 0


@shared
def windows(state: NDArray, base: int, now: int, advanced: bool, limited: bool) -> None:
    """Set the window after an acknowledgement (Linux tcp_cong_control)."""
    if state[base + c.REDUCING] or (state[base + c.RECOVERING] and not state[base + c.LOSING]):
        reduction.reduce(state, base, advanced)
        return
    news = state[base + c.DELIVERED] - state[base + c.WAS_DELIVERED]
    if (advanced or (state[base + c.REORDERING] > 3 and news > 0)) and limited:
        window = congestion.increase(state, base, now, news)
        state[base + c.CWND] = min(window, state[base + c.MAX_CWND])


@shared
def settle(state: NDArray, base: int, now: int, advanced: bool, limited: bool) -> None:
    """Settle an acknowledgement: losses, recovery, the window, timers (Linux tcp_fastretrans_alert)."""
    answer_probe(state, base, now, advanced)
    adapt(state, base)
    if state[base + c.RECOVERING] and state[base + c.UNA] >= state[base + c.RECOVER]:
        leave(state, base, now)
    elif state[base + c.REDUCING] and state[base + c.UNA] > state[base + c.RECOVER]:
        state[base + c.REDUCING] = 0
        reduction.end_reduction(state, base)
        congestion.happens(state, base, now, congestion.RECOVERY_ENDS)
    elif (
        state[base + c.RECOVERING]
        and advanced
        and state[base + c.RESENT_OUT] == 0
        and reduction.may_undo(state, base)
    ):
        leave(state, base, now)
    watched = state[base + c.LOSS_DUE] > 0 and state[base + c.LOSS_KIND] == LATE
    if watched or state[base + c.SACKED_OUT] or state[base + c.RECOVERING] or state[base + c.REORDERED]:
        detect(state, base, now)
    if state[base + c.LOST_OUT] > 0 and not state[base + c.RECOVERING]:
        enter(state, base, now)
    elif state[base + c.MARKED_ACK] and not state[base + c.RECOVERING] and not state[base + c.REDUCING]:
        reduction.begin_reduction(state, base, now)
        state[base + c.REDUCING] = 1
        state[base + c.RECOVER] = state[base + c.MAX]
    segments.sample(state, base, now)
    if not congestion.steer(state, base, now):
        windows(state, base, now, advanced, limited)
    if advanced:
        schedule(state, base, now)


@shared
def schedule(state: NDArray, base: int, now: int) -> None:
    """Set the timer of a probe: two round trips, no later than the retransmission (RFC 8985, section 7.2)."""
    if state[base + c.LOSS_DUE] > 0 and state[base + c.LOSS_KIND] == LATE:
        return
    state[base + c.LOSS_DUE] = 0
    if (
        state[base + c.NOTED] == 0
        or state[base + c.RECOVERING]
        or state[base + c.SACKED_OUT]
        or not state[base + c.SRTT]
    ):
        return
    unit = max(state[base + c.RTO_TICK], 1)
    wait = (state[base + c.SRTT] >> 2) * unit
    alone = state[base + c.MAX] - state[base + c.UNA] <= state[base + c.MSS]
    wait += state[base + c.RTO_MIN] * unit if alone else _TIMER_MIN
    latest = instant(state, base, now, state[base + c.RTO])
    state[base + c.LOSS_DUE] = min(now + wait, latest)
    state[base + c.LOSS_KIND] = TAIL


@shared
def expired(state: NDArray, base: int, now: int) -> None:
    """The loss timer has run out: send a probe, or look what is late."""
    state[base + c.LOSS_DUE] = 0
    if state[base + c.NOTED] == 0:
        return
    state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])
    if state[base + c.LOSS_KIND] == TAIL:
        if state[base + c.PROBED] > 0:
            return
        seq = state[base + c.NXT]
        new = min(state[base + c.END] - seq, state[base + c.MSS])
        opened = seq + new <= state[base + c.UNA] + state[base + c.SEND_WINDOW]
        if new > 0 and opened and not segments.is_full(state, base):
            state[base + c.PROBE] = 1
            state[base + c.PROBED] = seq + new
            state[base + c.PROBE_AGAIN] = 0
        else:
            state[base + c.RESEND] = segments.start_of(state, base, state[base + c.HEAD] + state[base + c.NOTED] - 1)
            state[base + c.PROBED] = state[base + c.MAX]
            state[base + c.PROBE_AGAIN] = 1
        return
    segments.begin(state, base)
    detect(state, base, now)
    if state[base + c.LOST_OUT] > 0 and not state[base + c.RECOVERING]:
        enter(state, base, now)
    if state[base + c.RECOVERING] and not state[base + c.LOSING]:
        least = state[base + c.MSS] if state[base + c.PRR_OUT] == 0 else 0
        state[base + c.CWND] = max(state[base + c.CWND], in_flight(state, base) + least)


@shared
def timed_out(state: NDArray, base: int, now: int) -> bool:
    """The retransmission timer has run out: what is not recent is lost (RFC 8985, section 6.3); slow start anew."""
    number = state[base + c.HEAD]
    stop = number + state[base + c.NOTED]
    allowed = state[base + c.RACK_RTT] + reordering_window(state, base)
    while number < stop:
        at = record(state, base, number)
        flags = state[at + FLAGS]
        head = number == state[base + c.HEAD]
        if flags & SACKED == 0 and (head or state[at + SENT] + allowed <= now):
            lose(state, base, number, at)
        number += 1
    if state[base + c.UNA] != state[base + c.TIMED_OUT] or not state[base + c.LOSING]:
        state[base + c.UNDO_FROM] = state[base + c.UNA] + 1
        state[base + c.UNDO_LEFT] = state[base + c.FIRST_RESENT] = 0
    state[base + c.RECOVERING] = state[base + c.LOSING] = 1
    state[base + c.REDUCING] = state[base + c.PROBED] = state[base + c.PROBE] = state[base + c.LOSS_DUE] = 0
    state[base + c.ANSWER] = state[base + c.ECN]
    state[base + c.CWND] = in_flight(state, base) + state[base + c.CWND]
    return True


@shared
def room(state: NDArray, base: int) -> int:
    """End of the bytes that may be sent: the window less what is in the network."""
    return state[base + c.NXT] - state[base + c.UNA] + state[base + c.CWND] - in_flight(state, base)


@shared
def resend(state: NDArray, base: int, certain: int) -> int:
    """The first segment that is lost and has not been sent again (Linux tcp_xmit_retransmit_queue), or -1."""
    if not certain or state[base + c.LOST_OUT] <= 0 or state[base + c.CWND] - in_flight(state, base) < 1:
        return -1
    number = state[base + c.LOWEST]
    stop = state[base + c.HEAD] + state[base + c.NOTED]
    while number < stop:
        at = record(state, base, number)
        flags = state[at + FLAGS]
        if flags & SACKED:
            number = max(state[at + OTHER], number)
        elif flags & (LOST | RESENT) == LOST:
            state[base + c.LOWEST] = number
            seq = segments.start_of(state, base, number)
            return seq << 16 | max(min(min(state[at + AFTER], state[base + c.END]) - seq, state[base + c.MSS]), 0)
        number += 1
    state[base + c.LOWEST] = number
    return -1


RECOVERIES.add(
    Recovery(
        "rack",
        [is_duplicate, begins, enter, take_block, settle, schedule, expired, timed_out, room, resend],
        selective=True,
        without_them="newreno",
        scoreboard=True,
    )
)
