"""The sender: which segment goes next, and what follows from sending it.

The rules are those of 4.3BSD-Reno's `tcp_output` where the RFCs leave a choice. `plan` only looks, `output` does.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.shared import shared
from simio.machines.tcp.layout import (
    ACK_DUE,
    ACK_NOW,
    BACKOFF,
    CLOSING,
    CWND,
    DUPLICATES,
    END,
    ESTABLISHED,
    FIN,
    FORCE,
    HALF_WINDOW,
    HIGH_RESENT,
    IDLE_RESTART,
    INITIAL_WINDOW,
    LAST_ACK,
    LATEST,
    LIMITED,
    LISTEN,
    MAX,
    MOST_WINDOW,
    MSS,
    NAGLE,
    NAGLE_LIMIT,
    NODELAY,
    NXT,
    OUT_WORD,
    PERSIST_DUE,
    PUSH,
    RCV_EDGE,
    RCV_NXT,
    RECEIVE_SHIFT,
    RECEIVE_SPACE,
    RECOVERING,
    RECOVERY,
    RESEND,
    RESEND_DUE,
    RESENT,
    RTO,
    RTO_TICK,
    SACK,
    SEGMENTS,
    SEND_WINDOW,
    SENT,
    SERIES,
    SMALL,
    STATE,
    SYN,
    SYN_SENT,
    THRESHOLD,
    TIMED,
    TIMED_AT,
    TIMING,
    UNA,
)
from simio.machines.tcp.receiving import update_due, window
from simio.machines.tcp.sacked import lost_below, next_resend, pipe
from simio.machines.tcp.timers import clock, instant, persist
from simio.machines.tcp.waits import waiting


@shared
def congestion_window(state: NDArray, base: int, now: int) -> int:
    """The congestion window, which an idle time takes back to the initial one (RFC 5681, section 4.1)."""
    most = state[base + CWND]
    if state[base + UNA] == state[base + MAX]:
        if state[base + IDLE_RESTART] and most > state[base + INITIAL_WINDOW]:
            tick = max(state[base + RTO_TICK], 1)
            if now - state[base + SENT] >= state[base + RTO] * tick:
                return state[base + INITIAL_WINDOW]
    elif state[base + LIMITED] and not state[base + RECOVERING] and state[base + NXT] == state[base + MAX]:
        return most + min(state[base + DUPLICATES], state[base + THRESHOLD] - 1) * state[base + MSS]
    return most


@shared
def may_go(state: NDArray, base: int, length: int) -> bool:
    """Whether a segment of new data that is not full may go: Nagle's rule, no silly windows (RFC 1122, 4.2.3.4)."""
    if state[base + NXT] < state[base + MAX] or state[base + FORCE]:
        return True
    if state[base + NXT] + length >= state[base + END]:
        if state[base + NODELAY] or length >= state[base + NAGLE_LIMIT] or state[base + SERIES]:
            return True
        waits_for = state[base + SMALL] if state[base + NAGLE] else state[base + MAX]
        if waits_for <= state[base + UNA]:
            return True
    return state[base + HALF_WINDOW] > 0 and 2 * length >= state[base + MOST_WINDOW]


@shared
def with_flags(state: NDArray, base: int, seq: int, length: int) -> int:
    """Word of a segment, which ends with PUSH or FIN where the data do."""
    flags = 0
    if seq + length == state[base + END]:
        if length > 0:
            flags = PUSH
        if state[base + CLOSING]:
            flags += FIN
    return (seq << 19 | flags << 16 | length) + 1


@shared
def new_data(state: NDArray, base: int, now: int) -> int:
    """Word, and 1, of the segment of data at NXT if it may go now, else 0."""
    seq = state[base + NXT]
    end = state[base + END]
    if seq > end or (seq == end and not state[base + CLOSING]):
        return 0
    allowed = min(state[base + SEND_WINDOW], congestion_window(state, base, now))
    if state[base + RECOVERING] and state[base + RECOVERY] == SACK:
        allowed = min(state[base + SEND_WINDOW], seq - state[base + UNA] + state[base + CWND] - pipe(state, base))
    length = min(min(end - seq, state[base + MSS]), state[base + UNA] + allowed - seq)
    if state[base + SEND_WINDOW] == 0 and state[base + FORCE]:
        length = min(end - seq, 1)
    if length >= state[base + MSS]:
        return with_flags(state, base, seq, length)
    if length < 0:
        return 0
    if state[base + CLOSING] and seq + length == end:
        return with_flags(state, base, seq, length)
    if length > 0 and may_go(state, base, length):
        return with_flags(state, base, seq, length)
    return 0


