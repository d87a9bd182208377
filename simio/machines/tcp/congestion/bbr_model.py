"""BBR's model of the path: the bandwidth of the bottleneck, the shortest round trip, and how far ACKs run ahead.

Sources and units are those of `simio.machines.tcp.congestion.bbr`, whose words are declared here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

US = 10**6
UNIT = 256
"""A gain of 1 (BBR_UNIT)."""
HIGH = 2885 * UNIT // 1000 + 1
"""2 / ln 2, with which the rate doubles each round (bbr_high_gain)."""
PHASES = 8
"""Phases of a cycle (CYCLE_LEN)."""
_ROUNDS = PHASES + 2
"""Rounds for which a bandwidth counts (bbr_bw_rtts)."""
_EXTRA_ROUNDS = 5
"""Rounds for which aggregation of acknowledgements counts (bbr_extra_acked_win_rtts)."""
_EXTRA_MOST = 10
"""The bytes of one such part of a second are the most that it adds: of 100 ms (bbr_extra_acked_max_us)."""

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
GAIN = c.OWN + _word("gain", "1 / 256", initial=HIGH, about="of the rate (pacing_gain)")
WINDOW_GAIN = c.OWN + _word("window_gain", "1 / 256", initial=HIGH, about="of the window (cwnd_gain)")
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
    size = state[base + BEST] * (state[base + LEAST] // US) // 10**6
    return -(-(size * gain // UNIT) // mss)


@shared
def flight(state: NDArray, base: int) -> int:
    """Segments in flight."""
    return -(-segments.in_flight(state, base) // state[base + c.MSS])


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
    rate = state[base + c.SAMPLE_BYTES] * 10**6 // max(state[base + c.SAMPLE_TIME] // US, 1)
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
    expected = state[base + BEST] * ((now - state[base + EPOCH_AT]) // US) // 10**6
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
    most = state[base + BEST] // _EXTRA_MOST
    return min(max(state[base + EXTRA], state[base + EXTRA + 1]), most) // state[base + c.MSS]
