"""kyber: queues of each hardware queue, and tokens of a drive, by kind of request (Linux block/kyber-iosched.c).

Its locks are those of a software queue and of a hardware queue, so that cores with queues of their own do not wait
for one another. Its tokens are those of the drive: bits that all cores set and clear.
"""

from contextlib import AbstractContextManager
from zlib import crc32

from simio.components.block.cores import Cores
from simio.components.block.schedulers.scheduler import Scheduler, register_scheduler
from simio.machines.block import locking
from simio.program.builder import Builder

TOKEN_LINES = 2
"""Lines that a token moves: a word of bits when it is taken, that of cleared bits when it is given back, each in a
line of its own (Linux include/linux/sbitmap.h, struct sbitmap_word)."""
WORDS = 4
"""Words of 64 bits that hold the 256 tokens of reads (kyber_depth). A core begins at a random bit, for which a hash
of its number and its drive stands, and then takes the one that it has given back last (lib/sbitmap.c, alloc_hint), so
that it stays in its word."""

DEPTH = {False: 256, True: 128}
"""Tokens of a drive for reads, and for writes (kyber_depth, at most so many under way)."""


class Kyber(Scheduler):
    """Costs time, and moves the lines of a token if another core was the last at that word."""

    def __init__(self, p: Builder, cores: Cores, drive: str, users: int = 1) -> None:
        super().__init__(p, cores, drive, users)
        self.words = [self._lines(f" word {word}", moved=TOKEN_LINES) for word in range(WORDS)]

    @property
    def cost(self) -> int:
        """CPU time of insertion, token, dispatch, and the latency histogram at the end."""
        return self.sheet.kyber_cost

    def submit(self, process: int, core: int) -> None:
        """Take a token; that of the request before was given back."""
        p, word = self.p, self.words[crc32(f"{self.drive} {core}".encode()) % WORDS]
        with p.scope():
            moved = p.answer(locking.turn, word, core)
            with p.when(moved > 0):
                self._spend(moved, process)

    def admitted(self, process: str, writes: bool) -> AbstractContextManager[None]:
        """A request needs a token of its kind until its end; those that find none wait in line."""
        return self._limit("kyber's write tokens" if writes else "kyber's read tokens", DEPTH[writes])


register_scheduler("kyber", Kyber)
