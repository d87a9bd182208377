"""Reno: fast recovery, which ends with the first new acknowledgement (RFC 2581, section 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.recovery.interface import RECOVERIES, Recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def is_duplicate(state: NDArray, base: int, ack: int, length: int, offered: int) -> bool:
    """Nothing but an acknowledgement, the same again, with the same window (RFC 5681, section 2)."""
    if ack != state[base + c.UNA]:
        return False
    if length == 0 and offered == state[base + c.SEND_WINDOW] and state[base + c.RESEND_DUE] > 0:
        return True
    state[base + c.DUPLICATES] = 0
    return False


@shared
def begins(state: NDArray, base: int) -> bool:
    """The third duplicate shows a loss (RFC 5681, section 3.2)."""
    return state[base + c.DUPLICATES] == state[base + c.DUPLICATE_THRESHOLD]


@shared
def enter(state: NDArray, base: int, now: int) -> None:
    """The threshold, and the segments that have left the network (RFC 5681, section 3.2, step 3)."""
    state[base + c.RECOVERING] = 1
    state[base + c.CWND] = state[base + c.SSTHRESH] + state[base + c.DUPLICATE_THRESHOLD] * state[base + c.MSS]


@shared
def duplicated(state: NDArray, base: int) -> None:
    """One more segment has left the network (RFC 5681, section 3.2, step 4)."""
    state[base + c.CWND] = min(state[base + c.CWND] + state[base + c.MSS], state[base + c.MAX_CWND])


@shared
def window_after(state: NDArray, base: int) -> int:
    """The threshold (RFC 5681, section 3.2, step 6)."""
    return state[base + c.SSTHRESH]


RECOVERIES.add(Recovery("reno", [is_duplicate, begins, enter, duplicated, window_after]))
