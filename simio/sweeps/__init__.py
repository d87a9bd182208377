"""Many runs in one call, on one machine or on a cluster."""

from simio.sweeps.run import run_many
from simio.sweeps.work import Task, run_case_of

__all__ = ["Task", "run_case_of", "run_many"]
