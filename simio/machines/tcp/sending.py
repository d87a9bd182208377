"""The sender: the choice of the next segment, and what follows from sending it.

The rules are those of 4.3BSD-Reno's `tcp_output` where the RFCs leave a choice. `plan` only looks, `output` acts.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import bursts, congestion, marks, pacing, recovery, segments, tuning
from simio.machines.tcp import layout as c
from simio.machines.tcp.idle import congestion_window
from simio.machines.tcp.receiving import update_due, window
from simio.machines.tcp.round_trips import note_burst
from simio.machines.tcp.timers import clock, instant, persist, unwatched
from simio.machines.tcp.waits import waiting


@shared
def may_go(state: NDArray, base: int, length: int) -> bool:
    """True if a segment that is not full may go: Nagle's rule, no silly windows (RFC 1122, section 4.2.3.4)."""
    if state[base + c.NXT] < state[base + c.MAX] or state[base + c.FORCE]:
        return True
    if state[base + c.NXT] + length >= state[base + c.END]:
        if state[base + c.NODELAY] or length >= state[base + c.NAGLE_LIMIT] or state[base + c.SERIES]:
            return True
        waits_for = state[base + c.SMALL] if state[base + c.NAGLE] else state[base + c.MAX]
        if waits_for <= state[base + c.UNA]:
            return True
    return state[base + c.HALF_WINDOW] > 0 and 2 * length >= state[base + c.MOST_WINDOW]


@shared
def with_flags(state: NDArray, base: int, seq: int, length: int) -> int:
    """Word, plus 1, of a segment, with PUSH or FIN where it ends the data."""
    flags = 0
    if seq + length == state[base + c.END]:
        if length > 0:
            flags = c.PUSH
        if state[base + c.CLOSING]:
            flags += c.FIN
    elif length > 0 and state[base + c.ACK_PUSHED] and bursts.is_pushed(state, base, seq, length):
        flags = c.PUSH
    return (seq << 19 | flags << 16 | length) + 1


@shared
def room(state: NDArray, base: int, now: int) -> int:
    """Bytes from UNA on that congestion control and recovery allow.

    Most often that is the congestion window, which one look at four words tells.
    """
    special = state[base + c.PROBE] | state[base + c.RECOVERING] | state[base + c.SACKED_OUT]
    if (special | state[base + c.DUPLICATES]) == 0 and state[base + c.UNA] < state[base + c.MAX]:
        return state[base + c.CWND]
    if state[base + c.PROBE]:
        return state[base + c.NXT] - state[base + c.UNA] + state[base + c.MSS]
    if special:
        return recovery.room(state, base)
    return congestion_window(state, base, now)


@shared
def new_length(state: NDArray, base: int, now: int) -> int:
    """Bytes of the segment of data, or of the FIN, at NXT that may go now; -1 if none may."""
    seq = state[base + c.NXT]
    left = state[base + c.END] - seq
    if left + state[base + c.CLOSING] <= 0 or (seq == state[base + c.MAX] and segments.is_full(state, base)):
        return -1
    most = room(state, base, now)
    allowed = state[base + c.UNA] + min(state[base + c.SEND_WINDOW], most) - seq
    length = min(min(left, state[base + c.MSS]), allowed)
    if seq < state[base + c.BURST_END] and seq == state[base + c.MAX] and length > 0:
        return min(length, state[base + c.BURST_END] - seq)
    if state[base + c.SEND_WINDOW] == 0 and state[base + c.FORCE]:
        length = min(left, 1)
    if length >= state[base + c.MSS]:
        if state[base + c.DEFER] and bursts.is_deferred(state, base, now, allowed):
            state[base + c.DEFERRED] = 1 if most < state[base + c.SEND_WINDOW] else 0
            return -1
        return length
    if length >= 0 and state[base + c.CLOSING] and length == left:
        return length
    return length if length > 0 and may_go(state, base, length) else -1


@shared
def new_data(state: NDArray, base: int, now: int) -> int:
    """Word, plus 1, of the segment of data at NXT if it may go now, else 0."""
    length = new_length(state, base, now)
    return with_flags(state, base, state[base + c.NXT], length) if length >= 0 else 0


@shared
def repair(state: NDArray, base: int, now: int) -> int:
    """Word, plus 1, of the data that should go next while some are known or thought to be lost, or 0.

    RFC 6675, NextSeg: what is lost goes first, then new data, then what may be lost.
    """
    seq = state[base + c.RESEND]
    if seq >= 0:
        length = min(state[base + c.MSS], min(state[base + c.END], state[base + c.MAX]) - seq)
        return with_flags(state, base, seq, length)
    lost = recovery.resend(state, base, 1)
    if lost < 0:
        new = new_data(state, base, now)
        if new > 0:
            return new
        lost = recovery.resend(state, base, 0)
    return with_flags(state, base, lost >> 16, lost & 65535) if lost >= 0 else 0


