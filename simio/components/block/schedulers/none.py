"""none: a request goes straight from the process to the hardware queue of its core."""

from simio.components.block.schedulers.scheduler import Scheduler, register_scheduler

register_scheduler("none", Scheduler)
