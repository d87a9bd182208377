"""The receiver: order of segments, acknowledgements, the window (RFC 9293, sections 3.8.6 and 3.10.7)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp import tuning
from simio.machines.tcp.ranges import holding, insert, pass_by


@shared
def window(state: NDArray, base: int) -> int:
    """Window to offer: the free space, or 0 where that is silly (RFC 1122, section 4.2.3.3); its edge never falls."""
    free = state[base + c.RECEIVE_SPACE] - state[base + c.BUFFERED]
    if free < state[base + c.MSS] and free * state[base + c.SILLY_DIVISOR] < state[base + c.RECEIVE_SPACE]:
        free = 0
    shift = state[base + c.RECEIVE_SHIFT]
    free = min(free, state[base + c.ADVERTISED_WINDOW])
    free = max(free, state[base + c.RCV_EDGE] - state[base + c.RCV_NXT])
    return min(free >> shift, 65535) << shift


@shared
def update_due(state: NDArray, base: int) -> bool:
    """True if the window has grown enough for an update (RFC 1122, section 4.2.3.3)."""
    if state[base + c.ENDED]:
        return False
    shift = state[base + c.RECEIVE_SHIFT]
    free = min(state[base + c.RECEIVE_SPACE] - state[base + c.BUFFERED], state[base + c.ADVERTISED_WINDOW])
    free = min(free >> shift, 65535) << shift
    grown = free - (state[base + c.RCV_EDGE] - state[base + c.RCV_NXT])
    if grown >= state[base + c.UPDATE_SEGMENTS] * state[base + c.MSS]:
        return True
    return grown * state[base + c.UPDATE_DIVISOR] >= state[base + c.RECEIVE_SPACE]


@shared
def quicken(state: NDArray, base: int, now: int) -> None:
    """Acknowledge a segment at once while data have just begun to come.

    Linux net/ipv4/tcp_input.c, tcp_event_data_recv, tcp_incr_quickack.
    """
    before = state[base + c.DATA_AT]
    if before == 0 or now - before > state[base + c.RTO] * max(state[base + c.RTO_TICK], 1):
        half = state[base + c.ADVERTISED_WINDOW] // (2 * state[base + c.MSS])
        state[base + c.QUICK] = max(state[base + c.QUICK], min(max(half, 2), state[base + c.QUICK_ACKS]))
    state[base + c.DATA_AT] = now
    if state[base + c.QUICK] > 0:
        state[base + c.ACK_NOW] = 1


@shared
def keeps_window(state: NDArray, base: int) -> bool:
    """True if the window that would be offered now is no smaller than what is left of the one offered before.

    Linux net/ipv4/tcp_input.c, __tcp_ack_snd_check: else the reader acknowledges, once it has taken data.
    """
    free = min(state[base + c.RECEIVE_SPACE] - state[base + c.BUFFERED], state[base + c.ADVERTISED_WINDOW])
    offered = state[base + c.RCV_EDGE] - state[base + c.LAST_ACK]
    return free >= offered


@shared
def note_data(state: NDArray, base: int, now: int) -> None:
    """Have a segment in order acknowledged: now, at the host's next tick, or after an interval."""
    state[base + c.SEGMENTS] += 1
    if state[base + c.QUICK_ACKS] > 0:
        quicken(state, base, now)
    every = state[base + c.ACK_EVERY]
    if every > 0:
        missing = (state[base + c.MSS] - 1) * state[base + c.ACK_PART]
        if state[base + c.ACK_SMALL]:
            if state[base + c.SEGMENTS] >= every:
                state[base + c.ACK_NOW] = 1
        elif state[base + c.RCV_NXT] - state[base + c.LAST_ACK] + missing >= every * state[base + c.MSS] and (
            not state[base + c.ACK_READER] or keeps_window(state, base)
        ):
            state[base + c.ACK_NOW] = 1
    if state[base + c.ACK_DUE] == 0 and state[base + c.ACK_NOW] == 0:
        tick = state[base + c.ACK_TICK]
        phase = state[base + c.ACK_PHASE]
        if tick > 0:
            state[base + c.ACK_DUE] = ((now - phase) // tick + 1) * tick + phase
        else:
            state[base + c.ACK_DUE] = now + state[base + c.ACK_DELAY]


@shared
def end_reached(state: NDArray, base: int) -> None:
    """Take the peer's FIN, all data before it being there (RFC 9293, section 3.10.7.4, eighth)."""
    state[base + c.RCV_NXT] += 1
    state[base + c.RCV_EDGE] = max(state[base + c.RCV_EDGE], state[base + c.RCV_NXT])
    state[base + c.ENDED] = 1
    state[base + c.ACK_NOW] = 1
    if state[base + c.STATE] == c.ESTABLISHED:
        state[base + c.STATE] = c.CLOSE_WAIT
    elif state[base + c.STATE] == c.FIN_WAIT_1:
        state[base + c.STATE] = c.CLOSE_BOTH
    elif state[base + c.STATE] == c.FIN_WAIT_2:
        state[base + c.STATE] = c.TIME_WAIT


@shared
def out_of_order(state: NDArray, base: int, start: int, stop: int) -> None:
    """Keep a segment beyond a gap, and send a duplicate acknowledgement at once (RFC 5681, section 3.2)."""
    state[base + c.ACK_NOW] = 1
    table = base + state[base + c.ARRIVED]
    if insert(state, table, start, stop, state[base + c.MOST_ARRIVED]) == 0:
        return
    if holding(state, table, state[base + c.RECENT]) != holding(state, table, start):
        state[base + c.RECENT_BEFORE] = state[base + c.RECENT]
    state[base + c.RECENT] = start


@machine("tcp")
def block(state: NDArray, base: int, number: int) -> int:
    """Word of the first or second block to report: the range that arrived last, or the one before (RFC 2018).

    What has just arrived twice comes first (RFC 2883, section 4); bit 62 says that it is below the acknowledgement.
    """
    table = base + state[base + c.ARRIVED]
    twice = state[base + c.TWICE_START]
    if twice > 0 and number == 0:
        return 1 << 62 | (state[base + c.RCV_NXT] - twice + 1) << 31 | (state[base + c.TWICE_END] - twice + 1)
    first = at = holding(state, table, state[base + c.RECENT])
    if twice > 0:
        state[base + c.TWICE_START] = 0
    elif number == 1:
        at = holding(state, table, state[base + c.RECENT_BEFORE])
        if at == first:
            at = -1
    if at < 0:
        return 0
    start = state[table + 1 + 2 * at]
    return (start - state[base + c.RCV_NXT]) << 31 | (state[table + 2 + 2 * at] - start)


@shared
def receive(state: NDArray, base: int, now: int, seq: int, length: int, flags: int) -> bool:
    """Take data, a FIN or both; whether there is anything new for the reader."""
    expected = state[base + c.RCV_NXT]
    end = seq + length
    if state[base + c.DSACK] and length > 0 and seq < expected:
        state[base + c.TWICE_START] = seq + 1
        state[base + c.TWICE_END] = min(end, expected)
        state[base + c.ACK_NOW] = 1
    if end < expected or state[base + c.ENDED]:
        state[base + c.ACK_NOW] = 1
        return False
    free = state[base + c.RECEIVE_SPACE] - state[base + c.BUFFERED]
    start = max(seq, expected)
    stop = min(end, max(expected + free, state[base + c.RCV_EDGE]))
    if stop < end or (start >= stop and flags & c.FIN == 0):
        state[base + c.ACK_NOW] = 1
    if flags & c.FIN and stop == end:
        state[base + c.FIN_AT] = end
    if start < stop:
        if start > expected:
            if state[base + c.AUTOTUNE] > 0:
                tuning.counted(state, base, now, 0)
            out_of_order(state, base, start, stop)
            return False
        table = base + state[base + c.ARRIVED]
        if state[table] > 0:
            stop = pass_by(state, table, stop)
            state[base + c.ACK_NOW] = 1
        state[base + c.RCV_NXT] = stop
        state[base + c.RCV_EDGE] = max(state[base + c.RCV_EDGE], stop)
        state[base + c.BUFFERED] += stop - expected
        if flags & c.PUSH and state[base + c.ACK_PUSHED]:
            state[base + c.PUSHED] = 1
        if state[base + c.AUTOTUNE] > 0:
            tuning.arrive(state, base, now)
            tuning.counted(state, base, now, stop - expected)
        note_data(state, base, now)
    if state[base + c.FIN_AT] == state[base + c.RCV_NXT]:
        end_reached(state, base)
    elif flags & c.FIN:
        state[base + c.ACK_NOW] = 1
    return state[base + c.RCV_NXT] > expected


@shared
def is_one_way(state: NDArray, base: int, now: int) -> bool:
    """True unless this end has sent data of late, which carry acknowledgements (Linux, pingpong mode)."""
    return state[base + c.MAX] <= 1 or now - state[base + c.SENT] > state[base + c.ACK_DELAY]


@machine("tcp")
def readable(state: NDArray, base: int) -> int:
    """1 if a reader need not wait, else 0."""
    return 1 if state[base + c.BUFFERED] > 0 or state[base + c.ENDED] else 0


@machine("tcp")
def unread(state: NDArray, base: int) -> int:
    """Bytes that a reader would find."""
    return state[base + c.BUFFERED]


@machine("tcp")
def read(state: NDArray, base: int, now: int, most: int) -> int:
    """Bytes that the reader gets; 0: none are there, and it waits; END_OF_FILE: none will come."""
    if now > c.LATEST or most < 1:
        return -1
    size = min(most, state[base + c.BUFFERED])
    state[base + c.BUFFERED] -= size
    if size > 0:
        if state[base + c.AUTOTUNE] > 0:
            tuning.copied(state, base, now, size)
        unacknowledged = state[base + c.RCV_NXT] - state[base + c.LAST_ACK]
        if state[base + c.ACK_READER] and unacknowledged > state[base + c.MSS]:
            state[base + c.ACK_NOW] = 1
        if state[base + c.PUSHED] and state[base + c.BUFFERED] == 0 and is_one_way(state, base, now):
            state[base + c.ACK_NOW] = 1
        return size
    if state[base + c.ENDED]:
        return c.END_OF_FILE
    state[base + c.READER] = 1
    return 0
