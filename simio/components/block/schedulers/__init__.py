"""I/O schedulers of the block layer, one a file; each registers itself by its name."""

from simio.components.block.schedulers.scheduler import SCHEDULED, SCHEDULERS, Scheduler, register_scheduler
from simio.machines.strategies import import_all

__all__ = ["SCHEDULED", "SCHEDULERS", "Scheduler", "register_scheduler"]

import_all(__name__)
