"""The places of fio's requests, file by file, and the ring of completions that a process has not looked at yet.

Places come in sequence, by a random map that visits each block once, or by a distribution whose ranks are scattered
over the range.  A map is a permutation of the blocks: a Feistel network over the next even power of two, whose values
beyond the range are mapped again (J. Black and P. Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).  So
it takes no memory, however many blocks there are; fio keeps a bit for each (lib/axmap.c).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numpy.typing import NDArray

from simio.machines.door import machine
from simio.machines.layout import Layout, State
from simio.machines.shared import shared

FILES = Layout("files")
COUNT = FILES.word("count", "files")
TURN = FILES.word("turn", about="file that has the next request")
SERVED = FILES.word("served", "requests", about="requests that it has had in its turn")
HOLE = FILES.word("hole", "bytes", about="between two sequential requests")
ROWS = FILES.table("rows")

FILE = Layout("file")
START = FILE.word("start", "bytes", about="first byte on the device")
SPAN = FILE.word("span", "bytes", about="bytes that requests go to")
DEVICE = FILE.word("device", about="number of the device that it is on")
KEY = FILE.word("key", about="of the present permutation")
PASSED = FILE.word("passed", "blocks", about="visited by the present permutation")
POSITIONS = FILE.table("positions", 2, "bytes", about="behind the last request, of reads and of writes")
COLUMNS = FILE.size

RING = Layout("completions")
ROOM = RING.word("room", "requests")
PUT = RING.word("put", "requests", about="completed so far")
TAKEN = RING.word("taken", "requests", about="looked at so far")
SLOTS = RING.table("slots")

SLOT = Layout("completion")
BEGUN = SLOT.word("begun", "ps", about="twice the start of the request, and 1 more for a write")
SUBMITTED = SLOT.word("submitted", "ps", about="end of its submission")
SLOT_SIZE = SLOT.size

RANKS = Layout("ranks")
BLOCKS = RANKS.word("blocks", "blocks", about="of the range")
SCATTERED = RANKS.word("scattered", about="1 if ranks are scattered over the range")
ZONES = RANKS.table("zones", about="first rank and number of ranks of each zone")

ROUNDS = 4
"""Rounds of the Feistel network; three do if they mix perfectly (Luby and Rackoff, SIAM J. Comput. 17(2), 1988)."""
MIX = 0x9E3779B1
"""The golden ratio times 2**32, an odd number that mixes bits well (D. E. Knuth, TAOCP 3, section 6.4)."""
WORD = 2**31 - 1
"""Bound of the keys."""
UNIT = 2**31
"""A random number from 0 to below this stands for a share of a zone."""
MOST_BLOCKS = 2**40
"""Blocks of a file, whose permutation 64 bits compute."""
SCATTER = 0x2545F491
"""Key of the permutation that scatters ranks: the same in all runs, as fio's hash is."""


