"""Numeric values of the catalogue as numbers to be varied, and as text for a datasheet."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from simio import units
from simio.description.quantities import quantity_of
from simio.errors import Problem, ScenarioError
from simio.loading.catalogue import Catalogue, CatalogueEntry, ValueEntry
from simio.loading.datasheet import FitRecord
from simio.loading.parts import default_text
from simio.loading.problems import field_named
from simio.studies.rows import named_in

FLOOR = 1e-3
"""A bound of zero stands for this share of the upper one, since values are searched by their logarithms."""
STEP, COARSE_STEP = 0.03, 0.2
"""Steps of finite differences, in the logarithm: of quantities, and of sizes and counts, which are whole."""
KIB = 1024
PAGE = 4 * KIB


@dataclass(frozen=True)
class CatalogueValue:
    """One number of a datasheet: in the unit that simio computes in, and in the unit of the datasheet.

    `interval` and `bounds` are in the former; `studies` are those that `source` names, of the ones there are.
    """

    part: str
    key: str
    file: Path
    dimension: str | None
    unit: str
    number: float
    basis: str
    source: str
    interval: tuple[float, float] | None = None
    bounds: tuple[float, float] | None = None
    studies: tuple[str, ...] = ()
    fit: FitRecord | None = None
    written: str = ""

    @property
    def name(self) -> str:
        """Datasheet and key: ``adapters/iris-hippi.receive_cost``."""
        return f"{self.part}.{self.key}"

    @property
    def at(self) -> tuple[str, str]:
        """Datasheet and key, as an overlay wants them."""
        return self.part, self.key

    @property
    def step(self) -> float:
        """The step of finite differences, in the logarithm; of a size, so large that its text changes."""
        if self.dimension == "size":
            return max(COARSE_STEP, math.log1p(self._grain / self.number))
        return COARSE_STEP if self.dimension is None else STEP

    @property
    def limits(self) -> tuple[float, float]:
        """Natural logarithms of the bounds; see `FLOOR`."""
        assert self.bounds is not None
        low, high = self.bounds
        return math.log(max(low, high * FLOOR)), math.log(high)

    def text(self, number: float, digits: int = 4) -> str:
        """A number in the unit that simio computes in, as text in the unit of the datasheet."""
        rounded = Fraction(f"{number:.{digits - 1}e}")
        if self.dimension is None:
            return str(max(1, round(number)))
        if self.dimension == "size":
            rounded = Fraction(max(1, round(number / self._grain)) * self._grain)
        elif self.dimension == "time":
            rounded = Fraction(round(rounded))
        return units.format_quantity(rounded, self.dimension, self.unit, digits=None)

    @property
    def _grain(self) -> int:
        """The grain of a size: the common divisor of it, the ends of its range and a page.

        So a datasheet whose sizes are multiples of a block allows it. Without such ends these are whole KiB.
        """
        ends = self.bounds or self.interval
        sizes = (self.number, *(ends or ()))
        if any(size % KIB for size in sizes):
            return 1
        return math.gcd(PAGE, *map(int, sizes)) if ends else KIB

    def read(self, text: str) -> float:
        """The number that a text of :meth:`text` stands for."""
        return float(text) if self.dimension is None else float(units.parse(text, self.dimension))


def catalogue_value(entry: CatalogueEntry, key: str, tables: Iterable[str] = ()) -> CatalogueValue | None:
    """The value of a datasheet, or its default, as a number; None for a word, a switch, a list, or zero."""
    value = entry.values.get(key) or default_value(entry, key)
    number = _number(value.value)
    if number is None or number <= 0:
        return None
    quantity = quantity_of(field_named(type(entry.sheet), key))
    if quantity is None and not isinstance(value.value, int):
        return None
    known = set(tables)
    return CatalogueValue(
        entry.name,
        key,
        entry.file,
        quantity.dimension if quantity else None,
        _unit(value) if quantity else "",
        number,
        value.basis,
        value.source,
        _ends(value.interval),
        _ends(value.bounds),
        (
            *(name for name in named_in(value.source) if name in known),
            *(name for name in known if _names_own(value.source, name)),
        ),
        value.fit,
        value.text,
    )


def default_value(entry: CatalogueEntry, key: str) -> ValueEntry:
    """The default that stands for a value which a datasheet leaves out."""
    fields = type(entry.sheet).model_fields
    name = next(name for name, field in fields.items() if key == (field.alias or name))
    return ValueEntry(default_text(entry.sheet, key), getattr(entry.sheet, name), "default", "")


def _names_own(source: str, table: str) -> bool:
    """True if a source names a table of the user's own, `./table`, with or without folder and ending."""
    stem = table.removeprefix("./")
    return stem != table and re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", source) is not None


def own_fitted_values(sheets: Iterable[CatalogueEntry], tables: Sequence[str]) -> list[CatalogueValue]:
    """The values with basis `fitted` of datasheets of the user's own."""
    found = [
        catalogue_value(entry, key, tables)
        for entry in sheets
        for key, value in entry.values.items()
        if value.basis == "fitted"
    ]
    return [value for value in found if value is not None]


def fitted_values(parts: Catalogue, tables: Sequence[str]) -> list[CatalogueValue]:
    """All values of a catalogue with basis `fitted`. Raises ScenarioError with the problems of all datasheets."""
    found: list[CatalogueValue] = []
    problems: list[Problem] = []
    for name in parts.names():
        try:
            entry = parts.sheet(name)
        except ScenarioError as error:
            problems += error.problems
            continue
        for key, value in entry.values.items():
            known = catalogue_value(entry, key, tables) if value.basis == "fitted" else None
            found += [known] if known else []
    if problems:
        raise ScenarioError(problems)
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    return float(value)


def _ends(ends: tuple[Any, Any] | None) -> tuple[float, float] | None:
    numbers = [_number(end) for end in ends or ()]
    known = [number for number in numbers if number is not None]
    return (known[0], known[1]) if len(known) == 2 else None


def _unit(value: ValueEntry) -> str:
    return value.text.strip().lstrip("+0123456789._eE").strip() or value.text.strip().rpartition(" ")[2]
