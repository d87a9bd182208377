"""Why a result is what it is: where the time of a unit of work goes, and what would be gained by which change."""

from simio.explaining.causal import profile
from simio.explaining.stages import waterfall

__all__ = ["profile", "waterfall"]
