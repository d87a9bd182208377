"""Buffers of several segments: what TCP hands down at once, to be cut into segments below it (Linux: GSO and TSO).

A buffer is a series of segments that would have gone at the same instant, one after another; so what arrives at the
other end, and in which order, is the same with and without. Its first word is that of its first segment with the
data of all, and with the flags of the last.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.shared import shared
from simio.machines.tcp import layout as c
from simio.machines.tcp.sending import plan, put_out
from simio.machines.tcp.timers import unwatched

MOST = 65535
"""Bytes of data that the first word has room for (16 bits)."""


@shared
def continuation(state: NDArray, base: int, now: int, end: int, room: int) -> int:
    """First word, plus 1, of the next segment if its data are new, follow at `end` and fit `room` bytes; else 0."""
    if state[base + c.RESEND] >= 0 or state[base + c.NXT] != end or state[base + c.MAX] != end:
        return 0
    word = plan(state, base, now, 0) - 1
    return word + 1 if word >> 19 == end and 0 < word & 65535 <= room and word >> 16 & c.SYN == 0 else 0


@machine("tcp")
def output(state: NDArray, base: int, now: int) -> int:
    """Send the next buffer: its first word, plus 1; TIMER or 0 if none goes.

    It ends with the data, with a push, where a window or the burst of pacing ends, and at `gso` bytes, in whole
    segments. Small queues look at buffers and not at segments (Linux net/ipv4/tcp_output.c, tcp_write_xmit). What is
    sent again goes segment by segment.
    """
    if now > c.LATEST:
        return -1
    before, below = state[base + c.MAX], state[base + c.BELOW]
    word = put_out(state, base, now, plan(state, base, now, 1))
    if word == 0:
        return unwatched(state, base)
    length = (word - 1) & 65535
    mss = state[base + c.MSS]
    if length < mss or (word - 1) >> 16 & 7 or (word - 1) >> 19 < before:
        return word
    seq = (word - 1) >> 19
    most = min(state[base + c.GSO], MOST) // mss * mss
    added = state[base + c.BELOW] - below
    state[base + c.BELOW] = below
    flags = 0
    while flags == 0 and length % mss == 0:
        more = continuation(state, base, now, seq + length, most - length)
        if more == 0:
            break
        put_out(state, base, now, more)
        added += state[base + c.BELOW] - below
        state[base + c.BELOW] = below
        length += (more - 1) & 65535
        flags = (more - 1) >> 16 & 7
    state[base + c.BELOW] = below + added
    return (seq << 19 | flags << 16 | length) + 1


@machine("tcp")
def first(state: NDArray, base: int, word: int) -> int:
    """First word of the first segment of a buffer, of which `word` is what is left."""
    mss = state[base + c.MSS]
    return word if word & 65535 <= mss else word >> 19 << 19 | mss


@machine("tcp")
def rest(state: NDArray, base: int, word: int) -> int:
    """The rest of a buffer without its first segment, plus 1; 0 if nothing is left."""
    mss, length = state[base + c.MSS], word & 65535
    if length <= mss:
        return 0
    return ((word >> 19) + mss << 19 | (word >> 16 & 7) << 16 | (length - mss)) + 1
