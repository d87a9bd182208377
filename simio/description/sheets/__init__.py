"""Datasheets: the values of each kind of part; one file a kind of component."""

from simio.description.sheets import (  # noqa: F401  (each registers its sheets)
    atm,
    buses,
    cloud,
    controllers,
    disks,
    emulated,
    ethernet,
    fddi,
    fibre_channel,
    filesystems,
    hippi,
    hosts,
    ipi,
    kernels,
    linux,
    network,
    nvme,
    pcie,
    remote,
    scsi,
    serial,
    stacks,
)
from simio.description.sheets.base import CATEGORIES, Sheet, register_sheet, sheet_kinds

__all__ = ["CATEGORIES", "Sheet", "register_sheet", "sheet_kinds"]
