"""A connection: opening and closing it, segments that arrive, timers that run out (RFC 9293, section 3.10)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.acknowledging import acknowledged
from simio.machines.tcp.layout import (
    ACK_DUE,
    ACK_NOW,
    APPENDED,
    BUFFERED,
    CHAIN,
    CHANGED,
    CLOSE_WAIT,
    CLOSED,
    CLOSING,
    CWND,
    END,
    ENDED,
    ESTABLISHED,
    FIN,
    FIN_WAIT_1,
    FORCE,
    LAST_ACK,
    LAST_ACK_WAIT,
    LATEST,
    LISTEN,
    MAX,
    MOST_WINDOW,
    NXT,
    OUTPUT,
    PERSIST_DUE,
    RCV_NXT,
    READER,
    RESEND_DUE,
    SEND_SHIFT,
    SEND_SPACE,
    SEND_WINDOW,
    STAGED_A,
    STAGED_B,
    STAGED_ECHO,
    STAGED_VALUE,
    STAMP_TICK,
    STATE,
    SYN,
    SYN_RECEIVED,
    SYN_SENT,
    TIME_WAIT,
    TIMEOUTS,
    TS_RECENT,
    UNA,
    WAKE,
    WAKE_READER,
    WAKE_WRITER,
    WL1,
    WRITE_SPACE,
    WRITER,
)
from simio.machines.tcp.receiving import receive
from simio.machines.tcp.recovery import timeout
from simio.machines.tcp.sending import hold, plan
from simio.machines.tcp.timers import persist, stamp

_MASK = 2**31 - 1


@shared
def open_up(state: NDArray, base: int, now: int, active: int) -> int:
    """Open the connection: with `active`, by a SYN; else wait for one. Returns 1 where `output` gives the SYN."""
    if now > LATEST or state[base + STATE] != CLOSED or state[base + UNA] > 0:
        return -1
    state[base + STATE] = SYN_SENT if active else LISTEN
    return 1 if active else 0


@shared
def close(state: NDArray, base: int, now: int) -> int:
    """No more data will be written. Returns 1 where `output` may give the FIN."""
    if now > LATEST or state[base + CLOSING] or state[base + STATE] <= LISTEN:
        return -1
    state[base + CLOSING] = 1
    state[base + END] = state[base + APPENDED]
    if state[base + STATE] == ESTABLISHED:
        state[base + STATE] = FIN_WAIT_1
    elif state[base + STATE] == CLOSE_WAIT:
        state[base + STATE] = LAST_ACK_WAIT
    return 1


@shared
def arrive_syn(state: NDArray, base: int, acked: bool, offered: int) -> None:
    """The peer's first SYN has arrived, with an acknowledgement of ours or without. Its window is not shifted."""
    state[base + RCV_NXT] = 1
    state[base + ACK_NOW] = 1
    state[base + SEND_WINDOW] = offered
    state[base + MOST_WINDOW] = offered
    state[base + WL1] = 0
    if not acked:
        state[base + STATE] = SYN_RECEIVED
        state[base + NXT] = 0


@shared
def reset(state: NDArray, base: int) -> int:
    """The connection ends at once, whatever was to be sent or read (RFC 9293, section 3.10.7): bits as `accept`."""
    bits = CHANGED if state[base + STATE] < ESTABLISHED else 0
    if state[base + READER]:
        bits += WAKE_READER
    if state[base + WRITER] > 0:
        bits += WAKE_WRITER
    state[base + STATE] = CLOSED
    state[base + READER] = state[base + WRITER] = 0
    state[base + ACK_NOW] = state[base + FORCE] = 0
    state[base + ACK_DUE] = state[base + RESEND_DUE] = state[base + PERSIST_DUE] = 0
    state[base + BUFFERED] = 0
    state[base + ENDED] = 1
    # A writer finds no room any more; see `room`.
    state[base + SEND_SPACE] = state[base + WRITE_SPACE] = 0
    return bits


@shared
def accept(state: NDArray, base: int, now: int, first: int, second: int) -> int:
    """A segment arrives: its first two words. Bits: OUTPUT, WAKE_READER, WAKE_WRITER, CHANGED."""
    if now > LATEST or first < 0 or second < 0:
        return -1
    length = first & 65535
    flags = first >> 16 & 7
    seq = first >> 19
    ack = second >> 16
    offered = second & 65535
    at = state[base + STATE]
    bits = 0
    if at == CLOSED:
        return 0
    value = state[base + STAGED_VALUE]
    # The timestamp to echo is that of the segment which the last acknowledgement asked for (RFC 7323, section 4.3).
    if value > 0 and seq <= state[base + LAST_ACK] and (value - state[base + TS_RECENT]) & _MASK < 2**30:
        state[base + TS_RECENT] = value
    if flags & SYN:
        if flags & FIN:
            return reset(state, base)
        if at <= SYN_SENT:
            arrive_syn(state, base, ack > 0, offered)
        else:
            state[base + ACK_NOW] = 1
    elif at <= SYN_SENT:
        return 0
    else:
        offered <<= state[base + SEND_SHIFT]
    if ack > 0:
        bits = acknowledged(state, base, now, seq, length, ack, offered)
    if (length > 0 or flags & FIN) and state[base + STATE] >= ESTABLISHED:
        if receive(state, base, now, seq, length, flags) and state[base + READER]:
            state[base + READER] = 0
            bits += WAKE_READER
        if state[base + STATE] == TIME_WAIT:
            bits = bits | CHANGED
    state[base + STAGED_VALUE] = state[base + STAGED_ECHO] = state[base + STAGED_A] = state[base + STAGED_B] = 0
    if plan(state, base, now, 0) > 0:
        return bits + OUTPUT
    hold(state, base, now)
    return bits


@shared
def stage(state: NDArray, base: int, at: int, one: int, other: int) -> int:
    """Take options of the segment that arrives next."""
    state[base + at] = one
    state[base + at + 1] = other
    return 0


@shared
def stamps(state: NDArray, base: int, now: int) -> int:
    """Third word of the segment that `output` just gave."""
    if state[base + STAMP_TICK] == 0:
        return 0
    return stamp(state, base, now) << 31 | state[base + TS_RECENT]


@shared
def expire(state: NDArray, base: int, now: int) -> int:
    """A sleeper woke: do what is due. Bits as `accept` gives them."""
    if now > LATEST:
        return -1
    if now >= state[base + WAKE]:
        state[base + WAKE] = 0
    if 0 < state[base + ACK_DUE] <= now:
        state[base + ACK_DUE] = 0
        state[base + ACK_NOW] = 1
    if 0 < state[base + RESEND_DUE] <= now:
        state[base + TIMEOUTS] += 1
        timeout(state, base, now)
    if 0 < state[base + PERSIST_DUE] <= now:
        persist(state, base, now)
        state[base + FORCE] = 1
    return OUTPUT if plan(state, base, now, 0) > 0 else 0


@shared
def look(state: NDArray, base: int, what: int) -> int:
    """One value of the connection: 0 its state, 1 buffers in the send buffer; in bytes, 2 the congestion window,
    3 what is outstanding, 4 what the send buffer holds, 5 what there is to read."""
    if what == 0:
        return state[base + STATE]
    if what == 1:
        return state[base + CHAIN]
    if what == 2:
        return state[base + CWND]
    if what == 3:
        return state[base + MAX] - state[base + UNA]
    if what == 4:
        return state[base + APPENDED] - min(max(state[base + UNA], 1), state[base + APPENDED])
    if what == 5:
        return state[base + BUFFERED]
    return -1
