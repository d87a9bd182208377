"""Groups of studies that are fitted together: a fitted value is cross-validated with all rows that decide on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simio.calibration.crossval import CrossValidation, cross_validate
from simio.calibration.fitting import examine, search_of
from simio.calibration.problem import FitProblem, prepare, sharing
from simio.calibration.values import CatalogueValue, fitted_values
from simio.errors import SimioError, quote
from simio.loading.catalogue import Catalogue, catalogue
from simio.studies.rows import Library


@dataclass(frozen=True)
class Group:
    """Studies whose values are fitted together; `found` is None if they cannot be, for the reason `why`."""

    studies: tuple[str, ...]
    values: tuple[str, ...] = ()
    found: CrossValidation | None = None
    why: str = ""


def cross_validated(studies: Sequence[str], how: str, progress: Callable[[], Any] | None = None) -> Iterator[Group]:
    """Each group of the chosen studies (all, if none is named) that have fitted values, as it is done.

    Raises SimioError where there are no such studies, or no value of the catalogue is judged by any.
    """
    library, parts = Library(), catalogue()
    chosen = set(library.chosen(studies))
    values = [value for value in fitted_values(parts, library.names) if set(_studies(value)) & chosen]
    if not values:
        raise SimioError(f"no value of the catalogue is fitted to {', '.join(map(quote, sorted(chosen)))}")
    done: set[str] = set()
    for together in joined([_studies(value) for value in values]):
        own = [value for value in values if set(value.studies) & set(together)]
        names = {value.name for value in own}
        if names <= done:
            continue
        try:
            problem = _prepared(together, own, library, parts, progress)
            done |= {value.name for value in problem.values}
            found = cross_validate(examine(problem, search_of(problem)), how)
            yield Group(problem.studies, tuple(value.name for value in problem.values), found)
        except SimioError as error:
            yield Group(together, tuple(sorted(names)), why=str(error))


def _studies(value: CatalogueValue) -> tuple[str, ...]:
    """The studies whose rows a value was last judged by."""
    return value.fit.studies if value.fit and value.fit.studies else value.studies


def joined(sets: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Names that occur together, directly or through others, sorted."""
    groups: list[set[str]] = []
    for names in sets:
        touched = [group for group in groups if group & set(names)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(names).union(*touched))
    return sorted(tuple(sorted(group)) for group in groups)


def _prepared(
    together: Sequence[str],
    values: Sequence[CatalogueValue],
    library: Library,
    parts: Catalogue,
    progress: Callable[[], Any] | None,
) -> FitProblem:
    """The studies, or where they have too few rows, with all of the same document that use their values."""
    try:
        return prepare(together, library, parts, progress)
    except SimioError:
        documents = {name.partition("/")[0] for name in together}
        also = [name for name in sharing(values, library, parts) if name.partition("/")[0] in documents]
        if not set(also) - set(together):
            raise
        return prepare(sorted({*together, *also}), library, parts, progress)
