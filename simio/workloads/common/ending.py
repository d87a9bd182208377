"""The end of a workload."""

from __future__ import annotations

from simio.components.site import Site
from simio.description.model import Workload
from simio.errors import RunError


def check_ends(site: Site, workload: Workload, key: str) -> None:
    """Raise RunError for a workload that never ends, as neither its own `key` nor `run.until` has a value."""
    if getattr(workload.params, key) is None and site.system.run.until is None:
        raise RunError(f"workload {workload.name!r} never ends; expected a value of {key} or of run.until", f".{key}")
