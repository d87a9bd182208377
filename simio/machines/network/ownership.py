"""The owner of a socket: while a process has it, what arrives waits in its backlog, which it works off at the end.

Linux include/net/sock.h, sock_owned_by_user, and net/core/sock.c, __release_sock.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout
from simio.machines.shared import shared

WORDS = Layout("socket owner")
OWNED = WORDS.word("owned", about="1: a process has it")
BACKLOG = WORDS.word("backlog", "buffers", about="that wait for it")
LAST = WORDS.word("last", "core", about="the core that worked on it last")
UNREAD = WORDS.word("unread", "buffers", about="of data that have come from another core, and were not read")
LINES = WORDS.word("lines", about="of their lists of fragments")
HEAD = WORDS.word("head", "bytes", about="of such a list before its fragments")
SIZE = WORDS.word("size", "bytes", about="of a fragment there")
MOST = WORDS.word("most", "fragments", 1, about="of a buffer")
WHOLE = WORDS.word("whole", "bytes", 1, about="of data of a full packet")
EACH = WORDS.word("each", "fragments", 1, about="of a full packet")
LATER = WORDS.word("later", "buffers", about="that went through the backlog")

LINE = 64
"""Bytes of a cache line."""
FREE, ELSEWHERE, BACKLOG_HAS_IT = range(3)


@shared
def moved(state: NDArray, base: int, core: int) -> int:
    """1 if another core worked on the socket last, which this one does now, else 0."""
    before = state[base + LAST]
    state[base + LAST] = core
    return 1 if before != core else 0


@machine("network")
def own(state: NDArray, base: int, core: int) -> int:
    """A process takes the socket. Returns 1 if another core worked on it last, else 0; refuses if it has an owner."""
    if state[base + OWNED]:
        return -1
    state[base + OWNED] = 1
    return moved(state, base, core)


@machine("network")
def ask(state: NDArray, base: int, core: int) -> int:
    """Something arrives at a core: BACKLOG_HAS_IT, or the socket is FREE, or free and ELSEWHERE in the caches."""
    if not state[base + OWNED]:
        return ELSEWHERE if moved(state, base, core) else FREE
    state[base + BACKLOG] += 1
    state[base + LATER] += 1
    return BACKLOG_HAS_IT


@machine("network")
def leave(state: NDArray, base: int) -> int:
    """The process is done: 1 if it has to work off one of the backlog first, 0 if the socket is free now."""
    if state[base + BACKLOG] > 0:
        state[base + BACKLOG] -= 1
        return 1
    state[base + OWNED] = 0
    return 0


@shared
def lines(state: NDArray, base: int, fragments: int) -> int:
    """Cache lines of a list of fragments."""
    return (state[base + HEAD] + fragments * state[base + SIZE] + LINE - 1) // LINE


@machine("network")
def came(state: NDArray, base: int, size: int) -> int:
    """Data have come from another core, in one buffer, or in several with as many fragments as may be. Returns 0."""
    fragments = (size * state[base + EACH] + state[base + WHOLE] - 1) // state[base + WHOLE]
    most = state[base + MOST]
    state[base + UNREAD] += fragments // most
    state[base + LINES] += fragments // most * lines(state, base, most)
    if fragments % most > 0:
        state[base + UNREAD] += 1
        state[base + LINES] += lines(state, base, fragments % most)
    return 0


@machine("network")
def take(state: NDArray, base: int) -> int:
    """Number of buffers that have come from another core, which the process touches now."""
    unread = state[base + UNREAD]
    state[base + UNREAD] = 0
    return unread


@machine("network")
def take_lines(state: NDArray, base: int) -> int:
    """Number of cache lines of their lists of fragments, which the process touches as well."""
    there = state[base + LINES]
    state[base + LINES] = 0
    return there
