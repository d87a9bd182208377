"""Congestion controls: how the congestion window grows, and what is left of it after a loss. One file each.

A new one is a file in this folder that adds a `CongestionControl` to `CONTROLS`. Nothing else has to know of it: the
values that a datasheet allows, the calls and the size of the state follow.
"""

from simio.machines.strategies import import_all
from simio.machines.tcp.congestion.control import (
    CONTROLS,
    RECOVERY_BEGINS,
    RECOVERY_ENDS,
    SENDING_BEGINS,
    TIMEOUT,
    CongestionControl,
    acknowledged,
    happens,
    increase,
    known,
    loss_window,
    steer,
    threshold,
)

__all__ = [
    "CONTROLS",
    "RECOVERY_BEGINS",
    "RECOVERY_ENDS",
    "SENDING_BEGINS",
    "TIMEOUT",
    "CongestionControl",
    "acknowledged",
    "happens",
    "increase",
    "known",
    "loss_window",
    "steer",
    "threshold",
]

import_all(__name__)
