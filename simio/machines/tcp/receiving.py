"""The receiver: segments into order, when to acknowledge them, the window (RFC 9293, sections 3.8.6 and 3.10.7)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.layout import (
    ACK_DELAY,
    ACK_DUE,
    ACK_EVERY,
    ACK_NOW,
    ACK_PHASE,
    ACK_SMALL,
    ACK_TICK,
    ARRIVED,
    BUFFERED,
    CLOSE_BOTH,
    CLOSE_WAIT,
    END_OF_FILE,
    ENDED,
    ESTABLISHED,
    FIN,
    FIN_AT,
    FIN_WAIT_1,
    FIN_WAIT_2,
    LAST_ACK,
    LATEST,
    MSS,
    RCV_EDGE,
    RCV_NXT,
    READER,
    RECEIVE_SHIFT,
    RECEIVE_SPACE,
    RECENT,
    RECENT_BEFORE,
    SEGMENTS,
    SILLY_DIVISOR,
    STATE,
    TIME_WAIT,
    UPDATE_DIVISOR,
    UPDATE_SEGMENTS,
)
from simio.machines.tcp.ranges import holding, insert, pass_by


@shared
def window(state: NDArray, base: int) -> int:
    """Window to offer now: what is free but no silly little of it, never less than was offered before."""
    free = state[base + RECEIVE_SPACE] - state[base + BUFFERED]
    if free < state[base + MSS] and free * state[base + SILLY_DIVISOR] < state[base + RECEIVE_SPACE]:
        free = 0
    shift = state[base + RECEIVE_SHIFT]
    free = max(free, state[base + RCV_EDGE] - state[base + RCV_NXT])
    return min(free >> shift, 65535) << shift


@shared
def update_due(state: NDArray, base: int) -> bool:
    """Whether the window has grown by enough to tell the peer (RFC 1122, section 4.2.3.3)."""
    if state[base + ENDED]:
        return False
    shift = state[base + RECEIVE_SHIFT]
    free = min((state[base + RECEIVE_SPACE] - state[base + BUFFERED]) >> shift, 65535) << shift
    grown = free - (state[base + RCV_EDGE] - state[base + RCV_NXT])
    if grown >= state[base + UPDATE_SEGMENTS] * state[base + MSS]:
        return True
    return grown * state[base + UPDATE_DIVISOR] >= state[base + RECEIVE_SPACE]


@shared
def note_data(state: NDArray, base: int, now: int) -> None:
    """One more segment has come in order: acknowledge it now, or at the host's next tick, or after an interval."""
    state[base + SEGMENTS] += 1
    every = state[base + ACK_EVERY]
    if every > 0:
        if state[base + ACK_SMALL]:
            if state[base + SEGMENTS] >= every:
                state[base + ACK_NOW] = 1
        elif state[base + RCV_NXT] - state[base + LAST_ACK] >= every * state[base + MSS]:
            state[base + ACK_NOW] = 1
    if state[base + ACK_DUE] == 0 and state[base + ACK_NOW] == 0:
        tick = state[base + ACK_TICK]
        phase = state[base + ACK_PHASE]
        if tick > 0:
            state[base + ACK_DUE] = ((now - phase) // tick + 1) * tick + phase
        else:
            state[base + ACK_DUE] = now + state[base + ACK_DELAY]


@shared
def end_reached(state: NDArray, base: int) -> None:
    """The peer's FIN has been reached (RFC 9293, section 3.10.7.4, eighth)."""
    state[base + RCV_NXT] += 1
    state[base + RCV_EDGE] = max(state[base + RCV_EDGE], state[base + RCV_NXT])
    state[base + ENDED] = 1
    state[base + ACK_NOW] = 1
    if state[base + STATE] == ESTABLISHED:
        state[base + STATE] = CLOSE_WAIT
    elif state[base + STATE] == FIN_WAIT_1:
        state[base + STATE] = CLOSE_BOTH
    elif state[base + STATE] == FIN_WAIT_2:
        state[base + STATE] = TIME_WAIT


@shared
def out_of_order(state: NDArray, base: int, start: int, stop: int) -> None:
    """Keep a segment that others have to come before, and ask for those at once (RFC 5681, section 3.2)."""
    state[base + ACK_NOW] = 1
    if insert(state, base + ARRIVED, start, stop) == 0:
        return
    if holding(state, base + ARRIVED, state[base + RECENT]) != holding(state, base + ARRIVED, start):
        state[base + RECENT_BEFORE] = state[base + RECENT]
    state[base + RECENT] = start


@shared
def receive(state: NDArray, base: int, now: int, seq: int, length: int, flags: int) -> bool:
    """Data, a FIN or both have arrived. Whether there is something new for the reader."""
    expected = state[base + RCV_NXT]
    end = seq + length
    if end < expected or state[base + ENDED]:
        state[base + ACK_NOW] = 1
        return False
    free = state[base + RECEIVE_SPACE] - state[base + BUFFERED]
    start = max(seq, expected)
    stop = min(end, max(expected + free, state[base + RCV_EDGE]))
    if stop < end or (start >= stop and flags & FIN == 0):
        state[base + ACK_NOW] = 1
    if flags & FIN and stop == end:
        state[base + FIN_AT] = end
    if start < stop:
        if start > expected:
            out_of_order(state, base, start, stop)
            return False
        if state[base + ARRIVED] > 0:
            stop = pass_by(state, base + ARRIVED, stop)
            state[base + ACK_NOW] = 1
        state[base + RCV_NXT] = stop
        state[base + RCV_EDGE] = max(state[base + RCV_EDGE], stop)
        state[base + BUFFERED] += stop - expected
        note_data(state, base, now)
    if state[base + FIN_AT] == state[base + RCV_NXT]:
        end_reached(state, base)
    elif flags & FIN:
        state[base + ACK_NOW] = 1
    return state[base + RCV_NXT] > expected


@shared
def read(state: NDArray, base: int, now: int, most: int) -> int:
    """Bytes that the reader takes; 0: there are none, and it waits; END_OF_FILE: there will be none."""
    if now > LATEST or most < 1:
        return -1
    size = min(most, state[base + BUFFERED])
    state[base + BUFFERED] -= size
    if size > 0:
        return size
    if state[base + ENDED]:
        return END_OF_FILE
    state[base + READER] = 1
    return 0
