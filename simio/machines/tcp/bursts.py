"""Bursts: what Linux hands down at once, and when the rest of the window is worth waiting for.

As net/ipv4/tcp_output.c has them (tcp_write_xmit, tcp_tso_should_defer, tcp_mss_split_point). A burst is decided on
as a whole, when its first segment goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import pacing, records

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_BURST = 65536
"""Bytes of the largest burst (Linux include/linux/netdevice.h, GSO_LEGACY_MAX_SIZE)."""
_RECENT = 10**9
"""A burst waits only where one has just gone, and for an acknowledgement that is so near: 1 ms."""


@shared
def goal(state: NDArray, base: int) -> int:
    """Bytes of a whole buffer of TCP: a burst of offloading, no more than half of the peer's largest window.

    Linux net/ipv4/tcp.c, tcp_xmit_size_goal, and include/net/tcp.h, tcp_bound_to_half_wnd.
    """
    mss = state[base + c.MSS]
    return max(min(_MOST_BURST, state[base + c.MOST_WINDOW] // 2) // mss, 1) * mss


@shared
def is_pushed(state: NDArray, base: int, seq: int, length: int) -> bool:
    """True if a segment ends the buffer with which half of the peer's window was written since the last such one.

    Linux net/ipv4/tcp.c, forced_push.
    """
    whole = goal(state, base)
    each = (state[base + c.MOST_WINDOW] // 2 // whole + 1) * whole
    return (seq - 1) // each != (seq + length - 1) // each


@shared
def most(state: NDArray, base: int) -> int:
    """Most bytes of the burst that begins at NXT: what the rate of pacing asks for, of one buffer of TCP's."""
    size = pacing.burst(state, base)
    whole = goal(state, base)
    rest = whole - (state[base + c.NXT] - 1) % whole
    return min(size, rest) if state[base + c.NXT] + rest < state[base + c.END] else size


@shared
def is_deferred(state: NDArray, base: int, now: int, allowed: int) -> bool:
    """True if a burst waits for more of the window to open, as the next acknowledgement is near.

    `allowed` bytes may go. Linux net/ipv4/tcp_output.c, tcp_tso_should_defer (6.18).
    """
    seq, end = state[base + c.NXT], state[base + c.END]
    if state[base + c.UNA] == seq or end - seq <= state[base + c.MSS]:
        return False
    if state[base + c.RECOVERING] or now - state[base + c.SENT] > _RECENT:
        return False
    if allowed >= most(state, base):
        return False
    if allowed >= min(state[base + c.SEND_WINDOW], state[base + c.CWND]) // state[base + c.DEFER]:
        return False
    oldest = now
    if state[base + c.SEGMENT_ROOM] > 0:
        oldest = state[records.record(state, base, state[base + c.HEAD]) + records.SENT]
    elif state[base + c.BURSTS] > 0:
        oldest = state[base + state[base + c.BURST_RING] + 2 * state[base + c.BURST_HEAD] + 1]
    trip = (state[base + c.SRTT] >> 3) * max(state[base + c.RTO_TICK], 1)
    return oldest + trip - now <= min(_RECENT, trip // 2)


@shared
def begin(state: NDArray, base: int, after: int, room: int) -> None:
    """Note where the burst ends that begins at NXT: no more has to be decided on until then.

    Its first segment ends at `after`; congestion control allows `room` bytes. A burst that the peer's window ends has
    less than a segment at its end, if no such segment is outstanding (tcp_mss_split_point, tcp_minshall_check).
    """
    seq, una = state[base + c.NXT], state[base + c.UNA]
    state[base + c.BURST_END] = after
    if state[base + c.RECOVERING] or state[base + c.SACKED_OUT] > 0 or state[base + c.PROBE]:
        return
    opened = una + min(state[base + c.SEND_WINDOW], room) - seq
    size = min(min(opened, state[base + c.END] - seq), most(state, base))
    ends = size == una + state[base + c.SEND_WINDOW] - seq and state[base + c.SMALL] <= una
    if not ends:
        size -= size % state[base + c.MSS]
    state[base + c.BURST_END] = max(after, seq + size)
