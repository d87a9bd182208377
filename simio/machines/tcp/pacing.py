"""Pacing: data leave in bursts at a rate, and no more of them wait below the socket than the rate asks for.

As Linux has it (net/ipv4/tcp_input.c, tcp_update_pacing_rate; net/ipv4/tcp_output.c, tcp_pacing_check,
tcp_tso_autosize, tcp_small_queue_check). Rates are in bytes a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c

if TYPE_CHECKING:
    from numpy.typing import NDArray

_US = 10**6
_SECOND_US = 10**6
_SLOW_START, _AVOIDANCE = 200, 120
"""Percent of the window a round trip (Linux ip-sysctl.rst, tcp_pacing_ss_ratio, tcp_pacing_ca_ratio)."""
_UNPACED = 10
"""Segments of data that go without pacing at first (tcp_update_skb_after_send)."""
_MOST_BURST = 65536
"""Bytes of the largest burst (include/linux/netdevice.h, GSO_LEGACY_MAX_SIZE)."""
_LEAST_BURST = 2
"""Segments of the least (ip-sysctl.rst, tcp_min_tso_segs)."""
_SHIFT = 10
"""A burst is the rate's bytes in 1/1024 s (include/net/sock.h, sk_pacing_shift)."""
_NEAR = 9
"""A burst grows on paths of short round trips, half as much for each 512 us (ip-sysctl.rst, tcp_tso_rtt_log)."""


@shared
def smoothed_us(state: NDArray, base: int) -> int:
    """The smoothed round trip in us, 0 before one was timed."""
    return (state[base + c.SRTT] >> 3) * max(state[base + c.RTO_TICK], 1) // _US


@shared
def follow_window(state: NDArray, base: int) -> None:
    """Set the rate by the congestion window and the smoothed round trip."""
    trip = smoothed_us(state, base)
    if trip == 0:
        return
    window = max(state[base + c.CWND], state[base + c.MAX] - state[base + c.UNA])
    percent = _SLOW_START if state[base + c.CWND] < state[base + c.SSTHRESH] // 2 else _AVOIDANCE
    state[base + c.PACE_RATE] = window * percent // 100 * _SECOND_US // trip


@shared
def burst(state: NDArray, base: int) -> int:
    """Bytes that go at once at the present rate, in whole segments."""
    mss = state[base + c.MSS]
    if state[base + c.PACE_RATE] == 0:
        return max(_MOST_BURST // mss, 1) * mss
    size = min(state[base + c.PACE_RATE] >> _SHIFT, _MOST_BURST)
    halvings = state[base + c.MIN_RTT] // _US >> _NEAR
    if state[base + c.MIN_RTT] > 0 and halvings < 32:
        size += _MOST_BURST >> halvings
    return max(min(size, _MOST_BURST) // mss, min(_LEAST_BURST, _MOST_BURST // mss + 1)) * mss


@shared
def is_held(state: NDArray, base: int, now: int) -> bool:
    """True if data have to wait for their time."""
    if state[base + c.PACE_RATE] == 0 or now >= state[base + c.PACE_AT]:
        return False
    return state[base + c.PACE_LEFT] <= 0 or state[base + c.PACE_BURST] != now


@shared
def pace(state: NDArray, base: int, now: int, length: int) -> None:
    """Count a segment of data that goes; a burst that goes late makes up for up to half of its time."""
    state[base + c.DATA_SENT] += 1
    rate = state[base + c.PACE_RATE]
    if rate == 0 or state[base + c.DATA_SENT] <= _UNPACED:
        return
    time = length * _SECOND_US * _US // rate
    if state[base + c.PACE_LEFT] <= 0 or state[base + c.PACE_BURST] != now:
        state[base + c.PACE_LEFT] = burst(state, base)
        state[base + c.PACE_BURST] = now
        late = now - state[base + c.PACE_AT]
        whole = state[base + c.PACE_LEFT] * _SECOND_US * _US // rate
        state[base + c.PACE_AT] = now - min(max(late, 0), whole // 2, time // 2)
    state[base + c.PACE_LEFT] -= length
    state[base + c.PACE_AT] += time


@shared
def most_below(state: NDArray, base: int) -> int:
    """Bytes that may wait below the socket: two bursts at least, or what the rate sends in 1 ms."""
    if state[base + c.PACE_RATE] == 0:
        return state[base + c.SMALL_QUEUE]
    least = max(2 * _LEAST_BURST * state[base + c.MSS], state[base + c.PACE_RATE] >> _SHIFT)
    return min(least, state[base + c.SMALL_QUEUE])


@shared
def is_full(state: NDArray, base: int) -> bool:
    """True if enough waits below the socket; then it is noted that what leaves lets more go."""
    if state[base + c.BELOW] < most_below(state, base):
        return False
    state[base + c.THROTTLED] = 1
    return True


@machine("tcp")
def departed(state: NDArray, base: int, length: int) -> int:
    """A segment with `length` bytes of data has left the host; 1 if that lets others go, else 0."""
    state[base + c.BELOW] -= length
    if state[base + c.THROTTLED] and state[base + c.BELOW] < most_below(state, base):
        state[base + c.THROTTLED] = 0
        return 1
    return 0