@shared
def plan(state: NDArray, base: int, now: int, update: int) -> int:
    """First word, and 1, of the segment that should go now; 0 if none should. With `update`, a window alone is reason
    enough: that is looked at when the reader has taken data, not when they arrive."""
    if state[base + STATE] <= LISTEN:
        return 0
    if state[base + NXT] == 0:
        return (SYN << 16) + 1
    if state[base + STATE] == SYN_SENT:
        return 0
    if state[base + STATE] >= ESTABLISHED:
        seq = state[base + RESEND]
        if seq >= 0:
            length = min(state[base + MSS], min(state[base + END], state[base + MAX]) - seq)
            return with_flags(state, base, seq, length)
        # RFC 6675, NextSeg: what is lost goes first, then new data, then what may be lost.
        selective = state[base + RECOVERING] and state[base + RECOVERY] == SACK
        if selective:
            found = next_resend(state, base, lost_below(state, base))
            if found >= 0:
                return with_flags(state, base, found >> 16, found & 65535)
        found = new_data(state, base, now)
        if found > 0:
            return found
        if selective:
            found = next_resend(state, base, state[base + MAX])
            if found >= 0:
                return with_flags(state, base, found >> 16, found & 65535)
    if state[base + ACK_NOW] or (update and update_due(state, base)):
        return (state[base + MAX] << 19) + 1
    return 0


@shared
def hold(state: NDArray, base: int, now: int) -> None:
    """Where the window keeps all that could go from going, the persist timer runs (RFC 1122, section 4.2.2.17)."""
    if state[base + RESEND_DUE] == 0 and state[base + PERSIST_DUE] == 0:
        unsent = state[base + UNA] < state[base + END] + state[base + CLOSING]
        if unsent and state[base + STATE] >= ESTABLISHED:
            state[base + BACKOFF] = 0
            persist(state, base, now)


@shared
def note_sent(state: NDArray, base: int, now: int, seq: int, after: int) -> None:
    """Sequence numbers from `seq` to `after` go out."""
    state[base + SENT] = now
    if state[base + PERSIST_DUE] > 0 and state[base + SEND_WINDOW] == 0 and state[base + FORCE]:
        state[base + MAX] = max(state[base + MAX], after)
        return
    if state[base + PERSIST_DUE] > 0:
        state[base + PERSIST_DUE] = 0
        state[base + BACKOFF] = 0
    if seq <= state[base + NXT] < after:
        state[base + NXT] = after
    if after > state[base + MAX]:
        state[base + MAX] = after
        if state[base + TIMING] == 0:
            state[base + TIMING] = 1
            state[base + TIMED] = seq
            state[base + TIMED_AT] = clock(state, base, now)
    if state[base + RESEND_DUE] == 0:
        state[base + RESEND_DUE] = instant(state, base, now, state[base + RTO])


@shared
def note_acknowledged(state: NDArray, base: int, syn: bool) -> None:
    """The segment that goes out carries an acknowledgement and a window."""
    expected = state[base + RCV_NXT]
    shift = 0 if syn else state[base + RECEIVE_SHIFT]
    offered = min(state[base + RECEIVE_SPACE], 65535) if syn else window(state, base)
    state[base + OUT_WORD] = expected << 16 | (offered >> shift)
    state[base + RCV_EDGE] = max(state[base + RCV_EDGE], expected + offered)
    state[base + LAST_ACK] = expected
    state[base + ACK_NOW] = 0
    state[base + ACK_DUE] = 0
    state[base + SEGMENTS] = 0


@shared
def output(state: NDArray, base: int, now: int) -> int:
    """First word, and 1, of the next segment, which goes now; 0 if none goes."""
    if now > LATEST:
        return -1
    word = plan(state, base, now, 1)
    waiting(state, base, now, word)
    if word == 0:
        hold(state, base, now)
        state[base + SERIES] = 0
        state[base + FORCE] = 0
        return 0
    seq = (word - 1) >> 19
    flags = (word - 1) >> 16 & 7
    length = (word - 1) & 65535
    after = seq + length + (flags & 1) + (flags >> 1 & 1)
    if after > seq:
        if state[base + RESEND] == seq:
            state[base + RESEND] = -1
        if seq < state[base + MAX]:
            state[base + RESENT] += 1
        if state[base + RECOVERING] and seq < state[base + MAX]:
            state[base + HIGH_RESENT] = max(state[base + HIGH_RESENT], after)
        idle = state[base + UNA] == state[base + MAX]
        if idle:
            state[base + CWND] = congestion_window(state, base, now)
        # One look at whether the connection is idle serves for all segments of a series, as in tcp_output.
        more = length == state[base + MSS] and after < state[base + END]
        state[base + SERIES] = 1 if more and (idle or state[base + SERIES]) else 0
        if length < state[base + MSS]:
            state[base + SMALL] = after
        note_sent(state, base, now, seq, after)
    note_acknowledged(state, base, flags & SYN > 0)
    state[base + FORCE] = 0
    return word
