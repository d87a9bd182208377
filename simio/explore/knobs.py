"""The knobs of a page: key paths of a scenario, each with a list of values to choose from.

These are the keys of `vary`, with their values; the numbers, switches and words among the parameters of workloads;
and any other key path that the user adds. Nothing else can be set: a request names one of these values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from simio import units
from simio.description.model import Run
from simio.description.sheets import CATEGORIES, sheet_kinds
from simio.description.workloads import yaml_key
from simio.errors import SimioError, did_you_mean, quote
from simio.loading.keypaths import lookup
from simio.loading.vary import canonical
from simio.loading.yamltree import Node, value_text
from simio.sweeps.values import number_of
from simio.workloads import workload_kinds

UNSET = "as it is"
"""The choice that leaves a key as the file, without `vary`, has it."""
WHOLE = 64
"""Largest number of whole numbers that a count is offered between the least and the largest that the file names."""
CURVE = 16
"""Number of values up to which a curve has a point for each, and not for those alone that the file names."""
STEPS = 4
"""Number of times that a number without values of its own is halved and doubled."""


@dataclass(frozen=True)
class Knob:
    """A key path, the values it can take as texts, and which of them the page begins with.

    `points` are the values that a curve has, if the key varies in the file; `about` says what the value is.
    """

    key: str
    values: tuple[str, ...]
    start: int
    points: tuple[str, ...] = ()
    about: str = ""

    @property
    def name(self) -> str:
        """The last part of the key path."""
        return self.key.rpartition(".")[2]

    @property
    def group(self) -> str:
        """The part of the scenario that the value belongs to."""
        section, *rest = self.key.split(".")[:-1] or [self.key]
        return " ".join([section.capitalize(), *rest[:1]])

    @property
    def words(self) -> bool:
        """True if some of the values are no numbers."""
        return any(number_of(value) is None for value in self.values)


def knobs(root: Node, first: Mapping[str, str], more: Sequence[str]) -> list[Knob]:
    """The knobs of a scenario's tree: what varies, what its workloads say, and the key paths in `more`.

    The page begins with the first case, whose settings are `first`. Raises SimioError for one of `more` that is not
    there or that has nothing to choose from.
    """
    found = {knob.key: knob for knob in _varied(root, first)}
    for knob in _workloads(root):
        found.setdefault(knob.key, knob)
    for key in more:
        found.setdefault(key, _asked(root, key))
    return [replace(knob, about=_about(root, knob.key)) for knob in found.values()]


def _about(root: Node, key: str) -> str:
    """The description of a value, in the words of the schema; empty where these are not known."""
    section, *path = key.split(".")
    if section == "workload" and len(path) == 2:
        return _described(_kind_of(root, path[0]), path[1])
    if section == "run":
        return _described(Run, path[-1])
    if path[-1:] in (["count"], ["model"]):
        return {"count": f"number of alike {section}", "model": "model of the catalogue"}[path[-1]]
    part = path[1] if section == "hosts" and len(path) > 2 else section
    category = next((name for name, plural in CATEGORIES.items() if part in (name, plural)), "")
    return next(filter(None, (_described(model, path[-1]) for model in sheet_kinds(category).values())), "")


def _described(model: type[BaseModel] | None, key: str) -> str:
    """The description of a field, up to what is said beside."""
    fields = model.model_fields if model else {}
    field = next((each for name, each in fields.items() if key in (name, each.alias)), None)
    return (field.description or "").partition(";")[0].removesuffix(", see below") if field else ""


def _kind_of(root: Node, name: str) -> type[BaseModel] | None:
    """The parameters of a workload of the file."""
    section = root.entries.get("workload")
    node = section.entries.get(name) if section else None
    given = node.entries.get("kind") if node else None
    return workload_kinds().get(str(given.value) if given else name)


def _varied(root: Node, first: Mapping[str, str]) -> Iterator[Knob]:
    """The keys of all grids of `vary` with all values that they take anywhere, and that of the file, if any."""
    node = root.entries.get("vary")
    grids = [] if node is None else node.elements if node.kind == "list" else [node]
    values: dict[str, dict[object, str]] = {}
    for grid in grids:
        for key, given in grid.entries.items():
            for item in given.elements if given.kind == "list" else [given]:
                values.setdefault(key, {}).setdefault(canonical(item), value_text(item))
    for key, known in values.items():
        start, written = first.get(key), lookup(root, key.split("."))
        if start is None and written is not None and written.kind == "scalar":
            start = known.setdefault(canonical(written), value_text(written))
        items = list(known.items())
        if all(_number(identity) is not None for identity in known):
            items.sort(key=lambda item: _number(item[0]) or Fraction(0))
        points = [UNSET] * (start is None) + [text for _, text in items]
        texts = _whole(points) or points
        points = texts if len(texts) <= CURVE else points
        yield Knob(key, tuple(texts), texts.index(UNSET if start is None else start), tuple(points))


def _whole(texts: Sequence[str]) -> list[str]:
    """All whole numbers from the least to the largest of a count's values, as far as these are not too many."""
    if not all(text.isdecimal() and str(int(text)) == text for text in texts):
        return []
    low, high = min(map(int, texts)), max(map(int, texts))
    return [str(number) for number in range(low, high + 1)] if 0 < low < high < low + WHOLE else []


