"""The segments that are outstanding, each with when it was sent and what has become of it: the scoreboard.

A ring of records, oldest first, numbered from the first segment of the connection on. Segments that are reported to
have arrived form runs; both ends of a run name each other, so that a search passes it in one step. The delivery rate
is sampled as draft-cheng-iccrg-delivery-rate-estimation-02 has it (Linux net/ipv4/tcp_rate.c), in bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import records
from simio.machines.tcp.records import (
    AFTER,
    COUNTED,
    DELIVERED,
    DELIVERED_AT,
    EVER,
    FIRST,
    FLAGS,
    LOST,
    ORDER,
    OTHER,
    RESENT,
    SACKED,
    SENT,
    is_under_way,
    record,
)
from simio.machines.tcp.timers import measured, stamp

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MIN_RTT_SPAN = 300 * 10**12
"""Time for which the shortest round trip counts (Linux ip-sysctl.rst, tcp_min_rtt_wlen: 300 s)."""


@shared
def is_full(state: NDArray, base: int) -> bool:
    """True if no more segments can be outstanding: small ones fill the send buffer by their descriptions."""
    return state[base + c.SEGMENT_ROOM] > 0 and state[base + c.NOTED] == state[base + c.SEGMENT_ROOM]


@shared
def start_of(state: NDArray, base: int, number: int) -> int:
    """The first sequence number of a segment that is outstanding."""
    if number == state[base + c.HEAD]:
        return state[base + c.UNA]
    return state[record(state, base, number - 1) + AFTER]


@shared
def find(state: NDArray, base: int, seq: int) -> int:
    """Number of the segment that holds a sequence number, or of the next to be noted."""
    low = state[base + c.HEAD]
    high = low + state[base + c.NOTED]
    while low < high:
        middle = (low + high) // 2
        if state[record(state, base, middle) + AFTER] <= seq:
            low = middle + 1
        else:
            high = middle
    return low


@shared
def in_flight(state: NDArray, base: int) -> int:
    """Bytes that the sender takes to be in the network (Linux include/net/tcp.h, tcp_packets_in_flight)."""
    gone = state[base + c.SACKED_OUT] + state[base + c.LOST_OUT]
    return state[base + c.MAX] - state[base + c.UNA] - gone + state[base + c.RESENT_OUT]


@shared
def snapshot(state: NDArray, base: int, now: int, at: int) -> None:
    """Note in a record that its segment is sent, as the last of those under way, and the state of delivery."""
    records.put(state, base, at)
    state[base + c.SENDINGS] += 1
    state[at + ORDER] = state[base + c.SENDINGS]
    state[at + SENT] = now
    state[at + DELIVERED] = state[base + c.DELIVERED] * 2 + (1 if state[base + c.APP_LIMITED] > 0 else 0)
    state[at + DELIVERED_AT] = state[base + c.DELIVERED_AT]
    state[at + FIRST] = state[base + c.FIRST_SENT]


@shared
def note(state: NDArray, base: int, now: int, after: int) -> None:
    """Note that a new segment below `after` is sent; there is room for it (`is_full`)."""
    count = state[base + c.NOTED]
    if count == 0:
        state[base + c.FIRST_SENT] = state[base + c.DELIVERED_AT] = now
    at = record(state, base, state[base + c.HEAD] + count)
    state[at + AFTER] = after
    state[at + FLAGS] = 0
    snapshot(state, base, now, at)
    state[base + c.NOTED] = count + 1


@shared
def note_again(state: NDArray, base: int, now: int, seq: int) -> None:
    """Note that the segment of a sequence number is sent again."""
    number = find(state, base, seq)
    at = record(state, base, number)
    if is_under_way(state[at + FLAGS]):
        records.take(state, base, at)
    if state[at + FLAGS] & RESENT == 0:
        state[at + FLAGS] |= RESENT
        state[base + c.RESENT_OUT] += state[at + AFTER] - start_of(state, base, number)
    state[at + FLAGS] |= EVER
    if state[base + c.UNDO_FROM] > 0:
        state[base + c.UNDO_LEFT] += 1
        if state[base + c.FIRST_RESENT] == 0:
            state[base + c.FIRST_RESENT] = stamp(state, base, now) if state[base + c.STAMP_TICK] > 0 else 1
    snapshot(state, base, now, at)


@shared
def begin(state: NDArray, base: int) -> None:
    """An acknowledgement begins: nothing is known of it yet."""
    state[base + c.WAS_DELIVERED] = state[base + c.DELIVERED]
    state[base + c.FACK_BEFORE] = state[base + c.FACK]
    state[base + c.BEFORE_OUT] = in_flight(state, base)
    state[base + c.SAMPLE_FROM] = state[base + c.LOSSES] = state[base + c.DSACKED] = 0
    state[base + c.SAMPLE_RTT] = -1


@shared
def deliver(state: NDArray, base: int, now: int, at: int, size: int) -> None:
    """A segment of `size` bytes has arrived: it may be the one that the delivery rate is sampled by."""
    state[base + c.DELIVERED] += size
    if state[at + FLAGS] & COUNTED:
        return
    state[at + FLAGS] |= COUNTED
    sent, before = state[at + SENT], state[at + DELIVERED] // 2
    newer = sent > state[base + c.SAMPLE_SENT] or before + 1 >= state[base + c.SAMPLE_FROM]
    if state[base + c.SAMPLE_FROM] == 0 or (newer and sent >= state[base + c.SAMPLE_SENT]):
        state[base + c.SAMPLE_FROM] = before + 1
        state[base + c.SAMPLE_AT] = state[at + DELIVERED_AT]
        state[base + c.SAMPLE_SENT] = state[base + c.FIRST_SENT] = sent
        state[base + c.SAMPLE_SPAN] = sent - state[at + FIRST]
        state[base + c.SAMPLE_LIMITED] = state[at + DELIVERED] % 2


@shared
def last_delivered(state: NDArray, base: int, now: int, at: int) -> None:
    """Note the segment sent last of those that have arrived (RFC 8985, section 6.2, step 2)."""
    if state[at + FLAGS] & EVER and now - state[at + SENT] < state[base + c.MIN_RTT]:
        return
    if state[at + ORDER] > state[base + c.RACK_ORDER]:
        state[base + c.RACK_ORDER] = state[at + ORDER]
        state[base + c.RACK_RTT] = now - state[at + SENT]


@shared
def note_order(state: NDArray, base: int, start: int, after: int) -> None:
    """Note a segment that arrives after later ones, by how many (Linux tcp_check_sack_reordering)."""
    if after < state[base + c.FACK_BEFORE]:
        state[base + c.REORDERED] = 1
        by = (state[base + c.FACK_BEFORE] - start) // state[base + c.MSS]
        state[base + c.REORDERING] = max(state[base + c.REORDERING], min(by, 300))


@shared
def forget_loss(state: NDArray, base: int, at: int, size: int) -> None:
    """Take `size` bytes of a segment off what is lost and sent again."""
    if state[at + FLAGS] & LOST:
        state[base + c.LOST_OUT] -= size
    if state[at + FLAGS] & RESENT:
        state[base + c.RESENT_OUT] -= size


@shared
def join(state: NDArray, base: int, number: int) -> None:
    """Make a segment part of the runs that it touches."""
    first = last = number
    if number > state[base + c.HEAD]:
        at = record(state, base, number - 1)
        if state[at + FLAGS] & SACKED:
            first = max(state[at + OTHER], state[base + c.HEAD])
    if number + 1 < state[base + c.HEAD] + state[base + c.NOTED]:
        at = record(state, base, number + 1)
        if state[at + FLAGS] & SACKED:
            last = state[at + OTHER]
    state[record(state, base, number) + OTHER] = number
    state[record(state, base, first) + OTHER] = last
    state[record(state, base, last) + OTHER] = first


@shared
def report(state: NDArray, base: int, now: int, start: int, end: int) -> None:
    """The peer reports that sequence numbers from `start` to `end` have arrived (RFC 2018)."""
    number = find(state, base, start)
    stop = state[base + c.HEAD] + state[base + c.NOTED]
    while number < stop:
        at = record(state, base, number)
        after = state[at + AFTER]
        if after > end:
            return
        if state[at + FLAGS] & SACKED:
            number = max(state[at + OTHER], number) + 1
            continue
        low = start_of(state, base, number)
        if low >= start:
            forget_loss(state, base, at, after - low)
            if is_under_way(state[at + FLAGS]):
                records.take(state, base, at)
            if state[at + FLAGS] & EVER == 0:
                note_order(state, base, low, after)
                state[base + c.SAMPLE_RTT] = now - state[at + SENT]
            state[at + FLAGS] = (state[at + FLAGS] | SACKED) & ~(LOST | RESENT)
            state[base + c.SACKED_OUT] += after - low
            state[base + c.FACK] = max(state[base + c.FACK], after)
            deliver(state, base, now, at, after - low)
            last_delivered(state, base, now, at)
            join(state, base, number)
        number += 1


@shared
def acknowledge(state: NDArray, base: int, now: int, una: int, ack: int) -> int:
    """Take off what is acknowledged from `una` to `ack`: the round trip in ps of its last segment, -1 if none.

    That of the first sets timers. What went twice times nothing (Karn's rule), as Linux does it
    (net/ipv4/tcp_input.c, tcp_clean_rtx_queue).
    """
    first = newest = -1
    again = False
    low = una
    while state[base + c.NOTED] > 0 and low < ack:
        at = record(state, base, state[base + c.HEAD])
        after = min(state[at + AFTER], ack)
        flags = state[at + FLAGS]
        forget_loss(state, base, at, after - low)
        if flags & SACKED:
            state[base + c.SACKED_OUT] -= after - low
        else:
            again = again or flags & EVER > 0
            if first < 0:
                first = now - state[at + SENT]
            newest = now - state[at + SENT]
            if flags & EVER == 0:
                note_order(state, base, low, after)
            deliver(state, base, now, at, after - low)
            last_delivered(state, base, now, at)
        if after < state[at + AFTER]:
            # The rest of a segment that went again in part may go once more.
            if flags & RESENT:
                state[base + c.RESENT_OUT] -= state[at + AFTER] - after
            if flags & LOST and is_under_way(flags):
                records.take(state, base, at)
            state[at + FLAGS] = flags & ~(RESENT | COUNTED)
            break
        if is_under_way(flags):
            records.take(state, base, at)
        low = after
        state[base + c.HEAD] += 1
        state[base + c.NOTED] -= 1
    state[base + c.LOWEST] = max(state[base + c.LOWEST], state[base + c.HEAD])
    state[base + c.FACK] = max(state[base + c.FACK], ack)
    if newest < 0 or again:
        return -1
    measured(state, base, first // max(state[base + c.RTO_TICK], 1))
    state[base + c.SAMPLE_RTT] = max(newest, 1)
    return max(newest, 1)


@shared
def sample(state: NDArray, base: int, now: int) -> None:
    """The delivery rate that the acknowledgement shows, and the shortest round trip (Linux tcp_rate_gen)."""
    rtt = state[base + c.SAMPLE_RTT]
    least = state[base + c.MIN_RTT]
    if rtt >= 0 and (least == 0 or rtt <= least or now - state[base + c.MIN_RTT_AT] > _MIN_RTT_SPAN):
        state[base + c.MIN_RTT] = max(rtt, 1)
        state[base + c.MIN_RTT_AT] = now
    if 0 < state[base + c.APP_LIMITED] < state[base + c.DELIVERED]:
        state[base + c.APP_LIMITED] = 0
    if state[base + c.DELIVERED] > state[base + c.WAS_DELIVERED]:
        state[base + c.DELIVERED_AT] = now
    state[base + c.SAMPLE_BYTES] = -1
    if state[base + c.SAMPLE_FROM] == 0:
        return
    span = max(state[base + c.SAMPLE_SPAN], now - state[base + c.SAMPLE_AT])
    if span >= state[base + c.MIN_RTT]:
        state[base + c.SAMPLE_BYTES] = state[base + c.DELIVERED] - (state[base + c.SAMPLE_FROM] - 1)
        state[base + c.SAMPLE_TIME] = span


@shared
def write_begins(state: NDArray, base: int) -> None:
    """Note a program that has kept the sender short of data (Linux tcp_rate_check_app_limited)."""
    short = state[base + c.END] - state[base + c.NXT] < state[base + c.MSS]
    out = in_flight(state, base)
    if short and out < state[base + c.CWND] and state[base + c.LOST_OUT] <= state[base + c.RESENT_OUT]:
        state[base + c.APP_LIMITED] = max(state[base + c.DELIVERED] + out, 1)
