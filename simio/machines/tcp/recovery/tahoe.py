"""Tahoe: fast retransmission, then slow start from one segment; no fast recovery (4.3BSD-Tahoe; Jacobson, 1988)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import congestion
from simio.machines.tcp import layout as c
from simio.machines.tcp.recovery import reno
from simio.machines.tcp.recovery.interface import RECOVERIES, Recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def enter(state: NDArray, base: int, now: int) -> None:
    """Begin again as after a timeout."""
    state[base + c.CWND] = congestion.loss_window(state, base, now)


RECOVERIES.add(Recovery("tahoe", [reno.is_duplicate, reno.begins, enter]))
