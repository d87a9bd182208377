"""Collecting faults: what is wrong in a file is noted and reading goes on, so that all of it is told at
once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from simio.description.quantities import quantity_of, show
from simio.errors import Place, Problem, ScenarioError, did_you_mean, key_path, quote
from simio.loading.yamltree import Node

MOST_FAULTS = 100
_MANY = 13
_LONGEST_PATH = 200
_LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}


class ProblemList:
    """The faults found so far, each once; ``noted`` counts the repeated ones as well."""

    def __init__(self) -> None:
        self._faults: dict[tuple[Any, ...], Problem] = {}
        self.noted = 0

    def __len__(self) -> int:
        return len(self._faults)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._faults.values())

    def add(self, path: str, found: str, expected: str, hint: str = "", place: Place | None = None) -> None:
        """Note one fault."""
        if len(path) > _LONGEST_PATH:
            path = path[: _LONGEST_PATH - 1] + "…"
        self.extend([Problem(path, found, expected, hint, place)])

    def extend(self, faults: Iterable[Problem]) -> None:
        """Note faults found elsewhere."""
        for fault in faults:
            self.noted += 1
            # What is wrong in a host is wrong in those that are like it as well, and is told once.
            end = fault.path if fault.place is None else fault.path.rpartition(".")[2]
            self._faults.setdefault((end, fault.found, fault.expected, fault.place), fault)

    def forget_missing(self, paths: Iterable[str]) -> None:
        """Drop the news that a key is missing where the fault that keeps it out is told already."""
        known = set(paths)
        self._faults = {
            key: fault for key, fault in self._faults.items() if fault.found != "nothing" or fault.path not in known
        }

    def explain(self, known: int, hint: str, places: Collection[Place]) -> None:
        """Add a hint to the faults after the first ``known``, except those at ``places``."""
        for key, fault in list(self._faults.items())[known:]:
            if fault.place not in places:
                self._faults[key] = replace(fault, hint=f"{fault.hint}; {hint}" if fault.hint else hint)

    def raise_any(self) -> None:
        """Raise ScenarioError with all faults, if there are any; of very many, with the first."""
        if self._faults:
            faults = sorted(self._faults.values(), key=Problem.order)
            if len(faults) > MOST_FAULTS:
                more = Problem("", f"{len(faults)} faults", "", f"the first {MOST_FAULTS} follow")
                faults = [more, *faults[:MOST_FAULTS]]
            raise ScenarioError(faults)

    def mapping(self, node: Node, path: str, what: str = "a mapping") -> dict[str, Node]:
        """The entries of a mapping; anything else is a fault and gives none."""
        if node.kind == "map":
            return dict(node.entries)
        self.add(path, node_text(node), what, place=node.place)
        return {}

    def unknown_keys(self, node: Node, known: Iterable[str], path: str) -> None:
        """Note every key of a mapping that is not one of ``known``."""
        names = list(known)
        for key in node.entries:
            if key not in names:
                self.unknown(join(path, key), key, names, place_of(node, key))

    def unknown(self, path: str, key: str, known: Iterable[str], place: Place | None, what: str = "key") -> None:
        """Note a key or a name that is not one of ``known``."""
        names = sorted(known)
        hint = did_you_mean(key, names) if len(names) > 1 else "" if names else "there are none"
        expected = one_of(names, hint) if names else ""
        self.add(path, f"the unknown {what} {quote(key)}", expected, hint, place)

    def text(self, node: Node, path: str, what: str = "a text") -> str | None:
        """The text of a scalar; anything else is a fault and gives None."""
        if node.kind == "scalar" and isinstance(node.value, str) and node.value.strip():
            return node.value
        self.add(path, node_text(node), what, place=node.place)
        return None

    def model(self, error: ValidationError, model: type[BaseModel], node: Node, path: str, place: Place) -> None:
        """Note what pydantic found wrong with ``node``; ``place`` is where a missing key is told."""
        for detail in error.errors(include_url=False):
            self._model_fault(dict(detail), model, node, path, place)

    def _model_fault(
        self, detail: dict[str, Any], model: type[BaseModel], node: Node, path: str, place: Place
    ) -> None:
        location, kind, context = tuple(detail["loc"]), detail["type"], detail.get("ctx") or {}
        if context.get("field"):
            location = (*location, context["field"])
        where = join(path, *location)
        parent = node.at(location[:-1]) if len(location) > 1 else node
        here = node.at(location).place if _given(node, location) else place
        if kind == "extra_forbidden":
            self.unknown(where, str(location[-1]), _keys_at(model, location), place_of(parent, location[-1]))
        elif kind == "missing":
            missing_at = place if len(location) == 1 else parent.place
            self.add(where, "nothing", _wanted(model, location), "this key is required", missing_at)
        elif kind in _LENGTHS:
            self._length_fault(kind, context, detail["input"], where, here)
        elif kind == "refused":
            self.add(where, context["found"], context["expected"], context["hint"], here)
        else:
            self.add(where, show(detail["input"]), *_explained(kind, context, detail), here)

    def _length_fault(self, kind: str, context: dict[str, Any], value: object, where: str, here: Place) -> None:
        bound, key = _LENGTHS[kind]
        number = len(value) if isinstance(value, list | tuple) else int(context["actual_length"])
        # A list whose items have faults is counted without them; those faults are told already.
        if (number < context[key]) if kind == "too_short" else (number > context[key]):
            found = f"a list of {number}" if number else "an empty list"
            self.add(where, found, f"a list of {bound} {context[key]}", place=here)


def join(path: str, *keys: str | int) -> str:
    """A key path with keys (or places in a list) added."""
    return key_path([part for part in (path, *keys) if part != ""])


def place_of(node: Node, key: object) -> Place:
    """Where a key is written, or the node itself if that is not known."""
    return node.key_places.get(str(key), node.place)


def node_text(node: Node) -> str:
    """What is written at a node, as a message quotes it."""
    if node.kind == "scalar" and not isinstance(node.value, (str, bool)) and node.value is not None:
        return node.text
    return show(node.plain())


def one_of(names: Iterable[str], near: str = "") -> str:
    """``one of a, b, c``, shortened when there are many and a near one is known."""
    listed = list(names)
    if len(listed) == 1:
        return f"'{listed[0]}'"
    if len(listed) > _MANY and near:
        return f"one of {len(listed)} names"
    return "one of " + ", ".join(listed)


def there_are(names: Iterable[str]) -> str:
    """A hint that lists what there is."""
    listed = list(names)
    return f"there {'are' if len(listed) > 1 else 'is'} {', '.join(listed) or 'none'}"


def a(noun: str) -> str:
    """A noun with its article: a disk, an adapter."""
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def _given(node: Node, location: tuple[Any, ...]) -> bool:
    for key in location:
        below = node.at((key,))
        if below is node:
            return False
        node = below
    return True


def _field_model(model: type[BaseModel], location: tuple[Any, ...]) -> type[BaseModel] | None:
    """The model that the last key of a location belongs to; lists of models are followed."""
    current: type[BaseModel] | None = model
    for key in location[:-1]:
        if isinstance(key, int) or current is None:
            continue
        field = field_named(current, str(key))
        current = _inner_model(field.annotation) if field else None
    return current


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def field_named(model: type[BaseModel], key: str) -> Any:
    """The field of a model that a YAML key sets, or None."""
    for name, field in model.model_fields.items():
        if key == (field.alias or name):
            return field
    return None


def keys_of(model: type[BaseModel]) -> list[str]:
    """The YAML keys of a model."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _keys_at(model: type[BaseModel], location: tuple[Any, ...]) -> list[str]:
    inner = _field_model(model, location)
    return keys_of(inner) if inner else []


