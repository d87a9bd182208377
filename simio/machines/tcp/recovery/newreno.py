"""NewReno: recovery lasts until all is acknowledged that was outstanding as it began (RFC 6582)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.recovery import reno
from simio.machines.tcp.recovery.interface import RECOVERIES, Recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray


@shared
def begins(state: NDArray, base: int) -> bool:
    """The third duplicate, unless segments that an earlier recovery sent twice cause it (section 3.2, step 2)."""
    return state[base + c.UNA] > state[base + c.RECOVER] and reno.begins(state, base)


@shared
def enter(state: NDArray, base: int, now: int) -> None:
    """Enter recovery as Reno does."""
    state[base + c.PARTIAL] = 0
    reno.enter(state, base, now)


@shared
def window_after(state: NDArray, base: int) -> int:
    """min(ssthresh, max(FlightSize, SMSS) + SMSS) (section 3.2, step 3, full acknowledgements)."""
    if state[base + c.UNA] < state[base + c.RECOVER]:
        return -1
    mss = state[base + c.MSS]
    return min(state[base + c.SSTHRESH], max(state[base + c.MAX] - state[base + c.UNA], mss) + mss)


@shared
def partial(state: NDArray, base: int, acked: int) -> bool:
    """The next missing segment goes again, the window gives up what is acknowledged (section 3.2, step 3).

    Only the first partial acknowledgement starts the timer anew.
    """
    mss = state[base + c.MSS]
    first = state[base + c.PARTIAL] == 0
    state[base + c.PARTIAL] = 1
    state[base + c.RESEND] = state[base + c.UNA]
    kept = max(state[base + c.CWND] - acked, 0)
    state[base + c.CWND] = kept + mss if acked >= mss else max(kept, mss)
    return first


RECOVERIES.add(Recovery("newreno", [reno.is_duplicate, begins, enter, reno.duplicated, window_after, partial]))
