"""netperf: what its tests print, as quantities of a measured table."""

from simio.formats.netperf.results import netperf_results

__all__ = ["netperf_results"]
