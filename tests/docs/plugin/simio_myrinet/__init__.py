"""Raw Myrinet for simio: a kind of adapter, a kind of link, and workloads that send frames and packets."""

from simio.description.sheets import register_sheet

from . import frames, offline, paced, probe, shaped  # noqa: F401  (each registers its kind of workload or fault)
from .sheets import MyrinetAdapter, MyrinetLink


def register() -> None:
    """Called by simio when it loads its plug-ins."""
    register_sheet("adapter", "myrinet", MyrinetAdapter)
    register_sheet("link", "myrinet", MyrinetLink)
