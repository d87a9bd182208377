"""Settings that set cases apart: `vary` in the file and `--set` on the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from simio import units
from simio.errors import Place, ScenarioError, quote
from simio.loading.context import Context
from simio.loading.keypaths import item_index, item_name, mapping
from simio.loading.problems import ProblemList, join, node_text, place_of
from simio.loading.whereabouts import whole_path
from simio.loading.yamltree import Node, parse_yaml, value_text

MOST_CASES = 10_000
MOST_STEPS = 8
SETS = "--set"
"""The file that places of the command line's settings name."""
SECTIONS = ("hosts", "disks", "volumes", "switches", "links", "workload", "faults", "run")
_SETTABLE = (*SECTIONS, "report")


class KeySetting(NamedTuple):
    """A value for a key path; `place` is that of the key."""

    key: str
    value: Node
    place: Place

    @property
    def keys(self) -> list[str]:
        """The key path in steps."""
        return self.key.split(".")


def is_known(problems: ProblemList, root: Node, key: str, place: Place, path: str, sections: Sequence[str]) -> bool:
    """True if a key path begins at an item of the file; deeper keys are checked where they are used."""
    keys = key.split(".")
    if keys[0] not in sections:
        problems.unknown(path, keys[0], sections, place, "key", whole_path(root, keys[0]) if not keys[1:] else "")
        return False
    if not 2 <= len(keys) <= MOST_STEPS or "" in keys:
        problems.add(path, quote(key), "a key path such as workload.blast.size", place=place)
        return False
    section = root.entries.get(keys[0])
    if keys[0] in ("run", "report") or section is None and keys[0] not in SECTIONS:
        return True
    names = list(section.entries) if section is not None else []
    if section is not None and section.kind == "list":
        names = [item_name(item, index, keys[0]) for index, item in enumerate(section.elements)]
    if keys[1] not in names:
        problems.unknown(path, keys[1], names, place, keys[0].removesuffix("s").replace("switche", "switch"))
        return False
    return section is None or _known_items(problems, section, keys, place, path)


def _known_items(problems: ProblemList, section: Node, keys: Sequence[str], place: Place, path: str) -> bool:
    """True if every list on a key path has the item that is named: a setting of another would be lost."""
    node: Node | None = section
    for above, key in pairwise(keys):
        if node is None or node.kind == "scalar":
            break
        if node.kind == "map":
            node = node.entries.get(key)
            continue
        index = item_index(node, key, above)
        if index is None:
            names = [item_name(item, number, above) for number, item in enumerate(node.elements)]
            problems.unknown(path, key, names, place, "item")
            return False
        node = node.elements[index]
    return True


_RANGE = re.compile(r"\d[^/]*\.\.\d[^/]*")
"""The look of a range of values, such as '1..8'; the name of a file does not begin with a digit."""


def read_sets(ctx: Context, root: Node, sets: Sequence[str]) -> list[KeySetting]:
    """The settings of the command line, each `key.path=value`; their places count the settings as lines."""
    settings = []
    for number, text in enumerate(sets, 1):
        place = Place(SETS, number, 1)
        setting = ctx.once(("set", str(number), text), (root,), partial(_setting, ctx, root, text, place))
        if setting:
            settings.append(setting)
    return settings