def _wanted(model: type[BaseModel], location: tuple[Any, ...]) -> str:
    inner = _field_model(model, location)
    field = field_named(inner, str(location[-1])) if inner else None
    quantity = quantity_of(field)
    if quantity:
        return quantity.wanted
    description = f" ({field.description})" if field is not None and field.description else ""
    plain: Mapping[Any, str] = {int: "a whole number", bool: "true or false", str: "a text"}
    return plain.get(getattr(field, "annotation", None), "a value") + description


def _explained(kind: str, context: Mapping[str, Any], detail: Mapping[str, Any]) -> tuple[str, str]:
    """What was expected, and a hint, for the errors pydantic itself raises."""
    if kind == "literal_error":
        choices = str(context["expected"])
        names = [choice.strip("'") for choice in choices.replace(" or ", ", ").split(", ")]
        return choices, did_you_mean(str(detail["input"]), names) if len(names) > 1 else ""
    bounds = {"greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le")}
    if kind in bounds:
        words, key = bounds[kind]
        return f"{words} {context[key]}", ""
    if kind.startswith("int_"):
        return "a whole number", ""
    simple = {
        "bool_type": "true or false",
        "string_type": "a text",
        "tuple_type": "a list",
        "model_type": "a mapping",
        "model_attributes_type": "a mapping",
    }
    return simple.get(kind, str(detail["msg"])), ""
