"""Pages of a file in the page cache that are dirty, and those on their way to the device.

Writeback takes them in ascending order from where it left off (Linux mm/page-writeback.c, write_cache_pages).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State

BITS = 32
"""Pages that a word stands for."""
COUNTED = 2**24
"""Above the most pages of a run."""

FILE = Layout("pages of a file")
PAGES = FILE.word("pages", "pages")
DIRTY = FILE.word("dirty", "pages")
CURSOR = FILE.word("cursor", "pages", about="where writeback goes on")
FLYING = FILE.word("flying", "pages", about="on their way to the device")
WRITING = FILE.word("writing", about="1 while a thread writes back")
SLEEPING = FILE.word("sleeping", "threads", about="threads that wait until no page is on its way")
MAP = FILE.table("map", about="a bit for each page: 1 if it is dirty")

LEVEL = Layout("dirty memory")
BYTES = LEVEL.word("bytes", "bytes", about="dirty in all, and not on their way to a device")
BACKGROUND = LEVEL.word("background", "bytes", about="above which writeback begins")


def pages(number: int) -> State:
    """State of a file of so many pages, all clean."""
    return FILE.initial(pages=number, map=[0] * -(-number // BITS))


def level(background: int) -> State:
    """State of memory of which nothing is dirty, and of which so many bytes may be before writeback begins."""
    return LEVEL.initial(background=background)


@machine("files")
def dirty(state: NDArray, base: int, first: int, count: int) -> int:
    """`count` pages from `first` on are written; twice the number of those that were clean, plus 1 if all were."""
    if first < 0 or count < 1 or first + count > state[base + PAGES]:
        return -1
    before = state[base + DIRTY]
    for number in range(first, first + count):
        word, bit = base + MAP + number // BITS, 1 << number % BITS
        if not state[word] & bit:
            state[word] |= bit
            state[base + DIRTY] += 1
    return 2 * (state[base + DIRTY] - before) + (1 if before == 0 else 0)


@machine("files")
def run(state: NDArray, base: int, most: int, least: int) -> int:
    """Take the next dirty pages that lie together, at most `most`; if they are fewer, no more than `least`.

    Their first page times COUNTED plus their number; 0 where none is dirty.
    """
    if state[base + DIRTY] == 0:
        return 0
    number, pages_ = state[base + CURSOR], state[base + PAGES]
    while True:
        if number >= pages_:
            number = 0
        if state[base + MAP + number // BITS] == 0:
            number = (number // BITS + 1) * BITS
        elif state[base + MAP + number // BITS] >> number % BITS & 1:
            break
        else:
            number += 1
    end = number
    while end < pages_ and end < number + most and state[base + MAP + end // BITS] >> end % BITS & 1:
        end += 1
    if end < number + most:
        end = min(end, number + least)
    for page in range(number, end):
        state[base + MAP + page // BITS] &= ~(1 << page % BITS)
    state[base + CURSOR] = end
    state[base + DIRTY] -= end - number
    state[base + FLYING] += end - number
    return number * COUNTED + end - number


@machine("files")
def landed(state: NDArray, base: int, count: int) -> int:
    """`count` pages are on the device: threads to wake, which wait until no page is on its way."""
    state[base + FLYING] -= count
    if state[base + FLYING] > 0:
        return 0
    sleeping = state[base + SLEEPING]
    state[base + SLEEPING] = 0
    return sleeping


@machine("files")
def quiet(state: NDArray, base: int) -> int:
    """1 if no page is on its way; else 0, and the caller is noted as waiting."""
    if state[base + FLYING] == 0:
        return 1
    state[base + SLEEPING] += 1
    return 0


@machine("files")
def begin(state: NDArray, base: int) -> int:
    """1 if nobody writes this file back yet, and the caller is to; else 0."""
    if state[base + WRITING]:
        return 0
    state[base + WRITING] = 1
    return 1


@machine("files")
def finish(state: NDArray, base: int) -> int:
    """The thread that writes back ends."""
    state[base + WRITING] = 0
    return 0


@machine("files")
def change(state: NDArray, base: int, more: int, fewer: int) -> int:
    """Count `more` and `fewer` dirty bytes: 1 if the sum is above the background limit, else 0."""
    state[base + BYTES] += more - fewer
    return 1 if state[base + BYTES] > state[base + BACKGROUND] else 0
