"""What the peer has reported to have, and what of the rest is lost or still under way (RFC 6675, section 4)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.ranges import holding, insert

_MASK = 2**31 - 1


@shared
def block(state: NDArray, base: int, number: int) -> int:
    """Word of the first or second block to report: the range that last arrived, then that before it (RFC 2018)."""
    first = holding(state, base + c.ARRIVED, state[base + c.RECENT])
    at = first
    if number == 1:
        at = holding(state, base + c.ARRIVED, state[base + c.RECENT_BEFORE])
        if at == first:
            at = -1
    if at < 0:
        return 0
    start = state[base + c.ARRIVED + 1 + 2 * at]
    return (start - state[base + c.RCV_NXT]) << 31 | (state[base + c.ARRIVED + 2 + 2 * at] - start)


@shared
def note_block(state: NDArray, base: int, ack: int, word: int) -> int:
    """A block has been reported in a segment that acknowledges `ack`. 1 where it tells something new."""
    start = ack + (word >> 31)
    end = start + (word & _MASK)
    if word == 0 or start <= state[base + c.UNA] or end > state[base + c.MAX]:
        return 0
    at = holding(state, base + c.SACKED, start)
    if at >= 0 and state[base + c.SACKED + 2 + 2 * at] >= end:
        return 0
    return insert(state, base + c.SACKED, start, end)


@shared
def lost_below(state: NDArray, base: int) -> int:
    """Sequence number below which all that is not reported is lost (IsLost): enough has been reported above it."""
    total = 0
    most = (state[base + c.THRESHOLD] - 1) * state[base + c.MSS]
    for back in range(state[base + c.SACKED]):
        at = base + c.SACKED + 1 + 2 * (state[base + c.SACKED] - 1 - back)
        total += state[at + 1] - state[at]
        if total > most or back + 1 >= state[base + c.THRESHOLD]:
            return state[at]
    return 0


@shared
def pipe(state: NDArray, base: int) -> int:
    """Bytes that are under way as far as the sender can tell (SetPipe)."""
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
