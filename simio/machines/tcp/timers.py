"""Timers and the retransmission time.

A timer is the instant at which it is due. One thread sleeps until the earliest and looks again then, so that setting
and stopping timers costs no events. The retransmission time is that of Jacobson, 1988, with srtt times 8 and its
deviation times 4: in ticks of the host's slow timer as in 4.3BSD-Reno, or in ps as in RFC 6298, section 2.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c

_STAMP_MASK = 2**31 - 1


@shared
def clock(state: NDArray, base: int, now: int) -> int:
    """The time in units of the retransmission timer: ticks that have passed, or ps."""
    tick = state[base + c.RTO_TICK]
    return (now - state[base + c.RTO_PHASE]) // tick if tick > 0 else now


@shared
def instant(state: NDArray, base: int, now: int, count: int) -> int:
    """Instant at which a timer of `count` units that is set now runs out: the `count`th tick from now, or in ps."""
    tick = state[base + c.RTO_TICK]
    if tick == 0:
        return now + count
    return (clock(state, base, now) + count) * tick + state[base + c.RTO_PHASE]


@shared
def stamp(state: NDArray, base: int, now: int) -> int:
    """The clock of timestamps, from 1 on, modulo 2**31."""
    return (now // state[base + c.STAMP_TICK] + 1) & _STAMP_MASK


@shared
def measured(state: NDArray, base: int, elapsed: int) -> None:
    """Take a round trip of `elapsed` units; in ticks, up to one more may have begun, which srtt does not count."""
    rtt = elapsed + 1 if state[base + c.RTO_TICK] > 0 else max(elapsed, 1)
    srtt = state[base + c.SRTT]
    rttvar = state[base + c.RTTVAR]
    if srtt > 0:
        delta = elapsed - (srtt >> 3)
        srtt = max(srtt + delta, 1)
        rttvar = max(rttvar + abs(delta) - (rttvar >> 2), 1)
    else:
        srtt = rtt << 3
        rttvar = rtt << 1
    state[base + c.SRTT] = srtt
    state[base + c.RTTVAR] = rttvar
    state[base + c.BACKOFF] = 0
    wait = (srtt >> 3) + max(rttvar, state[base + c.RTO_GRANULARITY])
    state[base + c.RTO] = min(max(wait, state[base + c.RTO_MIN]), state[base + c.RTO_MAX])


@shared
def back_off(state: NDArray, base: int) -> None:
    """Double the retransmission time, up to 64 times, as its timer has run out (RFC 6298, rule 5.5)."""
    state[base + c.BACKOFF] += 1
    wait = state[base + c.RTO_INITIAL]
    if state[base + c.SRTT] > 0:
        wait = (state[base + c.SRTT] >> 3) + max(state[base + c.RTTVAR], state[base + c.RTO_GRANULARITY])
    wait = max(wait, state[base + c.RTO_MIN]) << min(state[base + c.BACKOFF], 6)
    state[base + c.RTO] = min(wait, state[base + c.RTO_MAX])


@shared
def persist(state: NDArray, base: int, now: int) -> None:
    """Set the persist timer: half of a retransmission time, backed off (4.3BSD-Reno, `tcp_setpersist`)."""
    wait = state[base + c.RTO_INITIAL]
    if state[base + c.SRTT] > 0:
        wait = (state[base + c.SRTT] >> 3) + (state[base + c.RTTVAR] >> 1)
    wait <<= min(state[base + c.BACKOFF], 6)
    wait = min(max(wait, state[base + c.PERSIST_MIN]), state[base + c.PERSIST_MAX])
    state[base + c.PERSIST_DUE] = instant(state, base, now, wait)
    state[base + c.BACKOFF] += 1


@shared
def earliest(state: NDArray, base: int) -> int:
    """Instant at which the next timer runs out; 0 if none runs, or if a thread sleeps that wakes in time."""
    due = state[base + c.ACK_DUE]
    resend = state[base + c.RESEND_DUE]
    probe = state[base + c.PERSIST_DUE]
    if due == 0 or 0 < resend < due:
        due = resend
    if due == 0 or 0 < probe < due:
        due = probe
    if due == 0 or 0 < state[base + c.LOSS_DUE] < due:
        due = state[base + c.LOSS_DUE]
    if due == 0 or 0 < state[base + c.PACE_DUE] < due:
        due = state[base + c.PACE_DUE]
    return 0 if 0 < state[base + c.WAKE] <= due else due


@shared
def unwatched(state: NDArray, base: int) -> int:
    """TIMER if a thread has to sleep for the next timer, else 0."""
    return c.TIMER if earliest(state, base) > 0 else 0


@machine("tcp")
def sleep(state: NDArray, base: int, now: int) -> int:
    """Time in ps until `connection.expire` is due; 0 if no timer runs, or if a thread sleeps that wakes in time."""
    if now > c.LATEST:
        return -1
    due = earliest(state, base)
    if due == 0:
        return 0
    state[base + c.WAKE] = max(due, now + 1)
    return max(due - now, 1)