def _number(identity: object) -> Fraction | int | None:
    """The number that a value means, or None where it is a word."""
    if isinstance(identity, tuple) and not isinstance(identity[1], str | bool) and identity[1] is not None:
        return Fraction(identity[1])
    return None


def _workloads(root: Node) -> Iterator[Knob]:
    """The knobs of the workloads' parameters in the file."""
    section = root.entries.get("workload")
    for name, node in section.entries.items() if section else ():
        model = _kind_of(root, name)
        words = _words(model) if model else {}
        for key, value in node.entries.items():
            if knob := _of_value(f"workload.{name}.{key}", value, words.get(key, ())):
                yield knob


def _words(model: Any) -> Mapping[str, tuple[str, ...]]:
    """The keys of a kind of workload that take one of a few words."""
    found = {}
    for field, about in model.model_fields.items():
        if get_origin(about.annotation) is Literal:
            found[yaml_key(model, field)] = tuple(map(str, get_args(about.annotation)))
    return found


def _asked(root: Node, key: str) -> Knob:
    node = lookup(root, key.split("."))
    if node is None or node.kind != "scalar":
        section = root.entries.get(key.split(".")[0])
        near = did_you_mean(key.split(".")[0], root.entries) if section is None else ""
        raise SimioError(
            f"--knob: found {quote(key)}; expected a key path with a value in the file; {near}".rstrip("; ")
        )
    knob = _of_value(key, node, ())
    if knob is None:
        raise SimioError(f"--knob: {quote(key)} is {quote(node.text)}; expected a number, a quantity, true or false")
    return knob


def _of_value(key: str, node: Node, words: Sequence[str]) -> Knob | None:
    """A knob about a value of the file, or None for names and other texts."""
    value = node.value
    if isinstance(value, bool):
        return Knob(key, ("false", "true"), int(value))
    if words and str(value) in words:
        return Knob(key, tuple(words), list(words).index(str(value)))
    texts = _scaled(node)
    return Knob(key, tuple(texts), texts.index(value_text(node))) if len(texts) > 1 else None


def _scaled(node: Node) -> list[str]:
    """Halves and doubles of a number or a quantity, as far as they are whole where it is; in its own unit."""
    value = node.value
    if isinstance(value, int) and value > 0:
        whole = [Fraction(value) * Fraction(2) ** power for power in range(-STEPS, STEPS + 1)]
        return [str(number) for number in whole if number.denominator == 1]
    if not isinstance(value, str):
        return []
    unit = value.strip().lstrip("+0123456789_.eE- ")
    dimension = units.dimension_of(unit)
    if dimension is None:
        return []
    try:
        base = units.parse(value, dimension)
    except units.UnitError:
        return []
    texts = []
    for power in range(-STEPS, STEPS + 1):
        number = Fraction(base) * Fraction(2) ** power
        if number > 0 and (number.denominator == 1 or dimension not in ("size", "time")):
            texts.append(value_text(node) if power == 0 else _written(number, dimension, unit))
    return texts


def _written(number: Fraction, dimension: str, unit: str) -> str:
    """A quantity in the unit that fits it best, if that is exact, else in its own."""
    if dimension in ("size", "time"):
        text = units.format_quantity(int(number), dimension)
        if units.parse(text, dimension) == number:
            return text
    return f"{float(number / Fraction(units.parse(f'1 {unit}', dimension))):.12g} {unit}"
