"""Collecting problems: reading goes on after a mistake, so that all mistakes of a file are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from simio.description.quantities import FROM_TEXT, NonBlankText, OrNone, Quantity, show
from simio.errors import Place, Problem, ScenarioError, key_path, quote
from simio.loading.called import meant
from simio.loading.yamltree import Node

MOST_PROBLEMS = 100
_MANY = 13
_LONGEST_PATH = 200
M = TypeVar("M", bound=BaseModel)
_LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("at most", "max_length")}


class ProblemList:
    """The problems so far, each once; `noted` counts repetitions too."""

    def __init__(self) -> None:
        self._problems: dict[tuple[Any, ...], Problem] = {}
        self.noted = 0

    def __len__(self) -> int:
        return len(self._problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems.values())

    def add(self, path: str, found: str, expected: str, hint: str = "", place: Place | None = None) -> None:
        """Note one problem."""
        if len(path) > _LONGEST_PATH:
            path = path[: _LONGEST_PATH - 1] + "…"
        self.extend([Problem(path, found, expected, hint, place)])

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note problems found elsewhere."""
        for problem in problems:
            self.noted += 1
            # A mistake in a host is also one in each host that is like it, but is reported once.
            end = problem.path if problem.place is None else problem.path.rpartition(".")[2]
            self._problems.setdefault((end, problem.found, problem.expected, problem.place), problem)

    def forget_missing(self, paths: Iterable[str]) -> None:
        """Drop reports of missing keys at these paths: the keys were left out for a problem of their own."""
        known = set(paths)
        self._problems = {
            key: problem
            for key, problem in self._problems.items()
            if problem.found != "nothing" or problem.path not in known
        }

    def explain(self, known: int, hint: str, places: Collection[Place] = ()) -> None:
        """Add a hint to the problems after the first `known`, except those at `places`."""
        for key, problem in list(self._problems.items())[known:]:
            if problem.place not in places:
                self._problems[key] = replace(problem, hint=f"{problem.hint}; {hint}" if problem.hint else hint)

    def raise_any(self) -> None:
        """Raise ScenarioError with all problems, if there are any, or with the first if there are very many."""
        if self._problems:
            problems = sorted(self._problems.values(), key=Problem.order)
            if len(problems) > MOST_PROBLEMS:
                more = Problem("", f"{len(problems)} problems", "", f"the first {MOST_PROBLEMS} follow")
                problems = [more, *problems[:MOST_PROBLEMS]]
            raise ScenarioError(problems)

    def mapping(self, node: Node, path: str, what: str = "a mapping") -> dict[str, Node]:
        """The entries of a mapping; anything else is a problem and gives none."""
        if node.kind == "map":
            return dict(node.entries)
        self.add(path, node_text(node), what, place=node.place)
        return {}

    def unknown_keys(
        self, node: Node, known: Iterable[str], path: str, near: Callable[[str], str] = lambda key: ""
    ) -> None:
        """Note every key of a mapping that is not one of `known`; `near` may give a better suggestion."""
        names = list(known)
        for key in node.entries:
            if key not in names:
                self.unknown(join(path, key), key, names, place_of(node, key), near=near(key))

    def unknown(
        self,
        path: str,
        key: str,
        known: Iterable[str],
        place: Place | None,
        what: str = "key",
        near: str = "",
    ) -> None:
        """Note a key or a name that is not one of `known`; `near` is a better suggestion than one of these."""
        names = sorted(known)
        hint = near or (meant(key, names) if len(names) > 1 else "" if names else "there are none")
        expected = one_of(names, hint) if names else ""
        self.add(path, f"the unknown {what} {quote(key)}", expected, hint, place)

    def text(self, node: Node, path: str, what: str = "a text") -> str | None:
        """The text of a scalar; anything else is a problem and gives None."""
        if node.kind == "scalar" and isinstance(node.value, str) and node.value.strip():
            return node.value
        self.add(path, node_text(node), what, place=node.place)
        return None

    def read(self, model: type[M], node: Node, path: str, place: Place) -> M | None:
        """The values in `node` as `model` has them, or None and a problem for each mistake.

        A missing key is reported at `place`.
        """
        if node.kind != "map":
            self.add(path, node_text(node), _mapping_with(model), place=node.place)
            return None
        try:
            return model.model_validate(node.plain(), context=FROM_TEXT)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                self._model_problem(dict(detail), model, node, path, place)
            return None

    def _model_problem(
        self, detail: dict[str, Any], model: type[BaseModel], node: Node, path: str, place: Place
    ) -> None:
        location, kind, context = tuple(detail["loc"]), detail["type"], detail.get("ctx") or {}
        if context.get("field"):
            location = (*location, context["field"])
        where = join(path, *location)
        parent = node.at(location[:-1]) if len(location) > 1 else node
        here = node.at(location).place if _given(node, location) else place
        if kind == "extra_forbidden":
            key, elsewhere = str(location[-1]), getattr(model, "elsewhere", None)
            near = elsewhere(key) if elsewhere and len(location) == 1 else ""
            self.unknown(where, key, _keys_at(model, location), place_of(parent, key), near=near)
        elif kind == "missing":
            missing_at = place if len(location) == 1 else parent.place
            self.add(where, "nothing", _wanted(model, location), "this key is required", missing_at)
        elif kind in _LENGTHS:
            self._length_problem(kind, context, detail["input"], where, here)
        elif kind == "refused":
            self.add(where, context["found"], context["expected"], context["hint"], here)
        elif kind == "unknown":
            self.unknown(where, context["name"], context["known"], here, context["noun"])
        elif kind in ("model_type", "model_attributes_type") and (inner := _field_model(model, (*location, ""))):
            self.add(where, show(detail["input"]), _mapping_with(inner), place=here)
        else:
            expected, hint = _explained(kind, context, detail)
            if kind.startswith("int_"):
                expected = _marked(model, location) or expected
                if detail["input"] == "none":
                    expected += _described(_field_at(model, location))
            # As it was typed: 1e3 is not 1000.0.
            found = node_text(node.at(location)) if _given(node, location) else show(detail["input"])
            self.add(where, found, expected or _wanted(model, location), hint, here)

    def _length_problem(self, kind: str, context: dict[str, Any], value: object, where: str, here: Place) -> None:
        bound, key = _LENGTHS[kind]
        number = len(value) if isinstance(value, list | tuple) else int(context["actual_length"])
        # Items with problems are not counted in a list; those problems are reported already.
        if (number < context[key]) if kind == "too_short" else (number > context[key]):
            found = f"a list of {number}" if number else "an empty list"
            self.add(where, found, f"a list of {bound} {context[key]}", place=here)


