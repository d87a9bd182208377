"""The least time that a byte or a request occupies each part on its way, for the bound; nothing here emits a step.

A volume's requests fall on its members in ways that are known only when a program runs. Whichever members serve a
request, its bytes pass what the ways to all of them have in common, and one or another of what each way has for
itself: four drives carry no more than four times the lanes of one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import floor
from typing import TypeVar

from simio.program.builder import Builder, Handle

_Key = TypeVar("_Key", bound=Hashable)

Bytes = Mapping[Handle, Fraction]
"""The least time of a byte, in ps."""

Sets = Mapping[tuple[Handle, ...], Fraction]
"""The least time of a byte, in ps, at one or another of several resources or windows."""


@dataclass(frozen=True)
class Passage:
    """The least time in ps that each byte takes of `resources` and `windows`, and of one of each of the `sets`.

    `visits` is the least time in ps that each request takes of one or another of several.
    """

    resources: Bytes = field(default_factory=dict)
    windows: Bytes = field(default_factory=dict)
    sets: Sets = field(default_factory=dict)
    visits: Sets = field(default_factory=dict)

    @classmethod
    def of(cls, times: Bytes) -> Passage:
        """The passage of resources and windows, told apart by their handles."""
        windows = {handle: byte for handle, byte in times.items() if handle.kind == "window"}
        return cls({handle: byte for handle, byte in times.items() if handle not in windows}, windows)

    def __add__(self, other: Passage) -> Passage:
        """The passage of one way and then of another."""
        sets, visits = _sum(self.sets, other.sets), _sum(self.visits, other.visits)
        return Passage(_sum(self.resources, other.resources), _sum(self.windows, other.windows), sets, visits)

    def __and__(self, other: Passage) -> Passage:
        """The part that two ways have in common."""
        sets = _least(self.sets, other.sets)
        return Passage(_least(self.resources, other.resources), _least(self.windows, other.windows), sets)

    def declare(self, p: Builder, size: int) -> None:
        """A thread that passes here sends `size` bytes this way."""
        for what, byte in (*self.resources.items(), *self.windows.items()):
            claim(p, what, floor(size * byte))
        for handles, byte in self.sets.items():
            claim(p, p.together(handles), floor(size * byte))

    def visit(self, p: Builder, requests: int) -> None:
        """A thread that passes here makes this many requests."""
        for handles, time in self.visits.items():
            claim(p, p.together(handles) if len(handles) > 1 else handles[0], floor(requests * time))

    def beside(self, shared: Passage) -> list[tuple[tuple[Handle, ...], Fraction]]:
        """All that is not in a `shared` passage, each as a set, in order."""
        own = [((what,), byte) for what, byte in self.resources.items() if what not in shared.resources]
        own += [((what,), byte) for what, byte in self.windows.items() if what not in shared.windows]
        return own + [each for each in self.sets.items() if each[0] not in shared.sets]


def claim(p: Builder, what: Handle, time: int) -> None:
    """A thread that passes here takes a resource, or a place of a window, for at least so many ps."""
    if what.kind == "window":
        p.occupy(what, time)
    else:
        p.demand(what, time)


def common(passages: Iterable[Passage]) -> Passage:
    """The passage of one of several ways, whichever it is; nothing if there is no way."""
    found = list(passages)
    if not found:
        return Passage()
    shared = reduce(Passage.__and__, found)
    # The first stations of all ways, such as lanes of drives, are one set, the second ones another.
    sets = {**shared.sets, **_in_turn(each.beside(shared) for each in found)}
    return Passage(shared.resources, shared.windows, sets, _in_turn([*each.visits.items()] for each in found))


def _in_turn(ways: Iterable[Sequence[tuple[tuple[Handle, ...], Fraction]]]) -> Sets:
    """The stations of all ways, place by place, each place as one set."""
    found: dict[tuple[Handle, ...], Fraction] = {}
    for place in zip(*ways, strict=False):
        handles = tuple(dict.fromkeys(handle for each, _ in place for handle in each))
        found[handles] = min(time for _, time in place)
    return found


def _sum(one: Mapping[_Key, Fraction], other: Mapping[_Key, Fraction]) -> Mapping[_Key, Fraction]:
    return {key: one.get(key, Fraction(0)) + other.get(key, Fraction(0)) for key in (*one, *other)}


def _least(one: Mapping[_Key, Fraction], other: Mapping[_Key, Fraction]) -> Mapping[_Key, Fraction]:
    return {key: min(byte, other[key]) for key, byte in one.items() if key in other}
