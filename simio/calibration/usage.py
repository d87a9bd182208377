"""The numbers of the catalogue that a system is made of, and the range in which each may lie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from simio.calibration.values import CatalogueValue, catalogue_value
from simio.calibration.widths import deviation
from simio.description.model import Part, System
from simio.description.parts import parts as parts_of
from simio.errors import ScenarioError
from simio.loading.catalogue import Catalogue, UnknownPart
from simio.studies.summary import UNSOURCED

END = 1.6449
"""Ends of a range, in standard deviations about the value: 90 % of a normal distribution lie between them."""
LEAST = Fraction(1, 1000)
"""The share of a value that stands for a lower end of zero."""


@dataclass(frozen=True)
class Range:
    """The range that holds a value with 90 %; `stated` if its datasheet gives it, else that of its class."""

    value: CatalogueValue
    low: float
    high: float
    stated: bool

    @property
    def unsourced(self) -> bool:
        """True if no source gives the value."""
        return self.value.basis in UNSOURCED

    @property
    def harmful(self) -> int:
        """The side, 1 or -1, on which a value is expected to slow things down: longer times, less of all else."""
        return 1 if self.value.dimension == "time" else -1

    def at(self, score: float) -> float:
        """The value at a score in standard deviations, log-normal on either side; a count is a whole number."""
        number = self.value.number
        low = max(self.low, number * float(LEAST))
        end = self.high if score > 0 else low
        found = number * (end / number) ** (abs(score) / END)
        if self.value.dimension == "share":
            found = min(found, 1.0) if number <= 1 else found
        if self.value.dimension is None and score:
            # A count moves by one at least, but is one at least.
            away = max(abs(round(found) - number), 1)
            found = max(number + math.copysign(away, score), 1)
        return found


def values_of(system: System, parts: Catalogue, folder: Path) -> list[CatalogueValue]:
    """Every number above zero of the datasheets in use, given or default, that the scenario does not override, once.

    `folder` is where the paths of the user's own datasheets begin. Values that only some of the parts of a datasheet
    have from it count as in use.
    """
    found: dict[str, CatalogueValue] = {}
    for part in used_parts(system):
        for value in _of_part(part, parts, folder):
            found.setdefault(value.name, value)
    return list(found.values())


def used_parts(system: System) -> Iterator[Part]:
    """The parts of a system; protocol stacks only where a workload goes over the network."""
    networked = any(workload.params.sends_packets for workload in system.workloads.values())
    for part in parts_of(system):
        if part.category != "stack" or networked:
            yield part


def _of_part(part: Part, parts: Catalogue, folder: Path) -> Iterator[CatalogueValue]:
    try:
        entry = parts.find(part.model, part.category, folder)
    except (UnknownPart, ScenarioError):
        # The part of a host in a folder of its own, whose path begins there: its origin is not known here.
        return
    for key, origin in part.origins.items():
        if origin.where == "scenario":
            continue
        value = catalogue_value(entry, key)
        if value is not None:
            yield value


def range_of(value: CatalogueValue) -> Range | None:
    """The stated interval, or the width of its class for a value without source; None for what counts as certain."""
    if value.interval is not None:
        low, high = value.interval
        return Range(value, low, high, True) if low < high else None
    width = deviation(value.dimension) if value.basis in UNSOURCED else None
    if width is None:
        return None
    factor = math.exp(END * width)
    return Range(value, value.number / factor, value.number * factor, False)
