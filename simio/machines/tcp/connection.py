"""A connection: opening and closing it, segments that arrive, timers that run out (RFC 9293, section 3.10)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import congestion, marks, recovery
from simio.machines.tcp import layout as c
from simio.machines.tcp.acknowledging import acknowledged
from simio.machines.tcp.loss import timeout
from simio.machines.tcp.receiving import receive
from simio.machines.tcp.sending import hold, plan
from simio.machines.tcp.timers import persist, stamp, unwatched
from simio.machines.tcp.waits import silent

_MASK = 2**31 - 1


@machine("tcp")
def open_up(state: NDArray, base: int, now: int, active: int) -> int:
    """Open the connection: `active` by a SYN, else wait for one. Returns 1 if `output` gives the SYN."""
    if now > c.LATEST or state[base + c.STATE] != c.CLOSED or state[base + c.UNA] > 0:
        return -1
    if not congestion.known(state, base) or not recovery.known(state, base):
        return -1
    state[base + c.STATE] = c.SYN_SENT if active else c.LISTEN
    return 1 if active else 0


@machine("tcp")
def renew(state: NDArray, base: int, now: int, pristine: int) -> int:
    """Make an end what it was before it was opened: `pristine` is the offset of the words that it then had.

    Segments of the old connection, which may still be under way, are known by their timestamps (RFC 6191, section 2).
    What reports count goes on, as do the timer thread and what waits below the socket. Returns 0.
    """
    for at in range(state[base + c.RING]):
        if at != c.WAKE and at != c.BELOW and not c.WAITED <= at <= c.TIMEOUTS:
            state[base + at] = state[pristine + at]
    state[base + state[base + c.ARRIVED]] = 0
    state[base + c.BORN] = stamp(state, base, now) + 1
    return 0


@machine("tcp")
def close(state: NDArray, base: int, now: int) -> int:
    """Close the connection for writing; returns 1, as `output` may give the FIN."""
    if now > c.LATEST or state[base + c.CLOSING] or state[base + c.STATE] <= c.LISTEN:
        return -1
    state[base + c.CLOSING] = 1
    state[base + c.END] = state[base + c.APPENDED]
    if state[base + c.STATE] == c.ESTABLISHED:
        state[base + c.STATE] = c.FIN_WAIT_1
    elif state[base + c.STATE] == c.CLOSE_WAIT:
        state[base + c.STATE] = c.LAST_ACK_WAIT
    return 1


@shared
def arrive_syn(state: NDArray, base: int, acked: bool, offered: int) -> None:
    """Take the peer's first SYN, whose window is not shifted; `acked`: it acknowledges ours."""
    state[base + c.RCV_NXT] = 1
    state[base + c.ACK_NOW] = 1
    state[base + c.SEND_WINDOW] = offered
    state[base + c.MOST_WINDOW] = offered
    state[base + c.WL1] = 0
    if not acked:
        state[base + c.STATE] = c.SYN_RECEIVED
        state[base + c.NXT] = 0


@shared
def reset(state: NDArray, base: int) -> int:
    """End the connection at once, whatever was to be sent or read (RFC 9293, section 3.10.7): bits as `accept`."""
    bits = c.CHANGED if state[base + c.STATE] < c.ESTABLISHED else 0
    if state[base + c.READER]:
        bits += c.WAKE_READER
    if state[base + c.WRITER] > 0:
        bits += c.WAKE_WRITER
    state[base + c.STATE] = c.CLOSED
    state[base + c.READER] = state[base + c.WRITER] = 0
    state[base + c.ACK_NOW] = state[base + c.FORCE] = 0
    state[base + c.ACK_DUE] = state[base + c.RESEND_DUE] = state[base + c.PERSIST_DUE] = 0
    state[base + c.LOSS_DUE] = state[base + c.PACE_DUE] = state[base + c.EARLY_ACK] = 0
    state[base + c.BUFFERED] = 0
    state[base + c.ENDED] = 1
    # A writer finds no room any more; see `room`.
    state[base + c.SEND_SPACE] = state[base + c.WRITE_SPACE] = 0
    return bits


