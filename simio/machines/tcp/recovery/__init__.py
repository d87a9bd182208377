"""Recovery from loss: which duplicate acknowledgements show a loss, and what is sent again until it is made up for.

One file each, as for congestion controls.
"""

from simio.machines.strategies import import_all
from simio.machines.tcp.recovery.interface import (
    RECOVERIES,
    Recovery,
    begins,
    duplicated,
    enter,
    expired,
    is_duplicate,
    known,
    partial,
    resend,
    room,
    schedule,
    settle,
    take_block,
    timed_out,
    window_after,
)

__all__ = [
    "RECOVERIES",
    "Recovery",
    "begins",
    "duplicated",
    "enter",
    "expired",
    "is_duplicate",
    "known",
    "partial",
    "resend",
    "room",
    "schedule",
    "settle",
    "take_block",
    "timed_out",
    "window_after",
]

import_all(__name__)
