"""Scalable TCP: the window grows by a hundredth of what is acknowledged, and a loss takes an eighth of it."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.congestion.control import CONTROLS, CongestionControl
from simio.machines.tcp.congestion.reno import slow_start


@shared
def threshold(state: NDArray, base: int, now: int) -> int:
    """Seven eighths of the window, 2 segments at least."""
    return max(state[base + c.CWND] * 7 // 8, 2 * state[base + c.MSS])


@shared
def increase(state: NDArray, base: int, now: int, acked: int) -> int:
    """Slow start up to the threshold, above it a hundredth of the bytes acknowledged."""
    window = state[base + c.CWND]
    if window <= state[base + c.SSTHRESH]:
        return window + slow_start(state, base, acked)
    return window + max(acked // 100, 1)


CONTROLS.add(CongestionControl("scalable", [threshold, increase]))