@machine("tcp")
def accept(state: NDArray, base: int, now: int, first: int, second: int) -> int:
    """Take a segment that arrives: its first two words.

    Returns bits OUTPUT, WAKE_READER, WAKE_WRITER, CHANGED, TIMER.
    """
    if now > c.LATEST or first < 0 or second < 0:
        return -1
    length = first & 65535
    flags = first >> 16 & 7
    seq = first >> 19
    ack = second >> 16
    offered = second & 65535
    at = state[base + c.STATE]
    bits = 0
    if at == c.CLOSED:
        return 0
    value = state[base + c.STAGED_VALUE]
    if 0 < value < state[base + c.BORN]:
        return 0
    # The timestamp to echo is that of the segment which the last acknowledgement asked for (RFC 7323, section 4.3).
    if value > 0 and seq <= state[base + c.LAST_ACK] and (value - state[base + c.TS_RECENT]) & _MASK < 2**30:
        state[base + c.TS_RECENT] = value
    if flags & c.SYN:
        if flags & c.FIN:
            return reset(state, base)
        if at <= c.SYN_SENT:
            arrive_syn(state, base, ack > 0, offered)
        else:
            state[base + c.ACK_NOW] = 1
    elif at <= c.SYN_SENT:
        return 0
    else:
        offered <<= state[base + c.SEND_SHIFT]
    if state[base + c.ECN]:
        marks.arrive(state, base, length)
    if ack > 0:
        bits = acknowledged(state, base, now, seq, length, ack, offered)
    if (length > 0 or flags & c.FIN) and state[base + c.STATE] >= c.ESTABLISHED:
        if receive(state, base, now, seq, length, flags) and state[base + c.READER]:
            state[base + c.READER] = 0
            bits += c.WAKE_READER
        if state[base + c.STATE] == c.TIME_WAIT:
            bits = bits | c.CHANGED
    state[base + c.STAGED_VALUE] = state[base + c.STAGED_ECHO] = 0
    state[base + c.STAGED_A] = state[base + c.STAGED_B] = 0
    if plan(state, base, now, 0) > 0:
        return bits + c.OUTPUT
    hold(state, base, now)
    return bits + unwatched(state, base)


@machine("tcp")
def take_stamps(state: NDArray, base: int, word: int) -> int:
    """Take the timestamp option of the segment that arrives next: its third word."""
    state[base + c.STAGED_VALUE] = word >> 31
    state[base + c.STAGED_ECHO] = word & _MASK
    return 0


@machine("tcp")
def take_blocks(state: NDArray, base: int, first: int, second: int) -> int:
    """Take the selective acknowledgements of the segment that arrives next: its fourth and fifth word."""
    state[base + c.STAGED_A] = first
    state[base + c.STAGED_B] = second
    return 0


@machine("tcp", word=c.STATE)
def status(state: NDArray, base: int) -> int:
    """State of the connection, as `layout` numbers them."""
    return state[base + c.STATE]


@machine("tcp")
def round_trip(state: NDArray, base: int) -> int:
    """The smoothed round trip in ps; 0 before one was timed."""
    return (state[base + c.SRTT] * max(state[base + c.RTO_TICK], 1)) >> 3


@machine("tcp")
def stamps(state: NDArray, base: int, now: int) -> int:
    """Third word of the segment that `output` just gave."""
    if state[base + c.STAMP_TICK] == 0:
        return 0
    return stamp(state, base, now) << 31 | state[base + c.TS_RECENT]


@machine("tcp")
def expire(state: NDArray, base: int, now: int) -> int:
    """Do what is due, as the timer thread wakes; returns bits as `accept`."""
    if now > c.LATEST:
        return -1
    if now >= state[base + c.WAKE]:
        state[base + c.WAKE] = 0
    if 0 < state[base + c.ACK_DUE] <= now:
        state[base + c.ACK_DUE] = 0
        state[base + c.ACK_NOW] = 1
    if 0 < state[base + c.PACE_DUE] <= now:
        state[base + c.PACE_DUE] = 0
    if 0 < state[base + c.LOSS_DUE] <= now:
        recovery.expired(state, base, now)
    if 0 < state[base + c.RESEND_DUE] <= now:
        state[base + c.TIMEOUTS] += 1
        silent(state, base, now)
        timeout(state, base, now)
    if 0 < state[base + c.PERSIST_DUE] <= now:
        persist(state, base, now)
        state[base + c.FORCE] = 1
    if plan(state, base, now, 0) > 0:
        return c.OUTPUT
    if state[base + c.SEND_WINDOW] == 0:
        hold(state, base, now)
    return unwatched(state, base)
