"""The free pages that a CPU keeps for itself, and blocks of pages that a program's data are copied into.

A page that is freed goes to the list of the CPU that frees it. A list that is full gives a batch back to the buddy
allocator, and one that has too few takes a batch from it, both under the lock of the memory's zone (Linux 5.4
mm/page_alloc.c: free_unref_page_commit, __rmqueue_pcplist).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout

WORDS = Layout("page list")
BATCH = WORDS.word("batch", "pages", about="that pass to or from the buddy allocator at a time")
HIGH = WORDS.word("high", "pages", about="with which a batch goes back")
PAGES = WORDS.word("pages", "pages", about="in the list")
THROUGH = WORDS.word("through", "pages", about="that have passed to or from the buddy allocator")

BLOCKS = Layout("block of pages")
SIZE = BLOCKS.word("size", "bytes", about="of a block")
LEFT = BLOCKS.word("left", "bytes", about="of the present block that have no data yet")


@machine("network")
def take(state: NDArray, base: int, count: int) -> int:
    """Pages leave the list. Returns how many come from the buddy allocator for that, in whole batches."""
    if count < 0:
        return -1
    passed = 0
    while state[base + PAGES] + passed < count:
        passed += state[base + BATCH]
    state[base + PAGES] += passed - count
    state[base + THROUGH] += passed
    return passed


@machine("network")
def put(state: NDArray, base: int, count: int) -> int:
    """Pages are freed. Returns how many go back to the buddy allocator, in whole batches."""
    if count < 0:
        return -1
    passed = 0
    state[base + PAGES] += count
    while state[base + PAGES] >= state[base + HIGH]:
        state[base + PAGES] -= state[base + BATCH]
        passed += state[base + BATCH]
    state[base + THROUGH] += passed
    return passed


@machine("network")
def fill(state: NDArray, base: int, size: int) -> int:
    """A program's data fill blocks. Returns how many are begun (Linux net/core/sock.c, skb_page_frag_refill)."""
    if size < 0:
        return -1
    begun = 0
    if size > state[base + LEFT]:
        begun = (size - state[base + LEFT] + state[base + SIZE] - 1) // state[base + SIZE]
        state[base + LEFT] += begun * state[base + SIZE]
    state[base + LEFT] -= size
    return begun
