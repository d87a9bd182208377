"""CPU time of a host's network path by class, as a profile by functions has it.

What a core does is one of a few operations, each of which costs so much in each class. A program asks for the time of
an operation, which it then spends on a core, and the machine keeps count of the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

CLASSES = ("data copy", "etc", "lock", "memory", "netdev", "scheduling", "skb", "tcp/ip")
"""Classes of functions of the kernel, in alphabetical order."""
COPY, ETC, LOCK, MEMORY, NETDEV, SCHEDULING, SKB, TCP_IP = range(len(CLASSES))
OPERATIONS = (
    "call", "interrupt", "wake", "switch", "packet", "merge", "up", "data", "ack", "send", "cut",
    "fragment in", "fragment out", "page", "buddy", "block", "hand over", "fragments", "move", "hand over far",
    "fragments far", "move far", "pin", "notice", "datagram out", "packet out",
    "datagram in", "datagram read", "steer", "empty", "completion",
)  # fmt: skip
"""Operations: a program's call; an interrupt; making a process ready, and switching to it; taking a packet from
a ring, merging it, and its way up to TCP; TCP's work on data or on an acknowledgement that arrive; sending a buffer;
cutting a segment off it in software; a fragment of a buffer that arrives, or leaves; a page that is taken off the
core's list and put back, one that passes between the list and the buddy allocator, and a block of pages; a buffer
that passes to another core, a cache line of its fragments' list, a socket that does; these from another socket of the
host; a page that is pinned; a completion of zero copy; UDP's work on a datagram to send, a packet that IP and the
driver send of it, UDP's work on one that has come, and that of its reader; leaving a buffer in the backlog of another
core; a poll that finds nothing; the completion of a buffer that was sent."""
KIB = 1024
_CLASSES = len(CLASSES)
WAYS = 2
"""Ways of the last-level cache that devices write to (Intel, Data Direct I/O Technology: A Primer)."""
STEPS = 16
"""Of a table over the level, in parts of the share."""
_KEPT = tuple(round(1024 * exp(-2 * n / STEPS) * (1 + 2 * n / STEPS)) for n in range(5 * STEPS + 1))

WORDS = Layout("CPU profile")
TIME = WORDS.table("time", _CLASSES, "ns", about="by class")
_REST = WORDS.table("rest", _CLASSES, "ps", about="by class, beside whole ns")
COSTS = WORDS.table("costs", _CLASSES * len(OPERATIONS), "ps", about="by operation and class")
COPIES = WORDS.table("copies", 4, "ps / KiB", about="by where the data are")
SHARE = WORDS.word("share", "bytes", about="of the socket's cache that devices write to")
LEVEL = WORDS.word("level", "bytes", about="that have arrived, and no program has taken")

BUFFERED, CACHED, MEMORY_NEAR, FAR = range(4)
"""Places of data that are copied: the core's own cache, the socket's, memory, or another socket."""


def initial(costs: Mapping[str, Mapping[int, int]], copies: Mapping[int, int], share: int) -> State:
    """State before anything was spent; `costs` in ps of a class, of each operation, `copies` in ps a KiB."""
    table = [costs.get(name, {}).get(cls, 0) for name in OPERATIONS for cls in range(len(CLASSES))]
    return WORDS.initial(costs=table, copies=[copies.get(place, 0) for place in range(4)], share=share)


@machine("network")
def spend(state: NDArray, base: int, operation: int, count: int) -> int:
    """Time in ps of an operation that is done `count` times, which is counted."""
    if count < 0:
        return -1
    total = 0
    row = base + COSTS + _CLASSES * operation
    for number in range(_CLASSES):
        cost = state[row + number] * count
        if cost > 0:
            total += cost
            rest = state[base + _REST + number] + cost
            state[base + TIME + number] += rest // 1000
            state[base + _REST + number] = rest % 1000
    return total


@machine("network")
def stretch(state: NDArray, base: int, operation: int, time: int) -> int:
    """Count `time` ps by which an operation took longer, of each class as much as it has of it. Returns 0."""
    row = base + COSTS + _CLASSES * operation
    total = 0
    for number in range(_CLASSES):
        total += state[row + number]
    for number in range(_CLASSES):
        if total > 0:
            rest = state[base + _REST + number] + time * state[row + number] // total
            state[base + TIME + number] += rest // 1000
            state[base + _REST + number] = rest % 1000
    return 0


@shared
def spend_copy(state: NDArray, base: int, place: int, size: int) -> int:
    """Time in ps of a copy of `size` bytes, which is counted."""
    cost = (state[base + COPIES + place] * size + KIB - 1) // KIB
    rest = state[base + _REST + COPY] + cost
    state[base + TIME + COPY] += rest // 1000
    state[base + _REST + COPY] = rest % 1000
    return cost


@machine("network")
def copy(state: NDArray, base: int, place: int, size: int) -> int:
    """Time in ps of a copy of `size` bytes that are at one place, which is counted."""
    return spend_copy(state, base, place, size) if size >= 0 else -1


@machine("network")
def arrived(state: NDArray, base: int, size: int) -> int:
    """`size` bytes have arrived for a program. Returns 0."""
    state[base + LEVEL] += size
    return 0


@shared
def kept(level: int, share: int) -> int:
    """Parts in 1024 of the oldest of `level` bytes that devices wrote which are still in their share of the cache.

    Devices write to WAYS ways. Pages lie at random, so that of lines that were written since, the number in a set is
    Poisson's with the mean WAYS level / share; the line is there if they are fewer than WAYS.
    """
    if share == 0:
        return 0
    at = level * STEPS
    step = at // share
    if step >= len(_KEPT) - 1:
        return 0
    return _KEPT[step] + (_KEPT[step + 1] - _KEPT[step]) * (at % share) // share


@machine("network")
def take(state: NDArray, base: int, size: int) -> int:
    """A program copies the oldest `size` bytes, from the cache as far as they are there: time in ps, counted."""
    level = state[base + LEVEL]
    state[base + LEVEL] = max(level - size, 0)
    hit = size * kept(level, state[base + SHARE]) // 1024
    return spend_copy(state, base, CACHED, hit) + spend_copy(state, base, MEMORY_NEAR, size - hit)


@machine("network")
def charge(state: NDArray, base: int, number: int, time: int) -> int:
    """Count `time` ps of a class that have passed. Returns 0."""
    rest = state[base + _REST + number] + time
    state[base + TIME + number] += rest // 1000
    state[base + _REST + number] = rest % 1000
    return 0
