"""What an arriving acknowledgement and window do to the sender (RFC 9293, section 3.10.7.4, fifth; RFC 5681)."""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.buffers import release, space
from simio.machines.tcp.layout import (
    ACK_NOW,
    BYTE_COUNTING,
    CHANGED,
    CLOSE_BOTH,
    CLOSED,
    CLOSING,
    COUNTED,
    CWND,
    DUPLICATES,
    END,
    ESTABLISHED,
    FIN_WAIT_1,
    FIN_WAIT_2,
    INITIAL_WINDOW,
    LAST_ACK_WAIT,
    MAX,
    MAX_CWND,
    MOST_WINDOW,
    MSS,
    NXT,
    PERSIST_DUE,
    RECOVERING,
    RECOVERY,
    RESEND_DUE,
    RTO,
    RTO_TICK,
    SACK,
    SACKED,
    SEND_WINDOW,
    SSTHRESH,
    STAGED_A,
    STAGED_B,
    STAGED_ECHO,
    STAMP_TICK,
    STATE,
    TIME_WAIT,
    TIMED,
    TIMED_AT,
    TIMED_OUT,
    TIMING,
    UNA,
    WAKE_WRITER,
    WL1,
    WL2,
    WRITER,
)
from simio.machines.tcp.ranges import pass_by
from simio.machines.tcp.recovery import duplicate, recovered
from simio.machines.tcp.sacked import note_block
from simio.machines.tcp.timers import clock, instant, measured, stamp


@shared
def time_round_trip(state: NDArray, base: int, now: int, ack: int) -> None:
    """New data are acknowledged: does that end a round trip? By timestamps (RFC 7323, section 4), or the segment that
    is being timed, which is never one that went twice (Karn's rule; RFC 6298, section 3)."""
    tick = state[base + STAMP_TICK]
    if tick > 0:
        if state[base + STAGED_ECHO] > 0:
            ticks = (stamp(state, base, now) - state[base + STAGED_ECHO]) & (2**31 - 1)
            measured(state, base, ticks * tick // max(state[base + RTO_TICK], 1))
    elif state[base + TIMING] and ack > state[base + TIMED]:
        state[base + TIMING] = 0
        measured(state, base, clock(state, base, now) - state[base + TIMED_AT])


@shared
def open_window(state: NDArray, base: int, acked: int) -> None:
    """The congestion window grows: slow start up to the threshold, then congestion avoidance (RFC 5681, 3.1)."""
    mss = state[base + MSS]
    most = state[base + CWND]
    if most <= state[base + SSTHRESH]:
        # More than a segment is counted only where no timeout makes bursts of acknowledged bytes (RFC 3465, 2.3).
        step = min(acked, 2 * mss) if state[base + BYTE_COUNTING] else mss
        if state[base + NXT] < state[base + MAX]:
            step = min(step, mss)
    elif state[base + BYTE_COUNTING]:
        state[base + COUNTED] += acked
        if state[base + COUNTED] < most:
            return
        state[base + COUNTED] -= most
        step = mss
    else:
        step = max(mss * mss // most, 1)
    state[base + CWND] = min(most + step, state[base + MAX_CWND])


@shared
def opened(state: NDArray, base: int) -> None:
    """The SYN is acknowledged. One that was lost leaves a window of one segment (RFC 5681, section 3.1)."""
    state[base + STATE] = FIN_WAIT_1 if state[base + CLOSING] else ESTABLISHED
    if state[base + TIMED_OUT] < 0:
        state[base + CWND] = state[base + INITIAL_WINDOW]
    state[base + SSTHRESH] = state[base + MAX_CWND]
    state[base + TIMED_OUT] = -1


@shared
def advance(state: NDArray, base: int, now: int, ack: int) -> int:
    """Sequence numbers below `ack` are acknowledged for the first time; bits of what that means."""
    before = state[base + UNA]
    acked = ack - before
    state[base + UNA] = ack
    state[base + NXT] = max(state[base + NXT], ack)
    state[base + DUPLICATES] = 0
    bits = 0
    time_round_trip(state, base, now, ack)
    if state[base + SACKED] > 0:
        pass_by(state, base + SACKED, ack)
    restart = True
    if before == 0:
        opened(state, base)
        bits = CHANGED
    elif state[base + RECOVERING]:
        restart = recovered(state, base, acked)
    else:
        open_window(state, base, acked)
    if ack == state[base + MAX]:
        state[base + RESEND_DUE] = 0
    elif restart and state[base + PERSIST_DUE] == 0:
        state[base + RESEND_DUE] = instant(state, base, now, state[base + RTO])
    data = min(ack, state[base + END]) - max(before, 1)
    if data > 0:
        release(state, base, data)
        if state[base + WRITER] > 0 and space(state, base, state[base + WRITER]) > 0:
            state[base + WRITER] = 0
            bits += WAKE_WRITER
    if state[base + CLOSING] and ack > state[base + END]:
        at = state[base + STATE]
        if at == FIN_WAIT_1:
            state[base + STATE] = FIN_WAIT_2
        elif at == CLOSE_BOTH:
            state[base + STATE] = TIME_WAIT
        elif at == LAST_ACK_WAIT:
            state[base + STATE] = CLOSED
        bits = bits | CHANGED
    return bits


@shared
def acknowledged(state: NDArray, base: int, now: int, seq: int, length: int, ack: int, offered: int) -> int:
    """An acknowledgement with a window has arrived; bits of what that means."""
    una = state[base + UNA]
    if ack > state[base + MAX]:
        state[base + ACK_NOW] = 1
        return 0
    news = 0
    if state[base + STAGED_A] > 0 and state[base + RECOVERY] == SACK:
        news = note_block(state, base, ack, state[base + STAGED_A])
        news += note_block(state, base, ack, state[base + STAGED_B])
    bits = 0
    if ack > una:
        bits = advance(state, base, now, ack)
    elif ack == una and state[base + RECOVERY] == SACK:
        if news > 0 and state[base + RESEND_DUE] > 0:
            duplicate(state, base)
    elif ack == una and length == 0 and offered == state[base + SEND_WINDOW] and state[base + RESEND_DUE] > 0:
        duplicate(state, base)
    elif ack == una:
        state[base + DUPLICATES] = 0
    older = seq < state[base + WL1] or (seq == state[base + WL1] and ack < state[base + WL2])
    if not older and (seq > state[base + WL1] or ack > state[base + WL2] or offered > state[base + SEND_WINDOW]):
        state[base + SEND_WINDOW] = offered
        state[base + MOST_WINDOW] = max(state[base + MOST_WINDOW], offered)
        state[base + WL1] = seq
        state[base + WL2] = ack
    return bits
