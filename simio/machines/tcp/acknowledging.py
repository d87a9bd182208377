"""Acknowledgements and windows that arrive at the sender (RFC 9293, section 3.10.7.4, fifth; RFC 5681)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp import congestion, pacing, recovery, segments
from simio.machines.tcp import layout as c
from simio.machines.tcp.buffers import release, space
from simio.machines.tcp.loss import duplicate, recovered
from simio.machines.tcp.ranges import pass_by
from simio.machines.tcp.round_trips import time_bursts
from simio.machines.tcp.timers import clock, instant, measured, stamp


@shared
def time_round_trip(state: NDArray, base: int, now: int, una: int, ack: int) -> int:
    """The round trip in ps that an acknowledgement of new data ends, which sets the retransmission time; -1 if none.

    By when it was sent, by timestamps (RFC 7323, section 4), or of the segment that is being timed, which is never
    one that went twice (Karn's rule; RFC 6298, section 3).
    """
    tick = state[base + c.STAMP_TICK]
    unit = max(state[base + c.RTO_TICK], 1)
    if state[base + c.SEGMENT_ROOM] > 0:
        return segments.acknowledge(state, base, now, una, ack)
    if state[base + c.BURSTS] > 0:
        return time_bursts(state, base, now, una, ack)
    if tick > 0:
        if state[base + c.STAGED_ECHO] > 0:
            ticks = (stamp(state, base, now) - state[base + c.STAGED_ECHO]) & (2**31 - 1)
            measured(state, base, ticks * tick // unit)
            return ticks * tick
    elif state[base + c.TIMING] and ack > state[base + c.TIMED]:
        state[base + c.TIMING] = 0
        elapsed = clock(state, base, now) - state[base + c.TIMED_AT]
        measured(state, base, elapsed)
        return elapsed * unit
    return -1


@shared
def opened(state: NDArray, base: int) -> None:
    """Take the ACK of the SYN; one that was lost leaves a window of one segment (RFC 5681, section 3.1)."""
    state[base + c.STATE] = c.FIN_WAIT_1 if state[base + c.CLOSING] else c.ESTABLISHED
    if state[base + c.TIMED_OUT] < 0:
        state[base + c.CWND] = state[base + c.INITIAL_WINDOW]
    state[base + c.SSTHRESH] = state[base + c.MAX_CWND]
    state[base + c.TIMED_OUT] = -1


@shared
def is_limited(state: NDArray, base: int) -> bool:
    """True if the congestion window may grow (Linux include/net/tcp.h, tcp_is_cwnd_limited)."""
    if state[base + c.LIMITED]:
        return True
    window = state[base + c.CWND]
    return window < state[base + c.SSTHRESH] and window < 2 * state[base + c.MOST_OUT]


@shared
def advance(state: NDArray, base: int, now: int, ack: int) -> int:
    """Acknowledge sequence numbers below `ack` for the first time; returns bits as `connection.accept`."""
    before = state[base + c.UNA]
    acked = ack - before
    state[base + c.UNA] = ack
    state[base + c.NXT] = max(state[base + c.NXT], ack)
    state[base + c.DUPLICATES] = 0
    bits = 0
    congestion.acknowledged(state, base, now, acked, time_round_trip(state, base, now, before, ack))
    if state[base + c.SACKED] > 0:
        pass_by(state, base + c.SACKED, ack)
    restart = True
    if before == 0:
        opened(state, base)
        bits = c.CHANGED
    elif state[base + c.SCOREBOARD]:
        restart = True  # `recovery.settle` does the rest.
    elif state[base + c.RECOVERING]:
        restart = recovered(state, base, now, acked)
    elif not state[base + c.GROW_WHEN_LIMITED] or is_limited(state, base):
        window = congestion.increase(state, base, now, acked)
        state[base + c.CWND] = min(window, state[base + c.MAX_CWND])
    if ack == state[base + c.MAX]:
        state[base + c.RESEND_DUE] = 0
    elif restart and state[base + c.PERSIST_DUE] == 0:
        state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])
    data = min(ack, state[base + c.END]) - max(before, 1)
    if data > 0:
        release(state, base, data)
        if state[base + c.WRITER] > 0 and space(state, base, state[base + c.WRITER]) > 0:
            state[base + c.WRITER] = 0
            bits += c.WAKE_WRITER
    if state[base + c.CLOSING] and ack > state[base + c.END]:
        at = state[base + c.STATE]
        if at == c.FIN_WAIT_1:
            state[base + c.STATE] = c.FIN_WAIT_2
        elif at == c.CLOSE_BOTH:
            state[base + c.STATE] = c.TIME_WAIT
        elif at == c.LAST_ACK_WAIT:
            state[base + c.STATE] = c.CLOSED
        bits = bits | c.CHANGED
    return bits


@shared
def settle(state: NDArray, base: int, now: int, advanced: bool) -> None:
    """Do what follows from the segments that an acknowledgement takes off, or reports."""
    if state[base + c.SCOREBOARD]:
        limited = not state[base + c.GROW_WHEN_LIMITED] or is_limited(state, base)
        recovery.settle(state, base, now, advanced, limited)
        return
    if state[base + c.MARKED_ACK]:
        marked(state, base, now)
    segments.sample(state, base, now)
    congestion.steer(state, base, now)


@shared
def marked(state: NDArray, base: int, now: int) -> None:
    """Reduce the window once a window of data, as after a loss (RFC 3168, section 6.1.2)."""
    if state[base + c.RECOVERING] or state[base + c.UNA] <= state[base + c.RECOVER]:
        return
    state[base + c.SSTHRESH] = congestion.threshold(state, base, now)
    state[base + c.CWND] = state[base + c.SSTHRESH]
    state[base + c.RECOVER] = state[base + c.MAX]
    state[base + c.ANSWER] = 1


@shared
def acknowledged(state: NDArray, base: int, now: int, seq: int, length: int, ack: int, offered: int) -> int:
    """Take an acknowledgement and a window; returns bits as `connection.accept`."""
    una = state[base + c.UNA]
    if ack > state[base + c.MAX]:
        state[base + c.ACK_NOW] = 1
        return 0
    noted = state[base + c.SEGMENT_ROOM] > 0
    if noted:
        state[base + c.ECHOED] = state[base + c.STAGED_ECHO]
        segments.begin(state, base)
        if state[base + c.SCOREBOARD] and state[base + c.STAGED_A] > 0:
            recovery.take_block(state, base, now, ack, state[base + c.STAGED_A])
            recovery.take_block(state, base, now, ack, state[base + c.STAGED_B])
    repeats = recovery.is_duplicate(state, base, ack, length, offered)
    bits = 0
    if ack > una:
        bits = advance(state, base, now, ack)
    elif repeats:
        duplicate(state, base, now)
    if noted and una == 0:
        segments.sample(state, base, now)
    elif noted:
        settle(state, base, now, ack > una)
    elif state[base + c.MARKED_ACK]:
        marked(state, base, now)
    if state[base + c.PACING] == c.BY_WINDOW:
        pacing.follow_window(state, base)
    older = seq < state[base + c.WL1] or (seq == state[base + c.WL1] and ack < state[base + c.WL2])
    newer = seq > state[base + c.WL1] or ack > state[base + c.WL2]
    if not older and (newer or offered > state[base + c.SEND_WINDOW]):
        state[base + c.SEND_WINDOW] = offered
        state[base + c.MOST_WINDOW] = max(state[base + c.MOST_WINDOW], offered)
        state[base + c.WL1] = seq
        state[base + c.WL2] = ack
    return bits
