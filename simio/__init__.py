"""simio: a discrete-event simulator of end-to-end I/O paths, from the platter to the wire."""

from simio.api import Study, load
from simio.version import VERSION as __version__

__all__ = ["Study", "__version__", "load"]
