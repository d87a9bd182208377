"""Dataclasses whose methods are written late: everything that those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from simio.deferred import dataclass

T = TypeVar("T")
BOTH = pytest.mark.parametrize("declare", [dataclass, dataclasses.dataclass], ids=["deferred", "standard"])
"""Each of these tests is of the standard library's class as well, to hold both to the same."""


@dataclass(frozen=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False, repr=False)
    limit: ClassVar[int] = 7

    @cached_property
    def total(self) -> int:
        """The sum, computed once."""
        return self.x + self.y


@dataclass(frozen=True)
class Deep(Point):
    """A point with depth, and another default for what it inherits."""

    y: int = 3
    depth: int = 4


@dataclass(frozen=True)
class Boxed(Generic[T]):
    """A generic one."""

    thing: T


def _made(declare: Any, **options: Any) -> Any:
    class Made:
        a: int
        b: list[int] = field(default_factory=list)
        c: int = 5
        hidden: int = field(default=6, repr=False, compare=False)
        counted: list[int] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("below zero")

    return declare(**options)(Made)


@BOTH
def test_a_class_takes_its_fields_and_their_defaults(declare: Any) -> None:
    made = _made(declare)
    one, other = made(1), made(1, c=7)
    assert (one.a, one.b, one.c, one.hidden, one.counted) == (1, [], 5, 6, [])
    assert other.c == 7
    assert one.b is not other.b, "each has a list of its own"
    assert [item.name for item in fields(made)] == ["a", "b", "c", "hidden", "counted"]
    assert repr(one).endswith("Made(a=1, b=[], c=5, counted=[])")
    assert made.c == 5
    assert not hasattr(made, "b"), "the class has defaults, and no notes about them"
    for wrong in ((), (1, [], 2, 3, 4)):
        with pytest.raises(TypeError, match="__init__"):
            made(*wrong)
    with pytest.raises(ValueError, match="below zero"):
        made(-1)


@BOTH
@pytest.mark.parametrize("frozen", [False, True])
def test_classes_compare_by_their_fields(declare: Any, frozen: bool) -> None:
    made = _made(declare, frozen=frozen)
    one, same, other = made(1), made(1, hidden=9), made(2)
    assert one == same
    assert one != other
    assert one != (1, [], 5, [])
    if not frozen:
        with pytest.raises(TypeError, match="unhashable"):
            hash(one)
    plain = declare(frozen=True)(type("Plain", (), {"__annotations__": {"a": "float"}, "__module__": __name__}))
    assert {plain(1.0): "kept"}[plain(1.0)] == "kept"
    assert plain(math.nan) == plain(math.nan), "as tuples compare"
    assert plain(math.nan) != plain(float("nan"))


@BOTH
def test_options_leave_methods_out(declare: Any) -> None:
    apart = _made(declare, eq=False, repr=False)
    one = apart(1)
    assert one != apart(1)
    assert {one: 1}[one] == 1
    assert repr(one).startswith("<")


@BOTH
def test_methods_of_a_class_itself_stay(declare: Any) -> None:
    @declare(frozen=True)
    class Own:
        a: int

        def __init__(self) -> None:
            object.__setattr__(self, "a", 3)

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 8

    assert (Own().a, repr(Own()), Own() == 1, hash(Own())) == (3, "own", True, 8)


@pytest.mark.parametrize("first", [repr, hash, fields, is_dataclass, copy.copy, pickle.dumps, inspect.signature])
def test_any_use_may_be_the_first(first: Any) -> None:
    @dataclass(frozen=True)
    class Fresh:
        a: int
        b: tuple[int, ...] = field(default=(1,))

    globals()["Fresh"], Fresh.__qualname__ = Fresh, "Fresh"
    if first in (fields, is_dataclass, inspect.signature):
        assert first(Fresh)
    else:
        assert first(Fresh(1))
    assert Fresh(2) == Fresh(2)
    assert repr(Fresh(2)) == "Fresh(a=2, b=(1,))"


def test_a_frozen_one_stays_as_it_is() -> None:
    point = Point(1)
    for name in ("x", "z"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(point, name, 5)
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x  # type: ignore[misc]
    assert point.total == 3, "what is computed once is kept all the same"

    class Below(Point):
        pass

    below = Below(1)
    below.z = 5  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        below.x = 5  # type: ignore[misc]


def test_a_class_inherits_fields() -> None:
    assert [item.name for item in fields(Deep)] == ["x", "y", "names", "depth"]
    deep = Deep(1)
    assert (deep.x, deep.y, deep.names, deep.depth, Deep.limit) == (1, 3, [], 4, 7)
    assert deep != Point(1, 3)
    assert replace(deep, x=5) == Deep(5)
    assert asdict(deep)["depth"] == 4
    assert Boxed(3) == Boxed[int](3)


def test_a_class_travels_to_other_processes() -> None:
    there = pickle.loads(pickle.dumps(Deep(1, names=["a"])))
    assert there == Deep(1)
    assert there.names == ["a"]


def test_a_signature_tells_the_parameters() -> None:
    assert str(inspect.signature(Boxed)) == "(thing)"
    assert list(inspect.signature(Deep).parameters) == ["x", "y", "names", "depth"]
