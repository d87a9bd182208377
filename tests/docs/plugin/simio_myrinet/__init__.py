"""Raw Myrinet for simio: a kind of adapter, a kind of link, and workloads that send frames and packets."""

from simio.description.sheets import register_sheet
from simio.description.workloads import register_workload
from simio.lower import register_lowering

from . import offline  # noqa: F401  (registers a kind of fault)
from .frames import frames
from .paced import paced
from .probe import probe
from .shaped import shaped
from .sheets import Frames, MyrinetAdapter, MyrinetLink, Paced, Probe, Shaped


def register() -> None:
    """Called by simio when it loads its plug-ins."""
    register_sheet("adapter", "myrinet", MyrinetAdapter)
    register_sheet("link", "myrinet", MyrinetLink)
    register_workload("frames", Frames)
    register_workload("paced", Paced)
    register_workload("probe", Probe)
    register_workload("shaped", Shaped)
    register_lowering("frames", frames)
    register_lowering("paced", paced)
    register_lowering("probe", probe)
    register_lowering("shaped", shaped)
