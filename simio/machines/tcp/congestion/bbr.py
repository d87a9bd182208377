"""BBR, version 1: rate and window by the bottleneck's bandwidth and the shortest round trip.

N. Cardwell et al., *ACM Queue* 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00. Constants and integer
arithmetic are those of Linux 6.x, net/ipv4/tcp_bbr.c, in bytes a second and ps; windows are in segments where Linux
rounds them to such. Left out: the estimate of token bucket policers (long-term bandwidth). Which phase of the cycle
comes first is random in Linux, and here follows from the instant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import pacing, segments
from simio.machines.tcp.congestion import bbr_model as m
from simio.machines.tcp.congestion.control import CONTROLS, SENDING_BEGINS, TIMEOUT, CongestionControl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DRAIN = m.UNIT * 1000 // 2885
"""The inverse of `HIGH`, which takes the queue away again (bbr_drain_gain)."""
_CRUISE = 2 * m.UNIT
"""The window in bandwidth-delay products (bbr_cwnd_gain)."""
_UP, _DOWN = m.UNIT * 5 // 4, m.UNIT * 3 // 4
"""Gains of the first two phases of a cycle (bbr_pacing_gain)."""
_LEAST_SPAN = 10 * 10**12
"""Time for which the shortest round trip counts (bbr_min_rtt_win_sec)."""
_PROBE_TIME = 200 * 10**9
"""Time with the least window (bbr_probe_rtt_mode_ms)."""
_LEAST_WINDOW = 4
"""Segments of the least window (bbr_cwnd_min_target)."""
_MARGIN = 99
"""Percent of the rate that is used (bbr_pacing_margin_percent 1)."""
_FULL, _FULL_ROUNDS = m.UNIT * 5 // 4, 3
"""Growth that shows that the pipe is not full, and rounds without it that show that it is (bbr_full_bw_thresh)."""

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)


@shared
def allowed(state: NDArray, base: int, gain: int, more: int) -> int:
    """Segments in flight for a gain: three bursts beyond the product, an even number (bbr_inflight)."""
    budget = m.product(state, base, gain) + more + 3 * pacing.burst(state, base) // state[base + c.MSS]
    budget += budget % 2
    if state[base + m.MODE] == PROBE_BW and state[base + m.PHASE] == 0:
        budget += 2
    return budget


@shared
def set_rate(state: NDArray, base: int, gain: int) -> None:
    """The rate of pacing; until the pipe has been full it never falls (bbr_set_pacing_rate)."""
    rate = state[base + m.BEST] * gain // m.UNIT * _MARGIN // 100
    if state[base + m.SEEN_RTT] == 0 and state[base + c.SRTT] > 0:
        first_rate(state, base)
    if state[base + m.IS_FULL] or rate > state[base + c.PACE_RATE]:
        state[base + c.PACE_RATE] = max(rate, 1)


@shared
def first_rate(state: NDArray, base: int) -> None:
    """The rate before a bandwidth is known: a window a round trip (bbr_init_pacing_rate_from_rtt)."""
    trip = pacing.smoothed_us(state, base)
    state[base + m.SEEN_RTT] = 1 if trip > 0 else 0
    rate = state[base + c.CWND] * 10**6 // (trip if trip > 0 else 1000)
    state[base + c.PACE_RATE] = rate * m.HIGH // m.UNIT * _MARGIN // 100


@shared
def update_phase(state: NDArray, base: int, now: int) -> None:
    """Go on in the cycle of gains (bbr_update_cycle_phase)."""
    if state[base + m.MODE] != PROBE_BW:
        return
    long = now - state[base + m.PHASE_AT] > state[base + m.LEAST]
    gain = state[base + m.GAIN]
    before = -(-state[base + c.BEFORE_OUT] // state[base + c.MSS])
    if gain > m.UNIT:
        over = long and (state[base + c.LOSSES] > 0 or before >= allowed(state, base, gain, 0))
    elif gain < m.UNIT:
        over = long or before <= allowed(state, base, m.UNIT, 0)
    else:
        over = long
    if over:
        state[base + m.PHASE] = (state[base + m.PHASE] + 1) % m.PHASES
        state[base + m.PHASE_AT] = now


@shared
def cruise(state: NDArray, base: int, now: int) -> None:
    """Begin to probe for bandwidth, in any phase but the one that drains (bbr_reset_probe_bw_mode)."""
    state[base + m.MODE] = PROBE_BW
    chosen = now // m.US * 2654435761 // 65536 % (m.PHASES - 1)
    state[base + m.PHASE] = (m.PHASES - 1 - chosen + 1) % m.PHASES
    state[base + m.PHASE_AT] = now


@shared
def update_mode(state: NDArray, base: int, now: int) -> None:
    """See whether the pipe is full, and the queue drained (bbr_check_full_bw_reached, bbr_check_drain)."""
    if not state[base + m.IS_FULL] and state[base + m.ROUND_BEGINS] and not state[base + c.SAMPLE_LIMITED]:
        if state[base + m.BEST] >= state[base + m.FULL] * _FULL // m.UNIT:
            state[base + m.FULL] = state[base + m.BEST]
            state[base + m.FULL_COUNT] = 0
        else:
            state[base + m.FULL_COUNT] += 1
            state[base + m.IS_FULL] = 1 if state[base + m.FULL_COUNT] >= _FULL_ROUNDS else 0
    if state[base + m.MODE] == STARTUP and state[base + m.IS_FULL]:
        state[base + m.MODE] = DRAIN
        state[base + c.SSTHRESH] = allowed(state, base, m.UNIT, 0) * state[base + c.MSS]
    if state[base + m.MODE] == DRAIN and m.flight(state, base) <= allowed(state, base, m.UNIT, 0):
        cruise(state, base, now)


@shared
def leave_probe(state: NDArray, base: int, now: int) -> None:
    """End the least window once its time is over (bbr_check_probe_rtt_done)."""
    if state[base + m.PROBE_DONE] == 0 or now <= state[base + m.PROBE_DONE]:
        return
    state[base + m.LEAST_AT] = now
    state[base + c.CWND] = max(state[base + c.CWND], state[base + m.PRIOR])
    if state[base + m.IS_FULL]:
        cruise(state, base, now)
    else:
        state[base + m.MODE] = STARTUP


@shared
def save_window(state: NDArray, base: int) -> None:
    """Remember the window that is to come back (bbr_save_cwnd)."""
    window = state[base + c.CWND]
    if state[base + m.WAS_IN] == 0 and state[base + m.MODE] != PROBE_RTT:
        state[base + m.PRIOR] = window
    else:
        state[base + m.PRIOR] = max(state[base + m.PRIOR], window)


@shared
def update_least(state: NDArray, base: int, now: int) -> None:
    """Follow the shortest round trip; one of 10 s ago is measured anew with the least window (bbr_update_min_rtt)."""
    rtt = state[base + c.SAMPLE_RTT]
    old = now > state[base + m.LEAST_AT] + _LEAST_SPAN
    if rtt >= 0 and (state[base + m.LEAST] < 0 or rtt < state[base + m.LEAST] or old):
        state[base + m.LEAST] = rtt
        state[base + m.LEAST_AT] = now
    if old and not state[base + m.RESTARTED] and state[base + m.MODE] != PROBE_RTT:
        save_window(state, base)
        state[base + m.MODE] = PROBE_RTT
        state[base + m.PROBE_DONE] = 0
    if state[base + m.MODE] == PROBE_RTT:
        state[base + c.APP_LIMITED] = max(state[base + c.DELIVERED] + segments.in_flight(state, base), 1)
        if state[base + m.PROBE_DONE] == 0:
            if m.flight(state, base) <= _LEAST_WINDOW:
                state[base + m.PROBE_DONE] = now + _PROBE_TIME
                state[base + m.PROBE_ROUND] = 0
                state[base + m.NEXT_ROUND] = state[base + c.DELIVERED]
        else:
            if state[base + m.ROUND_BEGINS]:
                state[base + m.PROBE_ROUND] = 1
            if state[base + m.PROBE_ROUND]:
                leave_probe(state, base, now)
    if state[base + c.SAMPLE_BYTES] > 0:
        state[base + m.RESTARTED] = 0


@shared
def update_gains(state: NDArray, base: int) -> None:
    """The gains of the mode (bbr_update_gains)."""
    mode = state[base + m.MODE]
    gain = window = m.UNIT
    if mode == STARTUP:
        gain = window = m.HIGH
    elif mode == DRAIN:
        gain, window = _DRAIN, m.HIGH
    elif mode == PROBE_BW:
        phase = state[base + m.PHASE]
        gain = _UP if phase == 0 else _DOWN if phase == 1 else m.UNIT
        window = _CRUISE
    state[base + m.GAIN] = gain
    state[base + m.WINDOW_GAIN] = window


@shared
def set_window(state: NDArray, base: int) -> None:
    """The window, by bandwidth and delay, and in recovery by what arrives (bbr_set_cwnd)."""
    mss = state[base + c.MSS]
    acked = state[base + c.DELIVERED] - state[base + c.WAS_DELIVERED]
    window = state[base + c.CWND]
    if acked > 0:
        if state[base + c.LOSSES] > 0:
            window = max(window - state[base + c.LOSSES], mss)
        inside = state[base + c.RECOVERING] + state[base + c.LOSING]
        out = segments.in_flight(state, base)
        if inside == 1 and state[base + m.WAS_IN] != 1:
            state[base + m.CONSERVES] = 1
            state[base + m.NEXT_ROUND] = state[base + c.DELIVERED]
            window = out + acked
        elif state[base + m.WAS_IN] > 0 and inside == 0:
            window = max(window, state[base + m.PRIOR])
            state[base + m.CONSERVES] = 0
        state[base + m.WAS_IN] = inside
        if state[base + m.CONSERVES]:
            window = max(window, out + acked)
        else:
            target = allowed(state, base, state[base + m.WINDOW_GAIN], m.extra_window(state, base)) * mss
            if state[base + m.IS_FULL]:
                window = min(window + acked, target)
            elif window < target or state[base + c.DELIVERED] < state[base + c.INITIAL_WINDOW]:
                window += acked
            window = max(window, _LEAST_WINDOW * mss)
    window = min(window, state[base + c.MAX_CWND])
    if state[base + m.MODE] == PROBE_RTT:
        window = min(window, _LEAST_WINDOW * mss)
    state[base + c.CWND] = window


@shared
def steer(state: NDArray, base: int, now: int) -> bool:
    """Follow the sample of an acknowledgement (bbr_main)."""
    m.update_bandwidth(state, base)
    m.update_extra(state, base, now)
    update_phase(state, base, now)
    update_mode(state, base, now)
    update_least(state, base, now)
    update_gains(state, base)
    set_rate(state, base, state[base + m.GAIN])
    set_window(state, base)
    return True


@shared
def threshold(state: NDArray, base: int, now: int) -> int:
    """The threshold stays; the window is remembered (bbr_ssthresh)."""
    save_window(state, base)
    return state[base + c.SSTHRESH]


@shared
def increase(state: NDArray, base: int, now: int, acked: int) -> int:
    """The window stays: `steer` sets it."""
    return state[base + c.CWND]


@shared
def happens(state: NDArray, base: int, now: int, event: int) -> None:
    """A timeout begins a round; sending begins at the bandwidth that is known (bbr_set_state, bbr_cwnd_event)."""
    if event == TIMEOUT:
        state[base + m.WAS_IN] = 2
        state[base + m.FULL] = 0
        state[base + m.ROUND_BEGINS] = 1
    elif event == SENDING_BEGINS:
        if state[base + m.SEEN_RTT] == 0:
            state[base + m.LEAST_AT] = state[base + m.EPOCH_AT] = now
            if state[base + c.MIN_RTT] > 0:
                state[base + m.LEAST] = state[base + c.MIN_RTT]
            first_rate(state, base)
        elif state[base + c.APP_LIMITED] > 0:
            state[base + m.RESTARTED] = 1
            state[base + m.EPOCH_AT] = now
            state[base + m.EPOCH_ACKED] = 0
            if state[base + m.MODE] == PROBE_BW:
                set_rate(state, base, m.UNIT)
            elif state[base + m.MODE] == PROBE_RTT:
                leave_probe(state, base, now)


CONTROLS.add(CongestionControl("bbr", [threshold, increase, happens, steer], m.WORDS, paced=True, sampled=True))
