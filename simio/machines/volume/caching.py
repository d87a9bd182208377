"""Words of a cache of blocks (`buckets`), and the state that it begins with."""

from __future__ import annotations

from dataclasses import dataclass

from simio.machines.layout import Layout, State

SECOND = 10**12
FEW = 8
"""Bound of the flags that an answer has beside an address."""
COUNTED = 4096
"""Above the most blocks of a run."""
REGIONS = 4096
"""Parts of the cached device, each with a list of its dirty blocks."""
RECENT = 128
"""Requests that are remembered to find sequences (RECENT_IO)."""
REMEMBERED = 5 * SECOND
"""Time for which they are, in ps (check_should_bypass)."""
FULL = 95
"""Percentage of buckets with dirty blocks above which nothing is added (CUTOFF_CACHE_ADD)."""
INTERVAL = 5
"""Seconds from one setting of the rate to the next (WRITEBACK_RATE_UPDATE_SECS_DEFAULT)."""
PROPORTIONAL, INTEGRAL_PART = 40, 10000
"""Divisors of the error and of its integral in the controller (writeback_rate_p_term_inverse, _i_term_inverse)."""
LEAST, MOST = 8 * 512, 2**40
"""Bytes a second of the rate (writeback_rate_minimum is 8 sectors)."""
FIRST = 1024 * 512
"""Bytes a second before the rate is first set."""
ABSENT, CLEAN, DIRTY, FLYING = range(4)
"""States of a slot: no block, one as on the cached device, one that is newer, the same on its way there."""
AROUND, THROUGH, BACK = range(3)
"""Destinations of a write: the cached device, both, the cache."""
HIT, PARTLY, PASSING = 1, 2, 4
"""Flags of a read: all of it is there; some is there and dirty; nothing is to be added."""

WORDS = Layout("cache of blocks")
UNIT = WORDS.word("unit", "bytes", about="of a block")
SLOTS = WORDS.word("slots", "blocks")
WIDTH = WORDS.word("width", "blocks", about="of a bucket")
MODE = WORDS.word("mode", about="of writes: 0 around the cache, 1 through it, 2 back")
CUTOFF = WORDS.word("cutoff", "bytes", about="of a sequence from which on it passes by; 0: never")
LIMIT = WORDS.word("limit", "%", about="of buckets with dirty blocks, above which writes go through")
TARGET = WORDS.word("target", "bytes", about="dirty, that the controller holds; 0: the fewer, the better")
REGION = WORDS.word("region", "blocks", about="of the cached device in a region")
RUN = WORDS.word("run", "blocks", about="that are written back at once, where so many lie together")
OPEN = WORDS.word("open", about="bucket that is filled")
FILLED = WORDS.word("filled", "blocks", about="of it")
CLOCK = WORDS.word("clock", about="uses of buckets so far")
BLOCKS = WORDS.word("dirty", "blocks", about="dirty or flying")
BYTES = WORDS.word("bytes", "bytes", about="the same")
PINNED = WORDS.word("pinned", "buckets", about="that have such blocks")
CURSOR = WORDS.word("cursor", "", about="block from which writeback goes on")
ASLEEP = WORDS.word("asleep", about="1 while writeback waits for dirty blocks")
RATE = WORDS.word("rate", "bytes/s", initial=FIRST)
NEXT = WORDS.word("next", "ps", about="when writeback may go on")
SET = WORDS.word("set", "ps", about="when the rate was set")
INTEGRAL = WORDS.word("integral", "bytes s", about="of the error")
HITS = WORDS.word("hits", "requests")
MISSES = WORDS.word("misses", "requests")
PASSED = WORDS.word("passed", "requests", about="that passed by")
OVER = WORDS.word("over", "requests", about="writes that went through for want of clean buckets")
WRITTEN = WORDS.word("written", "bytes", about="written back")
CHAINS_AT = WORDS.word("chains at", about="where chains begin")
BUCKETS_AT = WORDS.word("buckets at", about="where buckets begin")
RECENTS = WORDS.table("recents", 3 * RECENT, about="three words each: end, bytes so far, and when it was last")
REGION_LISTS = WORDS.table("regions", REGIONS, about="first dirty slot of each, plus 1")
TABLE = WORDS.table("blocks", about="four words a slot: block plus 1, state, next of its chain, next of its region")
WORDS.later("chains", about="first slot of each, plus 1; a block is in that of its number")
WORDS.later("buckets", about="two words each: when it was used last, and dirty blocks")
SLOT = 4
"""Words of a slot."""


@dataclass(frozen=True)
class Cache:
    """Sizes of a cache: bytes of a block, blocks, blocks of a bucket, and bytes of the device behind it.

    `mode` is the destination of writes, `cutoff` the bytes of a sequence that passes by, or 0; `limit` and `target`
    are as the words of the state, `run` blocks are written back at once, `warm` bytes are there at the beginning.
    """

    unit: int
    slots: int
    width: int
    capacity: int
    mode: int
    cutoff: int
    limit: int
    target: int
    run: int
    warm: int

    def initial(self) -> State:
        """State of the cache, with the first bytes of the device in it, clean."""
        kept, chains = min(self.warm // self.unit, self.slots), TABLE + SLOT * self.slots
        table = [0] * (SLOT * self.slots)
        for slot in range(kept):
            table[SLOT * slot : SLOT * slot + 2] = [slot + 1, CLEAN]
        last = max(kept - 1, 0) // self.width
        return WORDS.initial(
            unit=self.unit, slots=self.slots, width=self.width, mode=self.mode, cutoff=self.cutoff,
            limit=self.limit, target=self.target, region=-(-self.capacity // (self.unit * REGIONS)), run=self.run,
            open=last, filled=kept - last * self.width, clock=1, blocks=table,
            chains=[slot + 1 if slot < kept else 0 for slot in range(self.slots)],
            buckets=[0] * (2 * (self.slots // self.width)),
            **{"chains at": chains, "buckets at": chains + self.slots},
        )  # fmt: skip