def join(path: str, *keys: str | int) -> str:
    """A key path with keys or indices added."""
    return key_path([part for part in (path, *keys) if part != ""])


def place_of(node: Node, key: object) -> Place:
    """The place of a key, or of the node itself if that is not known."""
    return node.key_places.get(str(key), node.place)


def node_text(node: Node) -> str:
    """A node as a message quotes it."""
    if node.kind == "scalar" and not isinstance(node.value, (str, bool)) and node.value is not None:
        return node.text
    return show(node.plain())


def one_of(names: Iterable[str], near: str = "") -> str:
    """`one of a, b, c`, shortened when there are many and a near one is known."""
    listed = list(names)
    if len(listed) == 1:
        return f"'{listed[0]}'"
    if len(listed) > _MANY and near:
        return f"one of {len(listed)} names"
    return "one of " + ", ".join(listed)


def there_are(names: Iterable[str]) -> str:
    """A hint that lists the known names."""
    listed = list(names)
    return f"there {'are' if len(listed) > 1 else 'is'} {', '.join(listed) or 'none'}"


def a(noun: str) -> str:
    """A noun with its article: a disk, an adapter, an nvme link."""
    return f"an {noun}" if noun[:1] in "aeiou" or noun.startswith(("nvme", "nfs")) else f"a {noun}"


def _given(node: Node, location: tuple[Any, ...]) -> bool:
    for key in location:
        below = node.at((key,))
        if below is node:
            return False
        node = below
    return True


def _field_model(model: type[BaseModel], location: tuple[Any, ...]) -> type[BaseModel] | None:
    """The model that the last key of a location belongs to; lists and mappings of models are followed."""
    current: type[BaseModel] | None = model
    named = False
    for key in location[:-1]:
        if isinstance(key, int) or current is None or named:
            named = False
            continue
        field = field_named(current, str(key))
        current = _inner_model(field.annotation) if field else None
        named = field is not None and get_origin(field.annotation) is dict
    return current


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for part in get_args(annotation) if (model := _inner_model(part))), None)


def _mapping_with(model: type[BaseModel]) -> str:
    """`a mapping with cylinders and sectors`: the keys that a model requires, or any of its keys."""
    needed = [field.alias or name for name, field in model.model_fields.items() if field.is_required()]
    listed = " and ".join(part for part in (", ".join(needed[:-1]), *needed[-1:]) if part)
    return f"a mapping with {listed or 'any of ' + ', '.join(keys_of(model))}"


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


def _field_at(model: type[BaseModel], location: tuple[Any, ...]) -> Any:
    """The field that a location leads to, or None."""
    inner = _field_model(model, location)
    return field_named(inner, str(location[-1])) if inner else None


def _marked(model: type[BaseModel], location: tuple[Any, ...]) -> str:
    """The expectation that a field is marked with, or nothing."""
    field = _field_at(model, location)
    marks = [mark for mark in field.metadata if isinstance(mark, Quantity | NonBlankText | OrNone)] if field else []
    return marks[0].wanted if marks else ""


def _wanted(model: type[BaseModel], location: tuple[Any, ...]) -> str:
    if marked := _marked(model, location):
        return marked
    field = _field_at(model, location)
    if field is not None and (below := _inner_model(field.annotation)) and get_origin(field.annotation) is None:
        return _mapping_with(below)
    plain: Mapping[Any, str] = {int: "a whole number", bool: "true or false", str: "a text"}
    return plain.get(getattr(field, "annotation", None), "a value") + _described(field)


def _described(field: Any) -> str:
    """The description of a field in parentheses, if it has one."""
    return f" ({field.description})" if field is not None and field.description else ""


def _explained(kind: str, context: Mapping[str, Any], detail: Mapping[str, Any]) -> tuple[str, str]:
    """The expectation and a hint for errors that the library itself raises; nothing for one not known here."""
    if kind == "literal_error":
        choices = str(context["expected"])
        if choices.endswith(" or None"):
            choices = " or ".join(choices.removesuffix(" or None").rsplit(", ", 1))
        names = [choice.strip("'") for choice in choices.replace(" or ", ", ").split(", ")]
        return choices, meant(str(detail["input"]), names) if len(names) > 1 else ""
    bounds = {
        "greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le"),
        "greater_than": ("more than", "gt"), "less_than": ("less than", "lt"),
    }  # fmt: skip
    if kind in bounds:
        words, key = bounds[kind]
        return f"{words} {context[key]}", ""
    if kind.startswith("int_"):
        return "a whole number", ""
    if kind.startswith("float_"):
        return "a plain number such as 0.0001", ""
    simple = {
        "bool_type": "true or false",
        "string_type": "a text",
        "tuple_type": "a list",
        "dict_type": "a mapping",
    }
    return simple.get(kind, ""), ""