@shared
def is_held(state: NDArray, base: int, now: int) -> bool:
    """True if data wait for their turn in pacing, or for room below the socket."""
    if state[base + c.PACED] and pacing.is_held(state, base, now):
        state[base + c.PACE_DUE] = state[base + c.PACE_AT]
        return True
    return state[base + c.SMALL_QUEUE] > 0 and pacing.is_full(state, base)


@shared
def before_data(state: NDArray, base: int) -> int:
    """First word, plus 1, of the segment that should go before any data; 0 if none should, -1 if data may go."""
    if state[base + c.STATE] <= c.LISTEN:
        return 0
    if state[base + c.NXT] == 0:
        return (c.SYN << 16) + 1
    if state[base + c.STATE] == c.SYN_SENT:
        return 0
    if state[base + c.EARLY_ACK] > 0:
        return (state[base + c.MAX] << 19) + 1
    return -1


@shared
def plan(state: NDArray, base: int, now: int, update: int) -> int:
    """First word, plus 1, of the segment that should go now; 0 if none should.

    With `update`, a window update is reason enough: that is so after the reader has read, not as segments arrive.
    """
    opened = state[base + c.STATE] >= c.ESTABLISHED
    if not opened or state[base + c.NXT] == 0 or state[base + c.EARLY_ACK] > 0:
        word = before_data(state, base)
        if word >= 0:
            return word
    if opened:
        word = 0
        if state[base + c.RESEND] >= 0 or state[base + c.RECOVERING]:
            word = repair(state, base, now)
        elif state[base + c.NXT] < state[base + c.END] + state[base + c.CLOSING]:
            word = new_data(state, base, now)
        if word > 0 and not (state[base + c.PACED] | state[base + c.SMALL_QUEUE] and is_held(state, base, now)):
            return word
    if state[base + c.ACK_NOW] or (update and update_due(state, base)):
        return (state[base + c.MAX] << 19) + 1
    return 0


@shared
def hold(state: NDArray, base: int, now: int) -> None:
    """Start the persist timer if only the window keeps data from going (RFC 1122, section 4.2.2.17).

    That goes for data that were sent and are to be sent again, too, where a window has shrunk to nothing since
    (RFC 9293, section 3.8.6; FreeBSD, tcp_output.c): the retransmission timer gives way.
    """
    shrunk = state[base + c.SEND_WINDOW] == 0 and state[base + c.NXT] == state[base + c.UNA]
    if state[base + c.PERSIST_DUE] == 0 and (state[base + c.RESEND_DUE] == 0 or shrunk):
        unsent = state[base + c.UNA] < state[base + c.END] + state[base + c.CLOSING]
        if unsent and state[base + c.STATE] >= c.ESTABLISHED:
            state[base + c.RESEND_DUE] = 0
            state[base + c.BACKOFF] = 0
            persist(state, base, now)


