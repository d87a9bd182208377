"""kyber: queues of each hardware queue, and tokens of a drive, by kind of request (Linux block/kyber-iosched.c).

Its locks are those of a software queue and of a hardware queue, so that cores with queues of their own do not wait
for one another. Its tokens are those of the drive: bits that all cores set and clear.
"""

from simio.components.block.cores import Cores
from simio.components.block.schedulers.scheduler import Scheduler, register_scheduler
from simio.program.builder import Builder

TOKEN_LINES = 2
"""Lines that a token moves: a word of bits when it is taken, that of cleared bits when it is given back, each in a
line of its own (Linux include/linux/sbitmap.h, struct sbitmap_word). Of 256 tokens for reads there are four words, so
that with two cores and more others have nearly always been at them since."""


class Kyber(Scheduler):
    """Costs time, and moves the lines of a token if another core was the last to take one."""

    def __init__(self, p: Builder, cores: Cores, drive: str) -> None:
        super().__init__(p, cores, drive)
        self.tokens = self._lines(moved=TOKEN_LINES)

    @property
    def cost(self) -> int:
        """Of insertion, token, dispatch, and the latency histogram at the end."""
        return self.sheet.kyber_cost

    def submit(self, process: int, core: int) -> None:
        """Take a token; that of the request before was given back."""
        with self.p.scope():
            self._turn(self.tokens, process, core)


register_scheduler("kyber", Kyber)
