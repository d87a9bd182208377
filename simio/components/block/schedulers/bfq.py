"""bfq: one lock a drive for all its queues and budgets (Linux block/bfq-iosched.c, bfqd->lock)."""

from simio.components.block.schedulers.scheduler import LockingScheduler, register_scheduler


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


register_scheduler("bfq", Bfq)