@shared
def note_use(state: NDArray, base: int) -> None:
    """Note, after a series of segments, whether the congestion window keeps data back.

    Linux net/ipv4/tcp_output.c, tcp_cwnd_validate, once a round unless it does. A series may take time, in which the
    CPU works on its segments.
    """
    deferred, sent = state[base + c.DEFERRED], state[base + c.UNNOTED]
    state[base + c.DEFERRED] = state[base + c.UNNOTED] = 0
    if not (sent or deferred) or state[base + c.STATE] < c.ESTABLISHED:
        return
    mss = state[base + c.MSS]
    out = state[base + c.NXT] - state[base + c.UNA]
    flight = segments.in_flight(state, base) if state[base + c.SCOREBOARD] else out
    limited = 1 if deferred or state[base + c.CWND] - flight < mss else 0
    whole = -(-out // mss) * mss
    more = state[base + c.LIMITED] == 0 and whole > state[base + c.MOST_OUT]
    if limited or more or state[base + c.UNA] >= state[base + c.ROUND_ENDS]:
        state[base + c.LIMITED] = limited
        state[base + c.MOST_OUT] = whole
        state[base + c.ROUND_ENDS] = state[base + c.NXT]


@shared
def note_sent(state: NDArray, base: int, now: int, seq: int, after: int) -> None:
    """Note that sequence numbers from `seq` to `after` are sent."""
    state[base + c.SENT] = now
    state[base + c.UNNOTED] = 1
    if state[base + c.PERSIST_DUE] > 0 and state[base + c.SEND_WINDOW] == 0 and state[base + c.FORCE]:
        state[base + c.MAX] = max(state[base + c.MAX], after)
        return
    if state[base + c.PERSIST_DUE] > 0:
        state[base + c.PERSIST_DUE] = 0
        state[base + c.BACKOFF] = 0
    if seq <= state[base + c.NXT] < after:
        state[base + c.NXT] = after
    if state[base + c.SEGMENT_ROOM] > 0 and seq < state[base + c.MAX]:
        segments.note_again(state, base, now, seq)
        if seq == state[base + c.UNA]:
            state[base + c.RESEND_DUE] = 0
    if after > state[base + c.MAX]:
        if state[base + c.SEGMENT_ROOM] > 0:
            segments.note(state, base, now, after)
        elif state[base + c.BURSTS] > 0:
            note_burst(state, base, now, after)
        state[base + c.MAX] = after
        if state[base + c.SCOREBOARD]:
            recovery.schedule(state, base, now)
        if state[base + c.TIMING] == 0:
            state[base + c.TIMING] = 1
            state[base + c.TIMED] = seq
            state[base + c.TIMED_AT] = clock(state, base, now)
    if state[base + c.RESEND_DUE] == 0:
        state[base + c.RESEND_DUE] = instant(state, base, now, state[base + c.RTO])


@shared
def note_acknowledged(state: NDArray, base: int, syn: bool) -> None:
    """Note the acknowledgement and the window of the segment that is sent."""
    expected = state[base + c.RCV_NXT]
    shift = 0 if syn else state[base + c.RECEIVE_SHIFT]
    offered = min(state[base + c.ADVERTISED_WINDOW], 65535) if syn else window(state, base)
    state[base + c.OUT_WORD] = expected << 16 | (offered >> shift)
    state[base + c.RCV_EDGE] = max(state[base + c.RCV_EDGE], expected + offered)
    state[base + c.LAST_ACK] = expected
    state[base + c.ACK_NOW] = 0
    state[base + c.ACK_DUE] = 0
    if state[base + c.QUICK] > 0 and state[base + c.SEGMENTS] > 0:
        state[base + c.QUICK] -= 1
    state[base + c.SEGMENTS] = 0
    state[base + c.PUSHED] = 0


@shared
def count_data(state: NDArray, base: int, now: int, length: int) -> None:
    """Count data that go for pacing and for what waits below the socket; a probe has gone."""
    if state[base + c.PACED]:
        pacing.pace(state, base, now, length)
    if state[base + c.SMALL_QUEUE] > 0:
        state[base + c.BELOW] += length


@shared
def put_out(state: NDArray, base: int, now: int, word: int) -> int:
    """Send the segment of which `plan` gave the first word, plus 1, and return that; with 0, note that none goes."""
    waiting(state, base, now, word)
    if word == 0:
        hold(state, base, now)
        if state[base + c.GROW_WHEN_LIMITED]:
            note_use(state, base)
        state[base + c.SERIES] = 0
        state[base + c.FORCE] = 0
        return 0
    if state[base + c.EARLY_ACK] > 0:
        return marks.early(state, base)
    seq = (word - 1) >> 19
    flags = (word - 1) >> 16 & 7
    length = (word - 1) & 65535
    if state[base + c.ECN]:
        marks.mark_output(state, base, flags & c.SYN > 0, length, seq >= state[base + c.MAX])
    after = seq + length + (flags & 1) + (flags >> 1 & 1)
    if after > seq:
        if state[base + c.RESEND] == seq:
            state[base + c.RESEND] = -1
        if length > 0 and state[base + c.DEFER] and seq == state[base + c.MAX] and seq >= state[base + c.BURST_END]:
            bursts.begin(state, base, seq + length, room(state, base, now))
        if length > 0 and state[base + c.PACING]:
            count_data(state, base, now, length)
        state[base + c.PRR_OUT] += length
        if seq < state[base + c.MAX]:
            state[base + c.RESENT] += 1
            state[base + c.TWICE] = state[base + c.MAX]
        if state[base + c.RECOVERING] and seq < state[base + c.MAX]:
            state[base + c.HIGH_RESENT] = max(state[base + c.HIGH_RESENT], after)
        idle = state[base + c.UNA] == state[base + c.MAX]
        if idle:
            state[base + c.CWND] = congestion_window(state, base, now)
            congestion.happens(state, base, now, congestion.SENDING_BEGINS)
        # One look at whether the connection is idle serves for all segments of a series, as in tcp_output.
        more = length == state[base + c.MSS] and after < state[base + c.END]
        state[base + c.SERIES] = 1 if more and (idle or state[base + c.SERIES]) else 0
        if length < state[base + c.MSS]:
            state[base + c.SMALL] = after
        note_sent(state, base, now, seq, after)
        state[base + c.PROBE] = 0
    note_acknowledged(state, base, flags & c.SYN > 0)
    if state[base + c.AUTOTUNE] > 0:
        tuning.sent(state, base, now)
    state[base + c.FORCE] = 0
    return word


@machine("tcp")
def output(state: NDArray, base: int, now: int) -> int:
    """Send the next segment: its first word, plus 1; TIMER or 0 if none goes."""
    if now > c.LATEST:
        return -1
    word = put_out(state, base, now, plan(state, base, now, 1))
    return word if word > 0 else unwatched(state, base)


@machine("tcp", word=c.OUT_WORD)
def acknowledgement(state: NDArray, base: int) -> int:
    """Second word of the segment that `output` just gave."""
    return state[base + c.OUT_WORD]


@machine("tcp")
def wants(state: NDArray, base: int, now: int) -> int:
    """OUTPUT if a segment should go now, a window update included, else TIMER or 0."""
    return c.OUTPUT if plan(state, base, now, 1) > 0 else unwatched(state, base)
