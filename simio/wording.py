"""Numbers and names in words: what explanations, reports and commands write alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from simio import units

Item = TypeVar("Item")
_DIGIT = re.compile(r"\d")


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, such as '1 row' or '1,200 rows'."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(names: Sequence[str], joined: str = "and") -> str:
    """Names in a sentence, with 'and', or another word, before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joined} {names[-1]}"


def and_others(names: Sequence[str]) -> str:
    """The first of several names, with the number of others."""
    return names[0] + (f" and {counted(len(names) - 1, 'other')}" if len(names) > 1 else "")


def settings_text(settings: Mapping[str, str]) -> str:
    """The settings of a case on a line: 'key = value, key = value'."""
    return ", ".join(f"{key} = {value}" for key, value in settings.items())


def in_unit(rate: float, unit: str) -> float:
    """Convert a rate in bytes a second, or in requests a second if `unit` is of these, to `unit`."""
    return rate / float(units.parse(f"1 {unit}", units.dimension_of(unit) or "rate"))


def figure(value: float, digits: int = 4) -> str:
    """A number with four digits at most, and no exponent up to seven digits."""
    if digits < 4:
        value = float(f"{value:.{digits}g}")
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def byte_unit(unit: str) -> str:
    """A unit of throughput in bytes: `unit`, unless it is one of requests."""
    return unit if units.dimension_of(unit) == "rate" else "MB/s"


def without_digits(name: str) -> str:
    """The pattern that names have in common which differ only in digits."""
    return _DIGIT.sub("#", name)


def merged(
    items: Iterable[Item], name: Callable[[Item], str], *keys: Callable[[Item], Hashable]
) -> list[tuple[str, Item]]:
    """The first item of each group whose names differ only in digits (d1, d2, ...), with a name for the group.

    Items are in one group only if the `keys` agree as well; groups are in the order of their first items.
    """
    return [(label, group[0]) for label, group in grouped(items, name, *keys)]


def grouped(
    items: Iterable[Item], name: Callable[[Item], str], *keys: Callable[[Item], Hashable]
) -> list[tuple[str, list[Item]]]:
    """The groups of `merged` with all their items."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault((without_digits(name(item)), *(key(item) for key in keys)), []).append(item)
    return [
        (name(group[0]) + (f" and {len(group) - 1} alike" if len(group) > 1 else ""), group)
        for group in groups.values()
    ]


def short_names(keys: Iterable[str]) -> list[str]:
    """The last part of each key path, or the whole path where two would be the same."""
    keys = list(keys)
    tails = [key.rpartition(".")[2] for key in keys]
    return [tail if tails.count(tail) == 1 else key for tail, key in zip(tails, keys, strict=True)]


def lock_marked(name: str, lock: bool) -> str:
    """The name of a resource, marked if it is a lock."""
    return f"{name} (lock)" if lock else name
