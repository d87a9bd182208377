"""The sets of a last-level cache that the first bytes of packet buffers lie in.

Buffers at a distance of a power of two, such as a page, begin at the same place of it, so that their first lines
share few of the cache's sets. Which of these a buffer has follows from its physical address: pages are anywhere, and
what a hash makes of the address is as good as random, but the same each time that the buffer is used. Of the lines in
a set the one that was used longest ago goes (LRU). A line that a device writes stays where it is if the cache has it,
and else takes one of the few ways that devices may use (Intel, Data Direct I/O Technology: A Primer, 2012).
"""

from __future__ import annotations

from numpy.typing import NDArray

from simio.machines.nic import layout as c
from simio.machines.shared import shared


@shared
def scattered(number: int) -> int:
    """A number below 2**31 that follows from `number` and looks random (a multiplicative hash, mixed twice)."""
    value = (number + 1) * 1103515245 % 2147483648
    value = (value ^ (value >> 15)) * 1540483477 % 2147483648
    value = (value ^ (value >> 13)) * 1664525 % 2147483648
    return value ^ (value >> 16)


@shared
def use(state: NDArray, base: int, buffer: int, ways: int) -> int:
    """A buffer's first line is used: 1 if the cache had it; else 0, and it takes one of the first `ways` of a set."""
    every = state[base + c.WAYS]
    place = scattered(buffer) % state[base + c.SETS] * every
    tags = base + state[base + c.TAGS_AT] + place
    used = base + state[base + c.USED_AT] + place
    tick = state[base + c.TICK] + 1
    state[base + c.TICK] = tick
    for way in range(every):
        if state[tags + way] == buffer + 1:
            state[used + way] = tick
            return 1
    oldest = 0
    for way in range(1, ways):
        if state[used + way] < state[used + oldest]:
            oldest = way
    state[tags + oldest] = buffer + 1
    state[used + oldest] = tick
    return 0
