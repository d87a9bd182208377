"""DCTCP: the window shrinks by the share of data that were marked (RFC 8257); else as Reno.

Constants and integer arithmetic are those of Linux 6.x, net/ipv4/tcp_dctcp.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion import reno
from simio.machines.tcp.congestion.control import CONTROLS, RECOVERY_BEGINS, SENDING_BEGINS, CongestionControl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = 1024
"""A share of 1 (DCTCP_MAX_ALPHA)."""
_GAIN = 4
"""g = 1/16 as a shift (RFC 8257, section 4.2; dctcp_shift_g)."""

WORDS = Layout("dctcp")
COUNTED = c.OWN + WORDS.word("counted", "bytes", about="as Reno has it")
ALPHA = c.OWN + WORDS.word("alpha", "1 / 1024", initial=_WHOLE, about="share of data that are marked (DCTCP.Alpha)")
WINDOW_ENDS = c.OWN + WORDS.word("observed_until", about="sequence number whose ACK ends the window of observation")
ACKED = c.OWN + WORDS.word("acked", "bytes", about="acknowledged in it")
MARKED = c.OWN + WORDS.word("marked", "bytes", about="of these, with an echo of congestion")
assert COUNTED == reno.COUNTED


@shared
def threshold(state: NDArray, base: int, now: int) -> int:
    """The window less half of the share (RFC 8257, section 3.3, step 9), 2 segments at least."""
    mss = state[base + c.MSS]
    window = state[base + c.CWND] // mss
    return max(window - (window * state[base + ALPHA] >> 11), 2) * mss


@shared
def acknowledged(state: NDArray, base: int, now: int, acked: int, rtt: int) -> None:
    """Count bytes and marks; once a window, the share follows (RFC 8257, section 3.3)."""
    state[base + ACKED] += acked
    if state[base + c.MARKED_ACK]:
        state[base + MARKED] += acked
    if state[base + c.UNA] < state[base + WINDOW_ENDS]:
        return
    alpha = state[base + ALPHA]
    alpha -= alpha >> _GAIN if alpha >> _GAIN > 0 else alpha
    if state[base + MARKED] > 0:
        share = state[base + MARKED] * (_WHOLE >> _GAIN) // max(state[base + ACKED], 1)
        alpha = min(alpha + share, _WHOLE)
    state[base + ALPHA] = alpha
    state[base + ACKED] = state[base + MARKED] = 0
    state[base + WINDOW_ENDS] = state[base + c.NXT]


@shared
def happens(state: NDArray, base: int, now: int, event: int) -> None:
    """Reno's answer; a loss halves the window (RFC 8257, section 3.5; Linux dctcp_react_to_loss)."""
    if event == RECOVERY_BEGINS:
        mss = state[base + c.MSS]
        state[base + c.SSTHRESH] = max(state[base + c.CWND] // mss // 2, 2) * mss
    if event != SENDING_BEGINS:
        state[base + COUNTED] = 0


CONTROLS.add(CongestionControl("dctcp", [threshold, reno.increase, acknowledged, happens], WORDS, marked=True))
