"""CUBIC with HyStart (RFC 9438; S. Ha and I. Rhee, *Computer Networks* 55(9), 2011), as Linux has them.

Constants and integer arithmetic are those of Linux 6.x, net/ipv4/tcp_cubic.c. Windows are in segments here, times in
ps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion.control import CONTROLS, SENDING_BEGINS, TIMEOUT, CongestionControl
from simio.machines.tcp.congestion.reno import slow_start

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MS = 10**9
_SECOND = 10**12
_SCALE = 1024
"""BICTCP_BETA_SCALE, and parts of a second in which the curve counts time (BICTCP_HZ)."""
_BETA = 717
"""Share of the window after a loss, in 1024ths: 0.7 (RFC 9438, section 4.6)."""
_CURVE = 410
"""C = 0.4 segments a second cubed (RFC 9438, section 4.2), in 1024ths (bic_scale * 10)."""
_FRIENDLY = 15
"""8 * (1 + beta) / (3 * (1 - beta)), rounded down: acknowledgements that Reno needs for a segment, in eighths."""
_FIRST_COUNT = 20
"""Before the first loss the window grows by 5% a round trip at least."""
_LOW_WINDOW = 16
"""Segments of the window from which on HyStart looks (hystart_low_window)."""
_SAMPLES = 8
"""Round trips of a round that it looks at first (HYSTART_MIN_SAMPLES)."""
_TRAIN_GAP = 2 * _MS
"""Acknowledgements that are so near belong to a train (hystart_ack_delta_us)."""
_LEAST_RISE, _MOST_RISE = 4 * _MS, 16 * _MS
"""Limits of an eighth of the least round trip, by which a round's may be longer (HYSTART_DELAY_MIN, _MAX)."""
_FULL_BURST = 4 * 65536
"""Bytes whose time at the rate of pacing a train may be longer, 1 ms at most (hystart_ack_delay)."""

WORDS = Layout("cubic")
_word = WORDS.word
CREDIT = c.OWN + _word("credit", "segments", about="acknowledged towards the next segment (snd_cwnd_cnt)")
COUNT = c.OWN + _word("count", "segments", about="acknowledged for which the window grows by one (cnt)")
LAST_MAX = c.OWN + _word("last_max", "segments", about="window before the last loss, W_max; 0: there was none")
LAST_WINDOW = c.OWN + _word("last_window", "segments", about="window when COUNT was last computed")
LAST_TIME = c.OWN + _word("last_time", "ps", about="instant at which that was")
EPOCH = c.OWN + _word("epoch", "ps", about="beginning of the present curve; 0: there is none")
PLATEAU = c.OWN + _word("plateau", "s / 1024", about="time from its beginning to its plateau, K")
ORIGIN = c.OWN + _word("origin", "segments", about="window of its plateau")
ACKED = c.OWN + _word("acked", "segments", about="acknowledged towards the next segment of Reno (ack_cnt)")
RENO = c.OWN + _word("reno", "segments", about="window that Reno would have, W_est (tcp_cwnd)")
LEAST = c.OWN + _word("least", "ps", about="shortest round trip; 0: none was timed (delay_min)")
FOUND = c.OWN + _word("found", about="1: HyStart has ended slow start")
ROUND_ENDS = c.OWN + _word("round_ended_by", about="sequence number beyond which the round ends (end_seq)")
ROUND_BEGAN = c.OWN + _word("round_began", "ps", about="instant at which it began")
TRAIN = c.OWN + _word("train", "ps", about="instant of the last acknowledgement of its train (last_ack)")
ROUND_LEAST = c.OWN + _word("round_least", "ps", about="shortest round trip of the round; 0: none yet (curr_rtt)")
SEEN = c.OWN + _word("seen", about="round trips of the round that have been looked at (sample_cnt)")


@shared
def cube_root(value: int) -> int:
    """The largest whole number whose cube is at most `value`, below 2**60."""
    low = 0
    for bit in range(19, -1, -1):
        if (low + (1 << bit)) ** 3 <= value:
            low += 1 << bit
    return low


