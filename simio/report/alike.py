"""Lines that differ only in a number (d1, d2, …) told as one."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
_DIGIT = re.compile(r"\d")


def merged(
    items: Iterable[Item], name: Callable[[Item], str], *keys: Callable[[Item], Hashable]
) -> list[tuple[str, Item]]:
    """The first of each group of items alike but for digits in their names, with a name for the group.

    Items are in one group only if the `keys` agree as well; groups are in the order of their first items.
    """
    return [(label, group[0]) for label, group in grouped(items, name, *keys)]


def grouped(
    items: Iterable[Item], name: Callable[[Item], str], *keys: Callable[[Item], Hashable]
) -> list[tuple[str, list[Item]]]:
    """The same groups with all their items."""
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault((_DIGIT.sub("#", name(item)), *(key(item) for key in keys)), []).append(item)
    return [
        (name(group[0]) + (f" and {len(group) - 1} alike" if len(group) > 1 else ""), group)
        for group in groups.values()
    ]
