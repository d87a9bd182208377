"""The purpose of steps, in words: work that a component does at a place, and calls that a program makes.

Labels serve analysis only. They are written where the steps are written, around them or, for a whole method of a
component, before it:

    @labelled("copies", "name")
    def copy(self, size: int) -> None: ...

The innermost label of work around a step holds, and the outermost of calls. What is written once and run by threads
that are started in many places (a procedure) has none of the labels around its first call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce, wraps
from typing import Any, NamedTuple, TypeVar

Emits = TypeVar("Emits", bound=Callable[..., None])


class Label(NamedTuple):
    """Steps `start` to `end` (excluded) are `what`, at the place `where`; a `call` is one that a program makes.

    `byte` is what the part of their time is for that depends on an amount, if that is something else.
    """

    start: int
    end: int
    what: str
    where: str
    call: bool = False
    byte: str = ""


def labelled(what: str, where: str = "", byte: str = "") -> Callable[[Emits], Emits]:
    """A method whose steps are `what`; `where` is the attribute of its object that names the place ('host.name')."""
    return _wrapper(what, where, False, byte)


def called(what: str) -> Callable[[Emits], Emits]:
    """A method that emits a call of a program, of which a report says that the program does `what`."""
    return _wrapper(what, "", True, "")


def _wrapper(what: str, where: str, call: bool, byte: str) -> Callable[[Emits], Emits]:
    places = where.split(".") if where else []

    def wrap(emit: Emits) -> Emits:
        @wraps(emit)
        def inner(self: Any, *args: Any, **more: Any) -> None:
            # Not as `with p.label(...)`, which takes longer than many a method; there are 30,000 in large programs.
            p = self.p
            start = p._at
            emit(self, *args, **more)
            p.label_from(start, what, reduce(getattr, places, self) if places else "", call, byte)

        return inner  # type: ignore[return-value]

    return wrap
