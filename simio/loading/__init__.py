"""From a scenario file to its cases, or to every fault in it.

`load` reads a scenario, `Source` reads it once for many configurations; `resolved` gives one of its systems back as
plain data with the origin of every value.
"""

from simio.loading.record import resolved
from simio.loading.scenario import Source, load

__all__ = ["Source", "load", "resolved"]
