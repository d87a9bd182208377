"""A catalogue with other values in some of its datasheets, for calibration and sensitivity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from simio.errors import Place, SimioError, did_you_mean, quote
from simio.loading.catalogue import Catalogue, CatalogueEntry, ValueEntry
from simio.loading.keypaths import mapping
from simio.loading.problems import ProblemList, keys_of
from simio.loading.yamltree import Node, parse_yaml

Values = Mapping[tuple[str, str], str]
"""Texts by the name of a datasheet and a key in it: `{("kernels/irix-5.2", "page_pin"): "4 us"}`."""


class Overlay(Catalogue):
    """The datasheets of `base` with `values` in place of their own; each is read, and laid over, once.

    A value that `base` leaves to its default may be given, too. Origins and intervals stay those of `base`. Looking
    up a datasheet raises ScenarioError if its kind of part does not allow a value, and SimioError if it has no such
    key.
    """

    def __init__(self, base: Catalogue, values: Values) -> None:
        super().__init__(base.root)
        self.base = base
        self.values = dict(values)
        self._laid: dict[str, tuple[CatalogueEntry, CatalogueEntry]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Overlay) and (self.root, self.values) == (other.root, other.values)

    def __hash__(self) -> int:
        return hash((self.root, tuple(sorted(self.values.items()))))

    def __reduce__(self) -> tuple[object, ...]:
        # Another process reads the datasheets itself: they would be most of the data of a task.
        return _restored, (self.root, self.values)

    def _entry(self, path: Path, name: str, category: str) -> CatalogueEntry:
        below = self.base._entry(path, name, category)
        own = {key: text for (part, key), text in self.values.items() if part == name}
        if not own:
            return below
        known = self._laid.get(name)
        if known is None or known[0] is not below:
            known = self._laid[name] = (below, laid_over(below, own))
        return known[1]


@cache
def _read_here(root: Path) -> Catalogue:
    return Catalogue(root)


def _restored(root: Path, values: Values) -> Overlay:
    return Overlay(_read_here(root), values)


def laid_over(entry: CatalogueEntry, own: Mapping[str, str]) -> CatalogueEntry:
    """A datasheet with the texts `own` in place of the values of these keys.

    Raises SimioError for a key that the datasheet lacks.
    """
    known = keys_of(type(entry.sheet))
    for key in own:
        if key not in known:
            near = did_you_mean(key, known) or f"it has {', '.join(known)}"
            raise SimioError(f"{entry.name} has no value {quote(key)}; {near}")
    place = Place(str(entry.file), 1, 1)
    nodes = {**entry.nodes, **{key: _node(text, entry.nodes.get(key), place) for key, text in own.items()}}
    given = (*entry.values, *(key for key in own if key not in entry.values))
    whole = mapping({key: nodes[key] for key in given}, place)
    problems = ProblemList()
    sheet = problems.read(type(entry.sheet), whole, entry.name, place)
    problems.explain(0, "with " + ", ".join(f"{key} = {text}" for key, text in own.items()))
    problems.raise_any()
    values = dict(entry.values)
    for key, text in own.items():
        old = values.get(key) or ValueEntry(text, None, "default", "")
        values[key] = old._replace(text=text, value=_value(sheet, key))
    return replace(entry, values=values, sheet=sheet, nodes=nodes)


def _node(text: str, old: Node | None, place: Place) -> Node:
    at = old.place if old else place
    return replace(parse_yaml(text, at.file), place=at)


def _value(sheet: object, key: str) -> object:
    fields = type(sheet).model_fields  # type: ignore[attr-defined]
    return getattr(sheet, next((name for name, field in fields.items() if key == (field.alias or name)), key))
