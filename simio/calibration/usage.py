"""The numbers of the catalogue that a system is made of, and the range in which each may lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simio.calibration.values import CatalogueValue, catalogue_value
from simio.description.model import Part, System
from simio.errors import ScenarioError
from simio.loading.catalogue import Catalogue, UnknownPart
from simio.running import parts as parts_of

ASSUMED = 1.25
"""An assumed time or rate without an interval may be this factor larger or smaller."""
_BY_RULE = ("time", "rate")


@dataclass(frozen=True)
class Range:
    """The range of a value; `stated` if its datasheet gives it, else by the rule for assumed values."""

    value: CatalogueValue
    low: float
    high: float
    stated: bool


def values_of(system: System, parts: Catalogue, folder: Path) -> list[CatalogueValue]:
    """Every number above zero of the datasheets in use that the scenario does not override, each once.

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
    networked = any(workload.params.network for workload in system.workloads.values())
    for part in parts_of(system):
        if part.category != "stack" or networked:
            yield part


def _of_part(part: Part, parts: Catalogue, folder: Path) -> Iterator[CatalogueValue]:
    try:
        entry = parts.find(part.model, part.category, folder)
    except (UnknownPart, ScenarioError):
        # The part of a host in a folder of its own, whose path begins there: its origin is not known here.
        return
    for key in entry.values:
        origin = part.origins.get(key)
        if origin is None or origin.where != "catalogue":
            continue
        value = catalogue_value(entry, key)
        if value is not None:
            yield value


def range_of(value: CatalogueValue) -> Range | None:
    """The stated interval, or the rule for an assumed time or rate; None for what counts as certain."""
    if value.interval is not None:
        low, high = value.interval
        return Range(value, low, high, True) if low < high else None
    if value.basis == "assumed" and value.dimension in _BY_RULE:
        return Range(value, value.number / ASSUMED, value.number * ASSUMED, False)
    return None
