"""Loading of a scenario file: its cases, or every problem in it.

`load` reads a scenario; `ScenarioFile` reads one once for many configurations; `resolved` returns a system as plain
data with the origin of every value.
"""

from simio.loading.record import resolved
from simio.loading.scenario import ScenarioFile, load

__all__ = ["ScenarioFile", "load", "resolved"]