def _setting(ctx: Context, root: Node, text: str, place: Place) -> KeySetting | None:
    """The setting in a text `key.path=value`, or None and a problem."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not value.strip():
        ctx.problems.add("", quote(text), "key.path=value", "for example workload.blast.size='64 KiB'", place)
        return None
    if not is_known(ctx.problems, root, key, place, key, _SETTABLE):
        return None
    if _RANGE.fullmatch(value.strip()):
        hint = f"simio sweep runs a range: simio sweep SCENARIO --set {key}={value.strip()}"
        ctx.problems.add(key, f"the range {quote(value.strip())}", "a single value", hint, place)
        return None
    try:
        node = _parsed(value.strip())
    except ScenarioError as error:
        ctx.problems.extend(replace(problem, path=key, place=place) for problem in error.problems)
        return None
    return KeySetting(key, _placed(node, place), place)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Node:
    return parse_yaml(text, SETS)


def _placed(node: Node, place: Place) -> Node:
    if node.kind == "map":
        return mapping({key: _placed(item, place) for key, item in node.entries.items()}, place)
    if node.kind == "list":
        return replace(node, value=[_placed(item, place) for item in node.elements], place=place)
    return replace(node, place=place)


def expand(ctx: Context, root: Node, fixed: Collection[str]) -> list[tuple[KeySetting, ...]]:
    """The settings of each case in order, the last key of a grid changing fastest.

    Keys in `fixed` are set from the command line and vary no more. Cases that two grids share come once.
    """
    node = root.entries.get("vary")
    if node is None:
        return [()]
    grids = node.elements if node.kind == "list" else [node]
    if node.kind == "list" and not grids:
        ctx.problems.add("vary", "an empty list", "a mapping of key paths to lists of values", place=node.place)
    axes = [
        _axes(ctx, root, grid, "vary" if node.kind != "list" else join("vary", index), fixed)
        for index, grid in enumerate(grids)
    ]
    number = sum(prod(len(values) for values in grid) for grid in axes)
    if number > MOST_CASES:
        ctx.problems.add("vary", f"{number} cases", f"at most {MOST_CASES}", place=place_of(root, "vary"))
        axes = [[values[:1] for values in grid] for grid in axes]
    cases = [case for grid in axes for case in product(*grid)]
    return (cases if len(axes) == 1 else list(_distinct(cases))) or [()]


def _axes(ctx: Context, root: Node, grid: Node, path: str, fixed: Collection[str]) -> list[list[KeySetting]]:
    axes = []
    for key, values in ctx.problems.mapping(grid, path, "a mapping of key paths to lists of values").items():
        place = place_of(grid, key)
        if key in fixed:
            continue
        known = is_known(ctx.problems, root, key, place, f"{path}.{key}", SECTIONS)
        settings = _values(ctx, key, values, f"{path}.{key}", place)
        if not settings:
            ctx.dropped.add(key)
        if known and settings:
            axes.append(settings)
    return axes


def _values(ctx: Context, key: str, node: Node, path: str, place: Place) -> list[KeySetting]:
    items = node.elements if node.kind == "list" else [node]
    if not items:
        ctx.problems.add(path, "an empty list", "a list of values", place=node.place)
    seen: dict[object, Node] = {}
    good = True
    for index, item in enumerate(items):
        if item.kind != "scalar":
            hint = f"--set {key}='{value_text(item)}' tries a list" if item.kind == "list" else ""
            ctx.problems.add(join(path, index), node_text(item), "a single value", hint, item.place)
            good = False
            continue
        first = seen.setdefault(canonical(item), item)
        if first is not item:
            same = f", which is {value_text(first)}" if value_text(first) != value_text(item) else ""
            found = f"{value_text(item)}{same} again"
            ctx.problems.add(join(path, index), found, "each value once", place=item.place)
    return [KeySetting(key, item, place) for item in seen.values()] if good else []


def _distinct(cases: Iterable[tuple[KeySetting, ...]]) -> Iterator[tuple[KeySetting, ...]]:
    seen = set()
    for case in cases:
        identity = frozenset((setting.key, canonical(setting.value)) for setting in case)
        if identity not in seen:
            seen.add(identity)
            yield case


def canonical(node: Node) -> object:
    """A value that is equal for scalars that mean the same: 1 KiB and 1024 B, 2 and 2.0."""
    if isinstance(node.value, bool) or node.value is None:
        return ("word", node.value)
    if isinstance(node.value, int | float):
        return ("number", _whole(Fraction(node.value)))
    return _text_meaning(node.value) if isinstance(node.value, str) else ("tree", value_text(node))


@lru_cache(maxsize=4096)
def _text_meaning(text: str) -> object:
    dimension = units.dimension_of(text.strip().lstrip("+0123456789_.eE- "))
    if dimension is not None:
        # A text that only looks like a quantity is compared as a text.
        with suppress(units.UnitError):
            return (dimension, _whole(units.parse(text, dimension)))
    return ("text", text)


def _whole(number: Fraction | int) -> Fraction | int:
    """The same as an int if it is one, which hashes faster."""
    return int(number) if number.denominator == 1 else number


def texts(settings: Sequence[KeySetting]) -> dict[str, str]:
    """Key path and value as written, for each setting."""
    return {setting.key: value_text(setting.value) for setting in settings}


def described(texts_of: Mapping[str, str]) -> str:
    """Settings as a message shows them."""
    return ", ".join(f"{key} = {text}" for key, text in texts_of.items()) or "no settings"
