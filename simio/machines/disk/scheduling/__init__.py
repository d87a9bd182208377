"""Disk scheduling, the choice of a free arm's next command: a policy a file, as for TCP's congestion controls."""

from simio.machines.disk.scheduling.interface import SCHEDULING, Scheduling, angle_known_at, cost
from simio.machines.strategies import import_all

__all__ = ["SCHEDULING", "Scheduling", "angle_known_at", "cost"]

import_all(__name__)
