"""GRO and LRO: packets of a connection are merged into one buffer before the stack, or the driver, sees them.

Linux net/core/dev.c, dev_gro_receive, and net/ipv4/tcp_offload.c, tcp_gro_receive (5.4): a packet joins the buffer if
it has data, follows the buffer's last byte, is no larger than the buffer's first packet, and has the same
acknowledgement, window and options; one that is smaller, or has PUSH or FIN, ends the buffer.

An adapter that joins packets (LRO) tells its driver the last acknowledgement and window of a buffer, which may differ
within it (Linux drivers/net/ethernet/mellanox/mlx5/core/en_rx.c, mlx5e_lro_update_tcp_hdr). The adapter's timer ends
a buffer, too, and the end of a poll does not.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.shared import shared
from simio.machines.tcp.layout import FIN, PUSH, SYN

WORDS = Layout("GRO")
MOST = WORDS.word("most", "bytes", about="most data of a buffer; 0: nothing is merged")
FIRST = WORDS.word("first", about="first word of the buffer that is held, and 1; 0: none is")
SECOND = WORDS.word("second", about="its second word")
OPTIONS = WORDS.word("options", about="its timestamps")
EACH = WORDS.word("each", "bytes", about="data of its first packet")
MARKS = WORDS.word("marks", about="its word of marks")
STAGED = WORDS.word("staged", about="timestamps of the packet that comes next")
STAGED_MARKS = WORDS.word("staged marks", about="its word of marks")
PLAIN = WORDS.word("plain", about="1: it has no other options")
READY = WORDS.word("ready", about="first word of the buffer that goes up next, and 1; 0: none does")
READY_SECOND = WORDS.word("ready_second")
READY_OPTIONS = WORDS.word("ready_options")
READY_MARKS = WORDS.word("ready_marks")
READY_PIECES = WORDS.word("ready_pieces", "packets", about="of that buffer")
PIECES = WORDS.word("pieces", "packets", about="of the buffer that is held")
MERGED = WORDS.word("merged", "packets", about="packets that joined a buffer")
BUFFERS = WORDS.word("buffers", "buffers", about="buffers of data that went up")
BEGUN = WORDS.word("begun", "ps", about="when the buffer that is held was begun, where that counts")
LATEST = WORDS.word("latest", about="1: acknowledgement and window may differ, and the last ones count (LRO)")
SESSIONS = WORDS.word("sessions", about="buffers that were held, up to the present one")

JOINED, HELD, PASSES, FLUSHES, BOTH = range(5)
"""The fate of a packet: it has joined a buffer; it begins one, which is held; it goes up by itself; the held
buffer goes up (with the packet in it, or in its place); the held buffer goes up, and then the packet by itself."""


@machine("network")
def stage(state: NDArray, base: int, options: int, others: int) -> int:
    """Note timestamps of the packet that comes next, and whether it has other options. Returns 0."""
    state[base + STAGED] = options
    state[base + PLAIN] = 1 if others == 0 else 0
    return 0


@machine("network")
def stage_marks(state: NDArray, base: int, marks: int) -> int:
    """Note the word of marks of the packet that comes next. Returns 0."""
    state[base + STAGED_MARKS] = marks
    return 0


@shared
def up(state: NDArray, base: int) -> None:
    """The held buffer goes up next."""
    state[base + READY] = state[base + FIRST]
    state[base + READY_SECOND] = state[base + SECOND]
    state[base + READY_OPTIONS] = state[base + OPTIONS]
    state[base + READY_MARKS] = state[base + MARKS]
    state[base + READY_PIECES] = state[base + PIECES]
    state[base + FIRST] = 0
    state[base + BUFFERS] += 1


@shared
def keep(state: NDArray, base: int, first: int, second: int) -> None:
    """A packet begins a buffer, which is held."""
    state[base + FIRST] = first + 1
    state[base + SECOND] = second
    state[base + OPTIONS] = state[base + STAGED]
    state[base + MARKS] = state[base + STAGED_MARKS]
    state[base + EACH] = first & 65535
    state[base + PIECES] = 1
    state[base + SESSIONS] += 1


@machine("network")
def take(state: NDArray, base: int, first: int, second: int) -> int:
    """A packet with these first two words: what becomes of it, as JOINED and the others say."""
    length = first & 65535
    flags = first >> 16 & 7
    plain = state[base + PLAIN] == 1 and length > 0 and flags & SYN == 0
    held = state[base + FIRST] - 1
    if held < 0:
        if not plain or flags & (PUSH | FIN) or length > state[base + MOST]:
            state[base + BUFFERS] += 1 if length > 0 else 0
            return PASSES
        keep(state, base, first, second)
        return HELD
    size = held & 65535
    follows = first >> 19 == (held >> 19) + size and length <= state[base + EACH]
    alike = (
        (state[base + LATEST] == 1 or second == state[base + SECOND])
        and state[base + STAGED] == state[base + OPTIONS]
        and state[base + STAGED_MARKS] == state[base + MARKS]
    )
    if plain and follows and alike and size + length <= state[base + MOST]:
        state[base + MERGED] += 1
        state[base + PIECES] += 1
        state[base + FIRST] = (held >> 19 << 19 | flags << 16 | size + length) + 1
        state[base + SECOND] = second
        if length < state[base + EACH] or flags & (PUSH | FIN):
            up(state, base)
            return FLUSHES
        return JOINED
    up(state, base)
    if not plain or flags & (PUSH | FIN):
        state[base + BUFFERS] += 1 if length > 0 else 0
        return BOTH
    keep(state, base, first, second)
    return FLUSHES


@machine("network")
def flush(state: NDArray, base: int) -> int:
    """The poll ends: 1 if a buffer is held, which goes up next, else 0."""
    if state[base + FIRST] == 0:
        return 0
    up(state, base)
    return 1


@machine("network", word=SESSIONS)
def session(state: NDArray, base: int) -> int:
    """Number of the buffer that is held, or that was held last."""
    return state[base + SESSIONS]


@machine("network")
def expire(state: NDArray, base: int, number: int) -> int:
    """The time of buffer `number` is over: 1 if it is still held, and goes up next, else 0."""
    return flush(state, base) if state[base + SESSIONS] == number else 0


@machine("network")
def date(state: NDArray, base: int, now: int) -> int:
    """The buffer that is held has been begun now. Returns 0."""
    state[base + BEGUN] = now
    return 0


@machine("network")
def begun(state: NDArray, base: int) -> int:
    """The instant at which the held buffer was begun, and 1 ps; 0: none is held."""
    return state[base + BEGUN] + 1 if state[base + FIRST] else 0


@machine("network", word=READY_PIECES)
def pieces(state: NDArray, base: int) -> int:
    """Packets of the buffer that goes up."""
    return state[base + READY_PIECES]


@machine("network")
def word(state: NDArray, base: int, number: int) -> int:
    """A word of the buffer that goes up: first, second, timestamps or marks, by its number from 0 on."""
    return state[base + READY + number] - (1 if number == 0 else 0)
