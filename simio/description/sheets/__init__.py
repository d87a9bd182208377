"""Datasheets: which values each kind of part has; one file a kind of component."""

from . import buses, controllers, disks, fibre_channel, hippi, hosts, kernels  # noqa: F401  (each registers its sheets)
from .base import CLASSES, Sheet, register_sheet, sheet_kinds

__all__ = ["CLASSES", "Sheet", "register_sheet", "sheet_kinds"]
