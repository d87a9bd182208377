"""mq-deadline: one lock a drive for its sorted tree and its deadlines (Linux block/mq-deadline.c, dd->lock)."""

from simio.components.block.schedulers.scheduler import LockingScheduler, register_scheduler


class MqDeadline(LockingScheduler):
    """Inserts under `dd->lock` (dd_insert_requests) and dispatches under it (dd_dispatch_request)."""

    @property
    def cost(self) -> int:
        """CPU time outside of the lock: allocation of the scheduler's request and tag, the run of the queue."""
        return self.sheet.mq_deadline_cost

    @property
    def lock_costs(self) -> tuple[int, int]:
        """Time and lines of both turns."""
        return self.sheet.mq_deadline_held, self.sheet.mq_deadline_lines


register_scheduler("mq-deadline", MqDeadline)
