"""bfq: one lock a drive for all its queues and budgets (Linux block/bfq-iosched.c, bfqd->lock)."""

from contextlib import AbstractContextManager
from fractions import Fraction

from simio.components.block.schedulers.scheduler import SCHEDULED, LockingScheduler, register_scheduler

SHARE = {False: Fraction(1), True: Fraction(3, 4)}
"""Shares of the requests of a queue that reads, and synchronous writes, may have (bfq_update_depths)."""


class Bfq(LockingScheduler):
    """Inserts, dispatches, and ends a request under `bfqd->lock`.

    The turn at the end (bfq_finish_requeue_request) is taken with the other two, by the process, not the interrupt.
    """

    turns = 3

    @property
    def cost(self) -> int:
        """CPU time outside of the lock."""
        return self.sheet.bfq_cost

    @property
    def lock_costs(self) -> tuple[int, int]:
        """Time and lines of the three turns."""
        return self.sheet.bfq_held, self.sheet.bfq_lines

    def admitted(self, process: str, writes: bool) -> AbstractContextManager[None]:
        """A process may have its share of the requests of a queue, as all users of the drive weigh the same.

        (bfq_limit_depth, bfqq_request_over_limit.) Here all of them count, also those that have no request then.
        """
        requests = (self.sheet.nr_requests or SCHEDULED) * SHARE[writes] / self.users
        return self._limit(f"{'writes' if writes else 'reads'} of {process}", max(round(requests), 1))


register_scheduler("bfq", Bfq)
