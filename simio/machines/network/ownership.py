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
LATER = WORDS.word("later", "buffers", about="that went through the backlog")

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


@machine("network")
def came(state: NDArray, base: int) -> int:
    """A buffer of data has come from another core. Returns 0."""
    state[base + UNREAD] += 1
    return 0


@machine("network")
def take(state: NDArray, base: int) -> int:
    """Number of buffers that have come from another core, which the process touches now."""
    unread = state[base + UNREAD]
    state[base + UNREAD] = 0
    return unread
