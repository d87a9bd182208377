"""The least time that a byte occupies each part on its way, for the bound; nothing here emits a step.

A volume's requests fall on its members in ways that are known only when a program runs. Whichever members serve a
request, its bytes pass what the ways to all of them have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import floor

from simio.program.builder import Builder, Handle

Bytes = Mapping[Handle, Fraction]
"""The least time of a byte, in ps."""


@dataclass(frozen=True)
class Passage:
    """The least time in ps that each byte takes of `resources` and `windows`."""

    resources: Bytes = field(default_factory=dict)
    windows: Bytes = field(default_factory=dict)

    @classmethod
    def of(cls, times: Bytes) -> Passage:
        """The passage of resources and windows, told apart by their handles."""
        windows = {handle: byte for handle, byte in times.items() if handle.kind == "window"}
        return cls({handle: byte for handle, byte in times.items() if handle not in windows}, windows)

    def __add__(self, other: Passage) -> Passage:
        """The passage of one way and then of another."""
        return Passage(_sum(self.resources, other.resources), _sum(self.windows, other.windows))

    def __and__(self, other: Passage) -> Passage:
        """The passage of one of two ways, whichever it is."""
        return Passage(_least(self.resources, other.resources), _least(self.windows, other.windows))

    def declare(self, p: Builder, size: int) -> None:
        """A thread that passes here sends `size` bytes this way."""
        for what, byte in (*self.resources.items(), *self.windows.items()):
            claim(p, what, floor(size * byte))


def claim(p: Builder, what: Handle, time: int) -> None:
    """A thread that passes here takes a resource, or a place of a window, for at least so many ps."""
    if what.kind == "window":
        p.occupy(what, time)
    else:
        p.demand(what, time)


def common(passages: Iterable[Passage]) -> Passage:
    """The passage of one of several ways, whichever it is; nothing if there is no way."""
    found = list(passages)
    return reduce(Passage.__and__, found) if found else Passage()


def _sum(one: Bytes, other: Bytes) -> Bytes:
    return {key: one.get(key, Fraction(0)) + other.get(key, Fraction(0)) for key in (*one, *other)}


def _least(one: Bytes, other: Bytes) -> Bytes:
    return {key: min(byte, other[key]) for key, byte in one.items() if key in other}
