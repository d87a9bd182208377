"""The values that a calibration fits and the rows that it fits to, or every reason against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simio.calibration.model import Model
from simio.calibration.usage import used_parts
from simio.calibration.values import CatalogueValue, fitted_values, own_fitted_values
from simio.errors import ScenarioError, SimioError, quote
from simio.loading.catalogue import OWN, Catalogue, CatalogueEntry, UnknownPart, catalogue
from simio.studies.rows import Library, Row, rows
from simio.wording import counted

ROWS_A_VALUE = 4
"""Rows that a study has for each value fitted to it; studies that share values are counted together."""


@dataclass(frozen=True)
class FitProblem:
    """Values to fit with the rows that decide; `unused` are fitted to the studies but in none of their scenarios."""

    studies: tuple[str, ...]
    model: Model
    unused: tuple[CatalogueValue, ...]

    @property
    def values(self) -> list[CatalogueValue]:
        """The values that are fitted."""
        return self.model.values

    def studies_of(self, value: CatalogueValue) -> tuple[str, ...]:
        """The studies whose rows depend on a value's part."""
        used = {row.table for row in self.model.users(value)}
        return tuple(study for study in self.studies if study in used)


def prepare(
    studies: Sequence[str],
    library: Library | None = None,
    parts: Catalogue | None = None,
    progress: Callable[[], Any] | None = None,
) -> FitProblem:
    """The values whose source names one of these studies, and all rows of the studies that are for fitting.

    Raises SimioError with every reason at once: unknown studies, nothing to fit, too few rows.
    """
    library, parts = library or Library(), parts or catalogue()
    faults: list[str] = []
    known = []
    for name in studies:
        try:
            known += library.chosen([name])
        except SimioError as error:
            faults.append(str(error))
    chosen = list(dict.fromkeys(known))
    if faults and not chosen:
        raise SimioError("\n".join(faults))
    published = [name for name in library.names if name not in library.own]
    everything = fitted_values(parts, published) + own_fitted_values(_own_sheets(chosen, library, parts), chosen)
    values = [value for value in everything if set(value.studies) & set(chosen)]
    if not values:
        own = [name for name in chosen if name in library.own]
        faults.append(_nothing_own(own) if len(own) == len(chosen) else _nothing(chosen, everything))
    if faults:
        raise SimioError("\n".join(faults))
    wanted = [row for row in rows(chosen, library) if row.measured is not None and row.of.fit]
    return _checked(chosen, wanted, values, library, parts, progress)


def _own_sheets(chosen: Sequence[str], library: Library, parts: Catalogue) -> list[CatalogueEntry]:
    """The datasheets of the user's own that scenarios of the chosen tables name, each once."""
    found: dict[Path, CatalogueEntry] = {}
    for name in dict.fromkeys(row.scenario for row in rows(chosen, library)):
        folder = Path(library.path(name)).parent
        for case in library.scenario(name).cases:
            for part in used_parts(case.system):
                if part.model.startswith(OWN):
                    # The part of a host in another folder begins there, and is not looked for.
                    with suppress(UnknownPart, ScenarioError):
                        entry = parts.find(part.model, part.category, folder)
                        found[entry.file] = entry
    return list(found.values())


def _checked(
    chosen: list[str],
    wanted: list[Row],
    values: list[CatalogueValue],
    library: Library,
    parts: Catalogue,
    progress: Callable[[], Any] | None,
) -> FitProblem:
    faults: list[str] = []
    if not wanted:
        raise SimioError(f"no rows to fit to in {', '.join(chosen)}: all are held or say 'fit: false'")
    every = Model(wanted, values, library, parts)
    users = {value.name: every.users(value) for value in values}
    used = [value for value in values if users[value.name]]
    unused = tuple(value for value in values if not users[value.name])
    faults += [
        f"{study}: no value of the catalogue that is fitted to {_named(chosen)} is used by it; leave it out"
        for study in chosen
        # A table that only judges has no rows to fit to.
        if any(row.table == study for row in wanted)
        if not any(row.table == study for value in used for row in users[value.name])
    ]
    faults += [
        f"{value.name} is used by one row only, {users[value.name][0].name}; a value may not serve one row"
        for value in used
        if len(users[value.name]) == 1
    ]
    if len(wanted) < ROWS_A_VALUE * len(used) or every.runs <= len(used):
        faults.append(_too_few(chosen, wanted, every.runs, used, library, parts))
    if faults:
        raise SimioError("\n".join(faults))
    return FitProblem(tuple(chosen), Model(wanted, used, library, parts, progress), unused)


def _nothing(chosen: Sequence[str], everything: Sequence[CatalogueValue]) -> str:
    known = sorted({study for value in everything for study in value.studies})
    there = f"values are fitted to {', '.join(known)}" if known else "no value of the catalogue is fitted"
    return f"no value of the catalogue is fitted to {_named(chosen)}; {there}"


def _nothing_own(own: Sequence[str]) -> str:
    return (
        f"no datasheet beside the scenarios of {_named(own)} has a value to fit; expected one with basis: fitted, "
        f"bounds, and source: {own[0].rpartition('/')[2]}.yaml"
    )


def _too_few(
    chosen: Sequence[str],
    wanted: Sequence[Row],
    runs: int,
    values: Sequence[CatalogueValue],
    library: Library,
    parts: Catalogue,
) -> str:
    """The rule, and the studies that would help."""
    need = ROWS_A_VALUE * len(values)
    names = ", ".join(value.name for value in values)
    also = [name for name in sharing(values, library, parts) if name not in chosen]
    hint = f"; fit it together with others that use these parts: {', '.join(also)}" if also else ""
    return (
        f"{_named(chosen)}: {counted(len(wanted), 'row')} of {counted(runs, 'independent run')} for "
        f"{counted(len(values), 'value')} ({names}); "
        f"expected at least {ROWS_A_VALUE} rows a value, {need} here, and more runs than values{hint}"
    )


def sharing(values: Sequence[CatalogueValue], library: Library, parts: Catalogue) -> list[str]:
    """All studies with measured rows that use the part of one of these values."""
    wanted = [row for row in rows((), library) if row.measured is not None]
    every = Model(wanted, list(values), library, parts)
    return list(dict.fromkeys(row.table for value in values for row in every.users(value)))


def _named(studies: Sequence[str]) -> str:
    return ", ".join(quote(name) for name in studies)
