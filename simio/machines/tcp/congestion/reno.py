"""Reno: slow start and congestion avoidance, half the window after a loss (RFC 5681, section 3.1; RFC 3465)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion.control import CONTROLS, SENDING_BEGINS, CongestionControl

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = Layout("reno")
COUNTED = c.OWN + WORDS.word(
    "counted", "bytes", about="acknowledged towards the next segment of congestion avoidance"
)


@shared
def slow_start(state: NDArray, base: int, acked: int) -> int:
    """Bytes by which slow start opens the window for an acknowledgement of `acked` bytes (RFC 5681, equation 2).

    More than a segment counts only where no timeout makes bursts of acknowledged bytes (RFC 3465, section 2.3): not
    while segments go again, nor for what is acknowledged with the first that did.
    """
    mss = state[base + c.MSS]
    if not state[base + c.BYTE_COUNTING]:
        return mss
    limit = state[base + c.BYTE_LIMIT]
    first = limit > 0 and state[base + c.UNA] - acked == state[base + c.TIMED_OUT]
    if first or state[base + c.NXT] < state[base + c.MAX]:
        return min(acked, mss)
    return min(acked, limit * mss) if limit else acked


@shared
def threshold(state: NDArray, base: int, now: int) -> int:
    """Half of what is outstanding, 2 segments at least (RFC 5681, equation 4).

    Half of the window where that grows only as far as it is used (Linux net/ipv4/tcp_cong.c, tcp_reno_ssthresh).
    """
    if state[base + c.GROW_WHEN_LIMITED]:
        mss = state[base + c.MSS]
        return max(state[base + c.CWND] // mss // 2, 2) * mss
    return max((state[base + c.MAX] - state[base + c.UNA]) // 2, 2 * state[base + c.MSS])


@shared
def increase(state: NDArray, base: int, now: int, acked: int) -> int:
    """A segment for each acknowledgement up to the threshold, above it a segment for each round trip."""
    mss = state[base + c.MSS]
    window = state[base + c.CWND]
    if not state[base + c.BYTE_COUNTING]:
        if window <= state[base + c.SSTHRESH]:
            return window + slow_start(state, base, acked)
        return window + max(mss * mss // window, 1)  # RFC 5681, equation 3
    if window < state[base + c.SSTHRESH]:
        opened = min(slow_start(state, base, acked), state[base + c.SSTHRESH] - window)
        window += opened
        acked -= opened
        # The rest counts for congestion avoidance if all of it counted (Linux, tcp_reno_cong_avoid).
        if window < state[base + c.SSTHRESH] or acked <= 0 or state[base + c.BYTE_LIMIT]:
            return window
    state[base + COUNTED] += acked
    if state[base + COUNTED] < window:
        return window
    state[base + COUNTED] -= window
    return window + mss


@shared
def happens(state: NDArray, base: int, now: int, event: int) -> None:
    """Count bytes anew after a loss."""
    if event != SENDING_BEGINS:
        state[base + COUNTED] = 0


CONTROLS.add(CongestionControl("reno", [threshold, increase, happens], WORDS))
