"""What was made of objects, for when the same objects come again, as programs of one form share most of theirs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class ByIdentity(Generic[T]):
    """The last `most` things, by the identity of the objects that they were made of, which nobody may change."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[tuple[object, ...], T]] = OrderedDict()

    def of(self, objects: tuple[object, ...], make: Callable[[], T]) -> T:
        """What was made of these very objects, or is made now."""
        key = tuple(map(id, objects))
        # Objects that are held here give their identity to no others.
        known = self._kept.pop(key, None) or (objects, make())
        self._kept[key] = known
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return known[1]
