"""The congestion window as a sender may use it: after an idle time, and with limited transmit (RFC 3042)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import layout as c


@shared
def after_idle(state: NDArray, base: int, idle: int) -> int:
    """The congestion window after an idle time of a retransmission time or more."""
    if not state[base + c.IDLE_HALVING]:
        return state[base + c.INITIAL_WINDOW]
    each = state[base + c.RTO] * max(state[base + c.RTO_TICK], 1)
    segments = state[base + c.CWND] // state[base + c.MSS]
    return max((segments >> min(idle // each, 60)) * state[base + c.MSS], state[base + c.INITIAL_WINDOW])


@shared
def congestion_window(state: NDArray, base: int, now: int) -> int:
    """The congestion window outside recovery: after an idle time, the initial one (RFC 5681, section 4.1)."""
    most = state[base + c.CWND]
    if state[base + c.UNA] == state[base + c.MAX]:
        if state[base + c.IDLE_RESTART] and most > state[base + c.INITIAL_WINDOW]:
            tick = max(state[base + c.RTO_TICK], 1)
            idle = now - state[base + c.SENT]
            if idle >= state[base + c.RTO] * tick:
                return after_idle(state, base, idle)
    elif (
        state[base + c.LIMITED_TRANSMIT]
        and not state[base + c.RECOVERING]
        and state[base + c.NXT] == state[base + c.MAX]
    ):
        return most + min(state[base + c.DUPLICATES], state[base + c.DUPLICATE_THRESHOLD] - 1) * state[base + c.MSS]
    return most
