"""kyber: queues and tokens of each hardware queue, by kind of request (Linux block/kyber-iosched.c).

Its locks are those of a software queue and of a hardware queue, so that cores with queues of their own do not meet.
"""

from simio.components.block.schedulers.scheduler import Scheduler, register_scheduler


class Kyber(Scheduler):
    """Costs time, and locks nothing that cores share."""

    @property
    def cost(self) -> int:
        """Of insertion, token, dispatch, and the latency histogram at the end."""
        return self.sheet.kyber_cost


register_scheduler("kyber", Kyber)
