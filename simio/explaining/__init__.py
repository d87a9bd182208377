"""Explanations of a result: the time of a unit of work, stage by stage, and the gain of each change."""

from simio.explaining.causal import profile
from simio.explaining.stages import waterfall

__all__ = ["profile", "waterfall"]
