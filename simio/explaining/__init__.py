"""Why a result is what it is: where the time of a unit of work goes, and what would be gained by which change."""

from .causal import profile
from .stages import waterfall

__all__ = ["profile", "waterfall"]
