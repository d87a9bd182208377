"""Recovery by selective acknowledgements: a scoreboard of what the peer has, and what is in the network.

Sections, and names in brackets, are those of RFC 6675.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.ranges import holding, insert
from simio.machines.tcp.recovery.interface import RECOVERIES, Recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MASK = 2**31 - 1


@shared
def note_block(state: NDArray, base: int, ack: int, word: int) -> int:
    """Enter a block of a segment that acknowledges `ack` on the scoreboard; 1 if it reports anything new."""
    start = ack + (word >> 31)
    end = start + (word & _MASK)
    if word == 0 or start <= state[base + c.UNA] or end > state[base + c.MAX]:
        return 0
    at = holding(state, base + c.SACKED, start)
    if at >= 0 and state[base + c.SACKED + 2 + 2 * at] >= end:
        return 0
    return insert(state, base + c.SACKED, start, end, c.MOST_RANGES)


@shared
def lost_below(state: NDArray, base: int) -> int:
    """Sequence number below which all that is not reported counts as lost, as enough above it is (IsLost)."""
    total = 0
    most = (state[base + c.DUPLICATE_THRESHOLD] - 1) * state[base + c.MSS]
    for back in range(state[base + c.SACKED]):
        at = base + c.SACKED + 1 + 2 * (state[base + c.SACKED] - 1 - back)
        total += state[at + 1] - state[at]
        if total > most or back + 1 >= state[base + c.DUPLICATE_THRESHOLD]:
            return state[at]
    return 0


@shared
def pipe(state: NDArray, base: int) -> int:
    """Bytes that the sender takes to be in the network (SetPipe)."""
    lost = lost_below(state, base)
    resent = state[base + c.HIGH_RESENT]
    total = 0
    low = state[base + c.UNA]
    count = state[base + c.SACKED]
    for at in range(count + 1):
        high = state[base + c.SACKED + 1 + 2 * at] if at < count else state[base + c.MAX]
        if high > lost:
            total += high - low
        if resent > low:
            total += min(resent, high) - low
        if at < count:
            low = state[base + c.SACKED + 2 + 2 * at]
    return total


@shared
def next_resend(state: NDArray, base: int, lost: int) -> int:
    """seq << 16 | length of the next segment below `lost` to send again (NextSeg, rules 1 and 3), or -1."""
    if state[base + c.CWND] - pipe(state, base) < state[base + c.MSS]:
        return -1
    low = max(state[base + c.UNA], state[base + c.HIGH_RESENT])
    for at in range(state[base + c.SACKED]):
        start = state[base + c.SACKED + 1 + 2 * at]
        if low < start:
            if low >= lost:
                return -1
            return low << 16 | min(start - low, state[base + c.MSS])
        low = max(low, state[base + c.SACKED + 2 + 2 * at])
    return -1


@shared
def is_duplicate(state: NDArray, base: int, ack: int, length: int, offered: int) -> bool:
    """An acknowledgement that reports something new, and acknowledges nothing new (section 2)."""
    news = 0
    if state[base + c.STAGED_A] > 0:
        news = note_block(state, base, ack, state[base + c.STAGED_A])
        news += note_block(state, base, ack, state[base + c.STAGED_B])
    return ack == state[base + c.UNA] and news > 0 and state[base + c.RESEND_DUE] > 0


@shared
def begins(state: NDArray, base: int) -> bool:
    """The third duplicate, or a scoreboard that shows the first segment to be lost (section 5, steps 1 and 2).

    None that an earlier recovery sent again (section 5.1).
    """
    una = state[base + c.UNA]
    if una < state[base + c.RECOVER]:
        return False
    return state[base + c.DUPLICATES] == state[base + c.DUPLICATE_THRESHOLD] or lost_below(state, base) > una


@shared
def enter(state: NDArray, base: int, now: int) -> None:
    """The threshold (section 5, step 4.2)."""
    state[base + c.RECOVERING] = 1
    state[base + c.HIGH_RESENT] = state[base + c.UNA]
    state[base + c.CWND] = state[base + c.SSTHRESH]


@shared
def room(state: NDArray, base: int) -> int:
    """End of the bytes that may be sent: the window less what is in the network (section 5, step C)."""
    return state[base + c.NXT] - state[base + c.UNA] + state[base + c.CWND] - pipe(state, base)


@shared
def resend(state: NDArray, base: int, certain: int) -> int:
    """The next segment that is not reported (section 4, NextSeg, rules 1 and 3)."""
    return next_resend(state, base, lost_below(state, base) if certain else state[base + c.MAX])


RECOVERIES.add(Recovery("sack", [is_duplicate, begins, enter, room, resend], selective=True, without_them="newreno"))
