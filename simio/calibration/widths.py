"""The width of assumed values: the distance of assumptions of the same class from the values found later."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from simio import units
from simio.loading.catalogue import data_root
from simio.loading.yamltree import parse_yaml
from simio.reading import read_file

CLASSES = ("time", "size", "rate", "share", None)
"""Dimensions of values that vary without a stated interval; None is that of a count. Others, such as clocks, are
choices of a part and count as certain."""
FEW = 4
"""Comparisons below which a class takes the width of all classes together."""
NORMAL_QUARTILE = 0.6745
"""The median of the absolute value of a normal deviate, in standard deviations."""


def deviation(dimension: str | None) -> float | None:
    """The standard deviation of log(true / assumed) of a class of values; None for one that counts as certain.

    From the median of the absolute deviations that the class has shown, which a few gross errors do not move
    (Hampel, J. Am. Stat. Assoc. 69, 1974).
    """
    if dimension not in CLASSES:
        return None
    found = _shown()
    own = found.get(dimension, [])
    known = own if len(own) >= FEW else [each for errors in found.values() for each in errors]
    return median(known) / NORMAL_QUARTILE if known else None


@cache
def _shown() -> dict[str | None, list[float]]:
    """|log(became / assumed)| of each recorded value, by dimension."""
    file = Path(data_root("simio.validation")) / "values" / "assumed.yaml"
    listed: Any = parse_yaml(read_file(file), str(file)).plain()
    found: dict[str | None, list[float]] = {}
    for row in listed["values"]:
        for dimension in CLASSES:
            try:
                ends = [_number(row[key], dimension) for key in ("assumed", "became")]
            except (units.UnitError, ValueError):
                continue
            found.setdefault(dimension, []).append(abs(math.log(ends[1] / ends[0])))
            break
    return found


def _number(written: object, dimension: str | None) -> float:
    return float(units.parse(str(written), dimension)) if dimension else float(str(written))