def files(rows: Iterable[tuple[int, int, int]], hole: int) -> State:
    """The state before the first request: start and span in bytes, and device of each file."""
    table = [word for start, span, device in rows for word in (start, span, device, 0, 0, 0, 0)]
    return FILES.initial(count=len(table) // COLUMNS, hole=hole, rows=table)


def ring(room: int) -> State:
    """A ring for `room` completions."""
    return RING.initial(room=room, slots=[0] * (SLOT_SIZE * room))


def ranks(zones: Sequence[tuple[int, int]], blocks: int, scattered: bool) -> State:
    """Zones of a distribution: first rank and number of ranks each."""
    return RANKS.initial(blocks=blocks, scattered=int(scattered), zones=[word for zone in zones for word in zone])


@machine("fio")
def turn(state: NDArray, base: int, served: int) -> int:
    """The file of the next request, each having `served` in its turn."""
    if state[base + SERVED] >= served:
        state[base + SERVED] = 0
        state[base + TURN] = (state[base + TURN] + 1) % state[base + COUNT]
    state[base + SERVED] += 1
    return state[base + TURN]


@machine("fio")
def device(state: NDArray, base: int, file: int) -> int:
    """The number of the device that a file is on."""
    return state[base + ROWS + COLUMNS * file + DEVICE]


@machine("fio")
def sequential(state: NDArray, base: int, which: int, size: int) -> int:
    """The place of a request behind the last one; `which` is twice the file, and 1 more for a write.

    At the end of the file the next one is at its beginning again.
    """
    row = base + ROWS + COLUMNS * (which // 2)
    at = state[row + POSITIONS + which % 2]
    if at:
        at += state[base + HOLE]
    if at + size > state[row + SPAN]:
        at = 0
    state[row + POSITIONS + which % 2] = at + size
    return state[row + START] + at


@machine("fio")
def repeated(state: NDArray, base: int, which: int, size: int) -> int:
    """The place of the last request, once more."""
    row = base + ROWS + COLUMNS * (which // 2)
    return state[row + START] + max(state[row + POSITIONS + which % 2] - size, 0)


@machine("fio")
def placed(state: NDArray, base: int, which: int, offset: int) -> int:
    """The place of a request at an offset in a file."""
    row = base + ROWS + COLUMNS * (which // 2)
    state[row + POSITIONS + which % 2] = offset
    return state[row + START] + offset


@machine("fio")
def moved(state: NDArray, base: int, which: int, size: int) -> int:
    """A request that was placed has this size, so that the next in sequence begins behind it."""
    at = base + ROWS + COLUMNS * (which // 2) + POSITIONS + which % 2
    state[at] += size
    return 0


@machine("fio")
def keyed(state: NDArray, base: int, file: int, key: int) -> int:
    """The permutation of a file begins with this key."""
    state[base + ROWS + COLUMNS * file + KEY] = key
    return 0


@machine("fio")
def mapped(state: NDArray, base: int, file: int, blocks: int) -> int:
    """The next of the `blocks` of a file by its permutation; when all were visited, another permutation begins."""
    row = base + ROWS + COLUMNS * file
    number = state[row + PASSED]
    found = permuted(number, blocks, state[row + KEY])
    state[row + PASSED] = number + 1
    if number + 1 >= blocks:
        state[row + PASSED] = 0
        state[row + KEY] = (state[row + KEY] * MIX + 1) % WORD
    return found


@machine("fio")
def ranked(state: NDArray, base: int, zone: int, share: int) -> int:
    """A block of a zone, at `share` of `UNIT` of its ranks."""
    row = base + ZONES + 2 * zone
    count = state[row + 1]
    rank = state[row] + count // UNIT * share + count % UNIT * share // UNIT
    if state[base + SCATTERED] == 0:
        return rank
    return permuted(rank, state[base + BLOCKS], SCATTER)


@machine("fio")
def completed(state: NDArray, base: int, begun: int, submitted: int) -> int:
    """A request is complete: twice its start, and 1 more for a write, and the end of its submission, in ps."""
    if state[base + PUT] - state[base + TAKEN] >= state[base + ROOM]:
        return -1
    slot = base + SLOTS + SLOT_SIZE * (state[base + PUT] % state[base + ROOM])
    state[slot + BEGUN] = begun
    state[slot + SUBMITTED] = submitted
    state[base + PUT] += 1
    return 0


@machine("fio")
def oldest(state: NDArray, base: int) -> int:
    """The start of the oldest completion that nobody has looked at, as `completed` noted it."""
    if state[base + PUT] == state[base + TAKEN]:
        return -1
    return state[base + SLOTS + SLOT_SIZE * (state[base + TAKEN] % state[base + ROOM]) + BEGUN]


@machine("fio")
def reaped(state: NDArray, base: int) -> int:
    """The end of the submission of that one, which is looked at now."""
    if state[base + PUT] == state[base + TAKEN]:
        return -1
    state[base + TAKEN] += 1
    return state[base + SLOTS + SLOT_SIZE * ((state[base + TAKEN] - 1) % state[base + ROOM]) + SUBMITTED]


@machine("fio")
def ready(state: NDArray, base: int) -> int:
    """Completions that nobody has looked at."""
    return state[base + PUT] - state[base + TAKEN]


@shared
def permuted(number: int, count: int, key: int) -> int:
    """The number, from 0 to below `count`, that a permutation has in place of another one."""
    half = 1
    while (1 << (2 * half)) < count:
        half += 1
    found = _feistel(number, half, key)
    while found >= count:
        found = _feistel(found, half, key)
    return found


@shared
def _feistel(number: int, half: int, key: int) -> int:
    mask = (1 << half) - 1
    left, right = number >> half, number & mask
    for step in range(ROUNDS):
        mixed = (right + key + step * 0x3C6EF35F) % WORD
        mixed = (mixed * MIX) % (WORD * 2 + 2)
        mixed = mixed ^ (mixed >> 15)
        mixed = (mixed * 0x2C1B3C6D) % (WORD * 2 + 2)
        left, right = right, left ^ ((mixed >> 7) & mask)
    return (left << half) | right
