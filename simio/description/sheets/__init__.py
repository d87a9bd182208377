"""Datasheets: the values of each kind of part; one file a kind of component, imported when the kind is first used."""

from simio.description.sheets.base import CATEGORIES, Sheet
from simio.description.sheets.kinds import register_sheet, sheet_kinds

__all__ = ["CATEGORIES", "Sheet", "register_sheet", "sheet_kinds"]
