"""The pages of one queue: those that its driver posts, and those that come back to it.

The driver posts pages many at a time, and packets fill them. What comes back first depends on the driver:

IN_ORDER: the driver keeps a reference to each page that has been filled, in a ring, and uses the oldest again once
the stack has let it go. While the stack has the oldest, no other is used again; pages that find the ring full are the
stack's (Linux 5.4 drivers/net/ethernet/mellanox/mlx5/core/en_rx.c: mlx5e_rx_cache_put, mlx5e_rx_cache_get).

ANY: the stack gives each page that it lets go back to the pool, which keeps so many (Linux net/core/page_pool.c:
page_pool_recycle_in_ring; include/linux/skbuff.h: skb_mark_for_recycle).

Pages are taken to be let go in the order in which they were filled.
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

IN_ORDER, ANY = range(2)

WORDS = Layout("page pool")
MODE = WORDS.word("mode", about="0: the oldest page first, 1: any page that has come back")
ROOM = WORDS.word("room", "pages", about="most that are kept")
POSTS = WORDS.word("posts", "pages", about="that are posted at a time")
SHARES = WORDS.word("shares", "buffers", about="of a page")
LEFT = WORDS.word("left", "buffers", about="that are posted, and have no packet")
RELEASED = WORDS.word("released", "pages", about="that were filled, and that the driver has let go, or keeps")
BACK = WORDS.word("back", "buffers", about="that the stack has let go")
TAKEN = WORDS.word("taken", "pages", about="that were posted last and came from the list of the CPU")
DROPPED = WORDS.word("dropped", "pages", about="that found no room then, and that nobody has any more")
FIRST = WORDS.word("first", about="place of the oldest page kept, counted from the beginning")
SEEN = WORDS.word("seen", about="place of the oldest page kept that the stack has")
NEXT = WORDS.word("next", about="place of the next page kept; with any page, FIRST to NEXT are the pages there")
REUSED = WORDS.word("reused", "pages", about="that were posted again")
FRESH = WORDS.word("fresh", "pages", about="that came from the list of the CPU")
RING = WORDS.table("ring", about="numbers of the pages kept, modulo the room")


def initial(mode: int, room: int, posts: int, shares: int) -> State:
    """State before the first packet: nothing is posted."""
    return WORDS.initial(mode=mode, room=room, posts=posts, shares=shares, ring=[0] * max(room, 1))


@shared
def release(state: NDArray, base: int, count: int) -> int:
    """The driver lets pages go that are full: it keeps some. Returns how many nobody has any more."""
    dropped = 0
    back = state[base + BACK] // state[base + SHARES]
    for _ in range(count):
        state[base + RELEASED] += 1
        number = state[base + RELEASED]
        if state[base + NEXT] - state[base + FIRST] < state[base + ROOM]:
            state[base + RING + state[base + NEXT] % state[base + ROOM]] = number
            state[base + NEXT] += 1
            if number <= back:
                state[base + SEEN] = state[base + NEXT]
        elif number <= back:
            dropped += 1
    return dropped


@machine("network")
def fill(state: NDArray, base: int, buffers: int) -> int:
    """Packets take buffers. Returns 1 if pages are posted for that, else 0."""
    if buffers < 0:
        return -1
    state[base + LEFT] -= buffers
    if state[base + LEFT] >= 0:
        return 0
    state[base + TAKEN] = 0
    state[base + DROPPED] = 0
    while state[base + LEFT] < 0:
        if state[base + MODE] == IN_ORDER and state[base + REUSED] + state[base + FRESH] > 0:
            state[base + DROPPED] += release(state, base, state[base + POSTS])
        there = state[base + SEEN] if state[base + MODE] == IN_ORDER else state[base + NEXT]
        again = min(there - state[base + FIRST], state[base + POSTS])
        state[base + FIRST] += again
        state[base + REUSED] += again
        state[base + TAKEN] += state[base + POSTS] - again
        state[base + LEFT] += state[base + POSTS] * state[base + SHARES]
    state[base + FRESH] += state[base + TAKEN]
    return 1


@machine("network")
def taken(state: NDArray, base: int) -> int:
    """Pages that were posted last and came from the list of the CPU."""
    return state[base + TAKEN]


@machine("network")
def dropped(state: NDArray, base: int) -> int:
    """Pages that the driver freed then: they found no room, and the stack had let them go before."""
    return state[base + DROPPED]


@machine("network")
def free(state: NDArray, base: int, buffers: int) -> int:
    """The stack lets buffers go. Returns how many pages it frees, as nobody keeps them."""
    if buffers < 0:
        return -1
    number = state[base + BACK] // state[base + SHARES]
    state[base + BACK] += buffers
    last = state[base + BACK] // state[base + SHARES]
    freed = 0
    while number < last:
        number += 1
        if state[base + MODE] == ANY:
            if state[base + NEXT] - state[base + FIRST] < state[base + ROOM]:
                state[base + NEXT] += 1
            else:
                freed += 1
        elif number <= state[base + RELEASED]:
            if (
                state[base + SEEN] < state[base + NEXT]
                and state[base + RING + state[base + SEEN] % state[base + ROOM]] == number
            ):
                state[base + SEEN] += 1
            else:
                freed += 1
    return freed


UNREAD = Layout("unread buffers")
BUFFERS = UNREAD.word("buffers", "buffers", about="of packets that a program has not read")
BYTES = UNREAD.word("bytes", "bytes", about="of data in them")
WHOLE = UNREAD.word("whole", "bytes", about="of data of a full packet")
EACH = UNREAD.word("each", "buffers", about="of a full packet")


@machine("network")
def came(state: NDArray, base: int, size: int) -> int:
    """A buffer of packets with `size` bytes of data has come. Returns the number of buffers that they lie in."""
    count = (size * state[base + EACH] + state[base + WHOLE] - 1) // state[base + WHOLE]
    state[base + BUFFERS] += count
    state[base + BYTES] += size
    return count


@shared
def let_go(state: NDArray, base: int, rest: int, before: int) -> int:
    """Of `before` bytes `rest` are left. Returns the buffers that are let go."""
    there = state[base + BUFFERS]
    count = there * (before - rest) // before if rest > 0 else there
    state[base + BUFFERS] -= count
    state[base + BYTES] = rest
    return count


@machine("network")
def read(state: NDArray, base: int, size: int, rest: int) -> int:
    """A program has read `size` bytes of a stream, and `rest` are left. Returns the buffers that are let go.

    Bytes that came more than once, or before those in front of them, go with those that are read.
    """
    return let_go(state, base, rest, max(state[base + BYTES], size + rest))


@machine("network")
def take(state: NDArray, base: int, size: int) -> int:
    """A program has read `size` bytes of those that are there. Returns the buffers that are let go."""
    return let_go(state, base, state[base + BYTES] - size, state[base + BYTES]) if size <= state[base + BYTES] else -1
