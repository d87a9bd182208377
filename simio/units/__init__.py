"""Quantities as people write them ("64 KiB", "81.2 MB/s") and as simio computes with them.

A closed table of units, exact throughout: times are whole picoseconds and sizes whole bytes (int), all else is a
rational number (Fraction) of its base unit. Ambiguous spellings ("KB", "Mbps", "M") are refused, and the message
names their meanings. Decimal prefixes are those of the SI, binary ones of IEC 80000-13.
"""

from simio.units.reading import parse, regex
from simio.units.table import DIMENSIONS, LIMIT, Dimension, UnitError, dimension_of, example, units_of
from simio.units.writing import convert, format_quantity

__all__ = [
    "DIMENSIONS", "LIMIT", "Dimension", "UnitError", "convert", "dimension_of", "example", "format_quantity", "parse",
    "regex", "units_of",
]  # fmt: skip
