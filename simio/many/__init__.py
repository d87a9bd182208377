"""Many runs: one call for whoever needs more than one, on one machine or on a cluster."""

from .run import run_many
from .work import Task, run_case_of

__all__ = ["Task", "run_case_of", "run_many"]