@shared
def begin_epoch(state: NDArray, base: int, now: int, window: int, acked: int) -> None:
    """Begin a curve at the present window (RFC 9438, section 4.2, K)."""
    state[base + EPOCH] = now
    state[base + ACKED] = acked
    state[base + RENO] = window
    below = max(state[base + LAST_MAX] - window, 0)
    state[base + PLATEAU] = cube_root((1 << 40) // _CURVE * below)
    state[base + ORIGIN] = window + below


@shared
def curve(state: NDArray, base: int, now: int) -> int:
    """The window in segments that the curve has a round trip from now (RFC 9438, figure 1)."""
    passed = now - state[base + EPOCH] + state[base + LEAST]
    away = passed // (_MS // 1000) * _SCALE // (_SECOND // (_MS // 1000)) - state[base + PLATEAU]
    # Beyond this, 64 bits would not do, and the window has long been at its largest.
    away = min(max(away, -200_000), 200_000)
    return state[base + ORIGIN] + (_CURVE * abs(away) ** 3 >> 40) * (1 if away > 0 else -1)


@shared
def count(state: NDArray, base: int, now: int, window: int, acked: int) -> int:
    """Segments that have to be acknowledged for the window to grow by one (bictcp_update)."""
    state[base + ACKED] += acked
    since = now - state[base + LAST_TIME]
    if state[base + LAST_WINDOW] == window and since <= _SECOND // 32:
        return max(state[base + COUNT], 2)
    if state[base + EPOCH] == 0 or since >= _MS:
        state[base + LAST_WINDOW] = window
        state[base + LAST_TIME] = now
        if state[base + EPOCH] == 0:
            begin_epoch(state, base, now, window, acked)
        target = curve(state, base, now)
        state[base + COUNT] = window // (target - window) if target > window else 100 * window
        if state[base + LAST_MAX] == 0:
            state[base + COUNT] = min(state[base + COUNT], _FIRST_COUNT)
    # No slower than Reno with the same mean (RFC 9438, section 4.3).
    each = max(window * _FRIENDLY >> 3, 1)
    more = max(state[base + ACKED] - 1, 0) // each
    state[base + ACKED] -= more * each
    state[base + RENO] += more
    if state[base + RENO] > window:
        state[base + COUNT] = min(state[base + COUNT], window // (state[base + RENO] - window))
    # At most a segment for two that are acknowledged.
    state[base + COUNT] = max(state[base + COUNT], 2)
    return state[base + COUNT]


@shared
def increase(state: NDArray, base: int, now: int, acked: int) -> int:
    """Slow start up to the threshold, then as the curve has it."""
    mss = state[base + c.MSS]
    window = state[base + c.CWND]
    if window < state[base + c.SSTHRESH]:
        opened = min(slow_start(state, base, acked), state[base + c.SSTHRESH] - window)
        window += opened
        acked -= opened
        if window < state[base + c.SSTHRESH] or acked <= 0:
            return window
    segments = -(-acked // mss)
    each = count(state, base, now, window // mss, segments)
    grown = 0
    # Credit from when a segment cost more counts for one (Linux net/ipv4/tcp_cong.c, tcp_cong_avoid_ai).
    if state[base + CREDIT] >= each:
        state[base + CREDIT] = 0
        grown = 1
    state[base + CREDIT] += segments
    grown += state[base + CREDIT] // each
    state[base + CREDIT] %= each
    return window + grown * mss


@shared
def threshold(state: NDArray, base: int, now: int) -> int:
    """0.7 of the window, 2 segments at least; a flow that shrinks makes room (RFC 9438, sections 4.6 and 4.7)."""
    mss = state[base + c.MSS]
    window = state[base + c.CWND] // mss
    state[base + EPOCH] = 0
    shrinks = window < state[base + LAST_MAX]
    state[base + LAST_MAX] = window * (_SCALE + _BETA) // (2 * _SCALE) if shrinks else window
    return max(window * _BETA // _SCALE, 2) * mss


@shared
def begin_round(state: NDArray, base: int, now: int) -> None:
    """HyStart begins a round: it ends when all that is outstanding now is acknowledged."""
    state[base + ROUND_BEGAN] = state[base + TRAIN] = now
    state[base + ROUND_ENDS] = state[base + c.MAX]
    state[base + ROUND_LEAST] = state[base + SEEN] = 0


@shared
def train_allowed(state: NDArray, base: int) -> int:
    """Time in ps for which acknowledgements may come close together: half of the least round trip, and of a burst.

    All of it where pacing spreads data over up to half of a round trip (hystart_update).
    """
    srtt = (state[base + c.SRTT] >> 3) * max(state[base + c.RTO_TICK], 1)
    burst = min(_FULL_BURST * (srtt // 10**6) // (2 * state[base + c.CWND]) * 10**6, _MS)
    return (state[base + LEAST] + burst) // (1 if state[base + c.PACED] else 2)


@shared
def look(state: NDArray, base: int, now: int, rtt: int) -> bool:
    """True if slow start should end: by a long train of acknowledgements, or by longer round trips (HyStart)."""
    if state[base + c.UNA] > state[base + ROUND_ENDS]:
        begin_round(state, base, now)
    if state[base + c.CWND] < _LOW_WINDOW * state[base + c.MSS]:
        return False
    if now - state[base + TRAIN] <= _TRAIN_GAP:
        state[base + TRAIN] = now
        if now - state[base + ROUND_BEGAN] > train_allowed(state, base):
            return True
    if state[base + ROUND_LEAST] == 0 or rtt < state[base + ROUND_LEAST]:
        state[base + ROUND_LEAST] = rtt
    if state[base + SEEN] < _SAMPLES:
        state[base + SEEN] += 1
        return False
    rise = min(max(state[base + LEAST] // 8, _LEAST_RISE), _MOST_RISE)
    return state[base + ROUND_LEAST] > state[base + LEAST] + rise


@shared
def acknowledged(state: NDArray, base: int, now: int, acked: int, rtt: int) -> None:
    """Note a round trip, and end slow start where HyStart says so; not for a second after recovery."""
    if rtt < 0 or state[base + c.UNA] <= 1 or (state[base + EPOCH] > 0 and now - state[base + EPOCH] < _SECOND):
        return
    if state[base + LEAST] == 0 or rtt < state[base + LEAST]:
        state[base + LEAST] = rtt
    if state[base + FOUND] or state[base + c.CWND] >= state[base + c.SSTHRESH]:
        return
    if look(state, base, now, rtt):
        state[base + FOUND] = 1
        state[base + c.SSTHRESH] = state[base + c.CWND]


@shared
def happens(state: NDArray, base: int, now: int, event: int) -> None:
    """Begin anew after a timeout; an idle time shifts the curve."""
    if event == TIMEOUT:
        for word in range(COUNT, FOUND + 1):
            state[base + word] = 0
        begin_round(state, base, now)
    elif event == SENDING_BEGINS and state[base + EPOCH] > 0:
        state[base + EPOCH] = min(state[base + EPOCH] + now - state[base + c.SENT], now)


CONTROLS.add(CongestionControl("cubic", [threshold, increase, acknowledged, happens], WORDS))
