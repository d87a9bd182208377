"""Workloads: the parameters of each kind of application program; one file a field of them."""

from simio.description.workloads import copies, play, storage, traffic  # noqa: F401  (each registers its kinds)
from simio.description.workloads.base import (
    REFERRED,
    DiskGroup,
    HostName,
    Refers,
    Storage,
    WorkloadParams,
    references,
    register_workload,
    workload_kinds,
    yaml_key,
)

__all__ = [
    "REFERRED",
    "DiskGroup",
    "HostName",
    "Refers",
    "Storage",
    "WorkloadParams",
    "references",
    "register_workload",
    "workload_kinds",
    "yaml_key",
]
