"""BBR, version 1: rate and window by the bottleneck's bandwidth and the shortest round trip.

N. Cardwell et al., *ACM Queue* 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00. Constants and integer
arithmetic are those of Linux 6.x, net/ipv4/tcp_bbr.c, in bytes a second and ps; windows are in segments where Linux
rounds them to such. Left out: the estimate of token bucket policers (long-term bandwidth). Which phase of the cycle
comes first is random in Linux, and here follows from the instant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import pacing, segments
from simio.machines.tcp.congestion.control import CONTROLS, SENDING_BEGINS, TIMEOUT, CongestionControl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_US, _MS, _SECOND = 10**6, 10**9, 10**12
_UNIT = 256
"""A gain of 1 (BBR_UNIT)."""
_HIGH = 2885 * _UNIT // 1000 + 1
"""2 / ln 2, with which the rate doubles each round (bbr_high_gain)."""
_DRAIN = _UNIT * 1000 // 2885
"""Its inverse, which takes the queue away again (bbr_drain_gain)."""
_CRUISE = 2 * _UNIT
"""The window in bandwidth-delay products (bbr_cwnd_gain)."""
_UP, _DOWN = _UNIT * 5 // 4, _UNIT * 3 // 4
"""Gains of the first two phases of a cycle (bbr_pacing_gain)."""
_PHASES = 8
"""Phases of a cycle (CYCLE_LEN)."""
_ROUNDS = _PHASES + 2
"""Rounds for which a bandwidth counts (bbr_bw_rtts)."""
_LEAST_SPAN = 10 * _SECOND
"""Time for which the shortest round trip counts (bbr_min_rtt_win_sec)."""
_PROBE_TIME = 200 * _MS
"""Time with the least window (bbr_probe_rtt_mode_ms)."""
_LEAST_WINDOW = 4
"""Segments of the least window (bbr_cwnd_min_target)."""
_MARGIN = 99
"""Percent of the rate that is used (bbr_pacing_margin_percent 1)."""
_FULL, _FULL_ROUNDS = _UNIT * 5 // 4, 3
"""Growth that shows that the pipe is not full, and rounds without it that show that it is (bbr_full_bw_thresh)."""
_EXTRA_ROUNDS = 5
"""Rounds for which aggregation of acknowledgements counts (bbr_extra_acked_win_rtts)."""
_EXTRA_MOST = 100 * _MS
"""Time whose bytes at the bandwidth are the most that it adds (bbr_extra_acked_max_us)."""

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)

WORDS = Layout("bbr")
_word = WORDS.word
MODE = c.OWN + _word("mode", about="0 startup, 1 drain, 2 probe bandwidth, 3 probe round trip")
ROUND = c.OWN + _word("rounds", about="that have passed (rtt_cnt)")
NEXT_ROUND = c.OWN + _word(
    "next_round", "bytes", about="delivered from which on the next begins (next_rtt_delivered)"
)
ROUND_BEGINS = c.OWN + _word("round_begins", about="1: the present acknowledgement begins one (round_start)")
BEST = c.OWN + WORDS.table("best", 3, "bytes / s", about="largest bandwidths of the filter, newest last (minmax)")
BEST_AT = c.OWN + WORDS.table("best_at", 3, "rounds", about="when they were measured")
LEAST = c.OWN + _word("least", "ps", initial=-1, about="shortest round trip of 10 s; negative: none (min_rtt_us)")
LEAST_AT = c.OWN + _word("least_at", "ps", about="when it was measured (min_rtt_stamp)")
PROBE_DONE = c.OWN + _word(
    "probe_done", "ps", about="end of the least window; 0: not known yet (probe_rtt_done_stamp)"
)
PROBE_ROUND = c.OWN + _word("probe_round", about="1: a round with it has passed (probe_rtt_round_done)")
GAIN = c.OWN + _word("gain", "1 / 256", initial=_HIGH, about="of the rate (pacing_gain)")
WINDOW_GAIN = c.OWN + _word("window_gain", "1 / 256", initial=_HIGH, about="of the window (cwnd_gain)")
PHASE = c.OWN + _word("phase", about="of the cycle (cycle_idx)")
PHASE_AT = c.OWN + _word("phase_at", "ps", about="when it began (cycle_mstamp)")
FULL = c.OWN + _word("full", "bytes / s", about="bandwidth that is to be exceeded (full_bw)")
FULL_COUNT = c.OWN + _word("full_count", "rounds", about="in which it was not (full_bw_cnt)")
IS_FULL = c.OWN + _word("is_full", about="1: the pipe has been full (full_bw_reached)")
PRIOR = c.OWN + _word("prior", "bytes", about="window before recovery or the least window (prior_cwnd)")
CONSERVES = c.OWN + _word("conserves", about="1: as much goes as arrives (packet_conservation)")
WAS_IN = c.OWN + _word("was_in", about="recovery at the last acknowledgement: 0 none, 1 fast, 2 after a timeout")
RESTARTED = c.OWN + _word(
    "restarted", about="1: sending has begun anew after the application had nothing (idle_restart)"
)
SEEN_RTT = c.OWN + _word("seen_rtt", about="1: a round trip has set the first rate (has_seen_rtt)")
EPOCH_AT = c.OWN + _word("epoch_at", "ps", about="when the present aggregate began (ack_epoch_mstamp)")
EPOCH_ACKED = c.OWN + _word("epoch_acked", "bytes", about="acknowledged since (ack_epoch_acked)")
EXTRA = c.OWN + WORDS.table("extra", 2, "bytes", about="largest surplus of two windows of rounds (extra_acked)")
EXTRA_ROUND = c.OWN + _word("extra_round", "rounds", about="of the present one (extra_acked_win_rtts)")
EXTRA_PLACE = c.OWN + _word("extra_place", about="which is the present one (extra_acked_win_idx)")


@shared
def keep(state: NDArray, base: int, value: int) -> None:
    """Put a bandwidth into the filter of the largest of 10 rounds (Linux lib/win_minmax.c, minmax_running_max)."""
    now = state[base + ROUND]
    best, at = base + BEST, base + BEST_AT
    if value >= state[best] or now - state[at + 2] > _ROUNDS:
        for place in range(3):
            state[best + place] = value
            state[at + place] = now
        return
    if value >= state[best + 1]:
        state[best + 1] = state[best + 2] = value
        state[at + 1] = state[at + 2] = now
    elif value >= state[best + 2]:
        state[best + 2] = value
        state[at + 2] = now
    passed = now - state[at]
    if passed > _ROUNDS:
        for _ in range(2):
            if now - state[at] > _ROUNDS:
                state[best], state[at] = state[best + 1], state[at + 1]
                state[best + 1], state[at + 1] = state[best + 2], state[at + 2]
                state[best + 2], state[at + 2] = value, now
    elif state[at + 1] == state[at] and passed > _ROUNDS // 4:
        state[best + 1] = state[best + 2] = value
        state[at + 1] = state[at + 2] = now
    elif state[at + 2] == state[at + 1] and passed > _ROUNDS // 2:
        state[best + 2] = value
        state[at + 2] = now


@shared
def product(state: NDArray, base: int, gain: int) -> int:
    """Segments of the bandwidth-delay product times a gain, rounded up (bbr_bdp)."""
    mss = state[base + c.MSS]
    if state[base + LEAST] < 0:
        return state[base + c.INITIAL_WINDOW] // mss
    size = state[base + BEST] * (state[base + LEAST] // _US) // 10**6
    return -(-(size * gain // _UNIT) // mss)


@shared
def allowed(state: NDArray, base: int, gain: int, more: int) -> int:
    """Segments in flight for a gain: three bursts beyond the product, an even number (bbr_inflight)."""
    budget = product(state, base, gain) + more + 3 * pacing.burst(state, base) // state[base + c.MSS]
    budget += budget % 2
    if state[base + MODE] == PROBE_BW and state[base + PHASE] == 0:
        budget += 2
    return budget


@shared
def flight(state: NDArray, base: int) -> int:
    """Segments in flight."""
    return -(-segments.in_flight(state, base) // state[base + c.MSS])


@shared
def set_rate(state: NDArray, base: int, gain: int) -> None:
    """The rate of pacing; until the pipe has been full it never falls (bbr_set_pacing_rate)."""
    rate = state[base + BEST] * gain // _UNIT * _MARGIN // 100
    if state[base + SEEN_RTT] == 0 and state[base + c.SRTT] > 0:
        first_rate(state, base)
    if state[base + IS_FULL] or rate > state[base + c.PACE_RATE]:
        state[base + c.PACE_RATE] = max(rate, 1)


@shared
def first_rate(state: NDArray, base: int) -> None:
    """The rate before a bandwidth is known: a window a round trip (bbr_init_pacing_rate_from_rtt)."""
    trip = pacing.smoothed_us(state, base)
    state[base + SEEN_RTT] = 1 if trip > 0 else 0
    rate = state[base + c.CWND] * 10**6 // (trip if trip > 0 else 1000)
    state[base + c.PACE_RATE] = rate * _HIGH // _UNIT * _MARGIN // 100


@shared
def update_bandwidth(state: NDArray, base: int) -> None:
    """Take the sample of the delivery rate, and count rounds (bbr_update_bw)."""
    state[base + ROUND_BEGINS] = 0
    if state[base + c.SAMPLE_BYTES] < 0:
        return
    if state[base + c.SAMPLE_FROM] - 1 >= state[base + NEXT_ROUND]:
        state[base + NEXT_ROUND] = state[base + c.DELIVERED]
        state[base + ROUND] += 1
        state[base + ROUND_BEGINS] = 1
        state[base + CONSERVES] = 0
    rate = state[base + c.SAMPLE_BYTES] * 10**6 // max(state[base + c.SAMPLE_TIME] // _US, 1)
    if not state[base + c.SAMPLE_LIMITED] or rate >= state[base + BEST]:
        keep(state, base, rate)


@shared
def update_extra(state: NDArray, base: int, now: int) -> None:
    """Measure by how much acknowledgements run ahead of the bandwidth (bbr_update_ack_aggregation)."""
    news = state[base + c.DELIVERED] - state[base + c.WAS_DELIVERED]
    if news <= 0 or state[base + c.SAMPLE_BYTES] < 0:
        return
    if state[base + ROUND_BEGINS]:
        state[base + EXTRA_ROUND] += 1
        if state[base + EXTRA_ROUND] >= _EXTRA_ROUNDS:
            state[base + EXTRA_ROUND] = 0
            state[base + EXTRA_PLACE] = 1 - state[base + EXTRA_PLACE]
            state[base + EXTRA + state[base + EXTRA_PLACE]] = 0
    expected = state[base + BEST] * ((now - state[base + EPOCH_AT]) // _US) // 10**6
    if state[base + EPOCH_ACKED] <= expected:
        state[base + EPOCH_ACKED] = expected = 0
        state[base + EPOCH_AT] = now
    state[base + EPOCH_ACKED] += news
    extra = min(state[base + EPOCH_ACKED] - expected, state[base + c.CWND])
    at = base + EXTRA + state[base + EXTRA_PLACE]
    state[at] = max(state[at], extra)


@shared
def extra_window(state: NDArray, base: int) -> int:
    """Segments that the window has for that (bbr_ack_aggregation_cwnd)."""
    if not state[base + IS_FULL]:
        return 0
    most = state[base + BEST] // 10
    return min(max(state[base + EXTRA], state[base + EXTRA + 1]), most) // state[base + c.MSS]


@shared
def update_phase(state: NDArray, base: int, now: int) -> None:
    """Go on in the cycle of gains (bbr_update_cycle_phase)."""
    if state[base + MODE] != PROBE_BW:
        return
    long = now - state[base + PHASE_AT] > state[base + LEAST]
    gain = state[base + GAIN]
    before = -(-state[base + c.BEFORE_OUT] // state[base + c.MSS])
    if gain > _UNIT:
        over = long and (state[base + c.LOSSES] > 0 or before >= allowed(state, base, gain, 0))
    elif gain < _UNIT:
        over = long or before <= allowed(state, base, _UNIT, 0)
    else:
        over = long
    if over:
        state[base + PHASE] = (state[base + PHASE] + 1) % _PHASES
        state[base + PHASE_AT] = now


@shared
def cruise(state: NDArray, base: int, now: int) -> None:
    """Begin to probe for bandwidth, in any phase but the one that drains (bbr_reset_probe_bw_mode)."""
    state[base + MODE] = PROBE_BW
    chosen = now // _US * 2654435761 // 65536 % (_PHASES - 1)
    state[base + PHASE] = (_PHASES - 1 - chosen + 1) % _PHASES
    state[base + PHASE_AT] = now


@shared
def update_mode(state: NDArray, base: int, now: int) -> None:
    """See whether the pipe is full, and the queue drained (bbr_check_full_bw_reached, bbr_check_drain)."""
    if not state[base + IS_FULL] and state[base + ROUND_BEGINS] and not state[base + c.SAMPLE_LIMITED]:
        if state[base + BEST] >= state[base + FULL] * _FULL // _UNIT:
            state[base + FULL] = state[base + BEST]
            state[base + FULL_COUNT] = 0
        else:
            state[base + FULL_COUNT] += 1
            state[base + IS_FULL] = 1 if state[base + FULL_COUNT] >= _FULL_ROUNDS else 0
    if state[base + MODE] == STARTUP and state[base + IS_FULL]:
        state[base + MODE] = DRAIN
        state[base + c.SSTHRESH] = allowed(state, base, _UNIT, 0) * state[base + c.MSS]
    if state[base + MODE] == DRAIN and flight(state, base) <= allowed(state, base, _UNIT, 0):
        cruise(state, base, now)


@shared
def leave_probe(state: NDArray, base: int, now: int) -> None:
    """End the least window once its time is over (bbr_check_probe_rtt_done)."""
    if state[base + PROBE_DONE] == 0 or now <= state[base + PROBE_DONE]:
        return
    state[base + LEAST_AT] = now
    state[base + c.CWND] = max(state[base + c.CWND], state[base + PRIOR])
    if state[base + IS_FULL]:
        cruise(state, base, now)
    else:
        state[base + MODE] = STARTUP


@shared
def save_window(state: NDArray, base: int) -> None:
    """Remember the window that is to come back (bbr_save_cwnd)."""
    window = state[base + c.CWND]
    if state[base + WAS_IN] == 0 and state[base + MODE] != PROBE_RTT:
        state[base + PRIOR] = window
    else:
        state[base + PRIOR] = max(state[base + PRIOR], window)


@shared
def update_least(state: NDArray, base: int, now: int) -> None:
    """Follow the shortest round trip; one of 10 s ago is measured anew with the least window (bbr_update_min_rtt)."""
    rtt = state[base + c.SAMPLE_RTT]
    old = now > state[base + LEAST_AT] + _LEAST_SPAN
    if rtt >= 0 and (state[base + LEAST] < 0 or rtt < state[base + LEAST] or old):
        state[base + LEAST] = rtt
        state[base + LEAST_AT] = now
    if old and not state[base + RESTARTED] and state[base + MODE] != PROBE_RTT:
        save_window(state, base)
        state[base + MODE] = PROBE_RTT
        state[base + PROBE_DONE] = 0
    if state[base + MODE] == PROBE_RTT:
        state[base + c.APP_LIMITED] = max(state[base + c.DELIVERED] + segments.in_flight(state, base), 1)
        if state[base + PROBE_DONE] == 0:
            if flight(state, base) <= _LEAST_WINDOW:
                state[base + PROBE_DONE] = now + _PROBE_TIME
                state[base + PROBE_ROUND] = 0
                state[base + NEXT_ROUND] = state[base + c.DELIVERED]
        else:
            if state[base + ROUND_BEGINS]:
                state[base + PROBE_ROUND] = 1
            if state[base + PROBE_ROUND]:
                leave_probe(state, base, now)
    if state[base + c.SAMPLE_BYTES] > 0:
        state[base + RESTARTED] = 0


@shared
def update_gains(state: NDArray, base: int) -> None:
    """The gains of the mode (bbr_update_gains)."""
    mode = state[base + MODE]
    gain = window = _UNIT
    if mode == STARTUP:
        gain = window = _HIGH
    elif mode == DRAIN:
        gain, window = _DRAIN, _HIGH
    elif mode == PROBE_BW:
        phase = state[base + PHASE]
        gain = _UP if phase == 0 else _DOWN if phase == 1 else _UNIT
        window = _CRUISE
    state[base + GAIN] = gain
    state[base + WINDOW_GAIN] = window


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
        if inside == 1 and state[base + WAS_IN] != 1:
            state[base + CONSERVES] = 1
            state[base + NEXT_ROUND] = state[base + c.DELIVERED]
            window = out + acked
        elif state[base + WAS_IN] > 0 and inside == 0:
            window = max(window, state[base + PRIOR])
            state[base + CONSERVES] = 0
        state[base + WAS_IN] = inside
        if state[base + CONSERVES]:
            window = max(window, out + acked)
        else:
            target = allowed(state, base, state[base + WINDOW_GAIN], extra_window(state, base)) * mss
            if state[base + IS_FULL]:
                window = min(window + acked, target)
            elif window < target or state[base + c.DELIVERED] < state[base + c.INITIAL_WINDOW]:
                window += acked
            window = max(window, _LEAST_WINDOW * mss)
    window = min(window, state[base + c.MAX_CWND])
    if state[base + MODE] == PROBE_RTT:
        window = min(window, _LEAST_WINDOW * mss)
    state[base + c.CWND] = window


@shared
def steer(state: NDArray, base: int, now: int) -> bool:
    """Follow the sample of an acknowledgement (bbr_main)."""
    update_bandwidth(state, base)
    update_extra(state, base, now)
    update_phase(state, base, now)
    update_mode(state, base, now)
    update_least(state, base, now)
    update_gains(state, base)
    set_rate(state, base, state[base + GAIN])
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
        state[base + WAS_IN] = 2
        state[base + FULL] = 0
        state[base + ROUND_BEGINS] = 1
    elif event == SENDING_BEGINS:
        if state[base + SEEN_RTT] == 0:
            state[base + LEAST_AT] = state[base + EPOCH_AT] = now
            if state[base + c.MIN_RTT] > 0:
                state[base + LEAST] = state[base + c.MIN_RTT]
            first_rate(state, base)
        elif state[base + c.APP_LIMITED] > 0:
            state[base + RESTARTED] = 1
            state[base + EPOCH_AT] = now
            state[base + EPOCH_ACKED] = 0
            if state[base + MODE] == PROBE_BW:
                set_rate(state, base, _UNIT)
            elif state[base + MODE] == PROBE_RTT:
                leave_probe(state, base, now)


CONTROLS.add(CongestionControl("bbr", [threshold, increase, happens, steer], WORDS, paced=True, sampled=True))
