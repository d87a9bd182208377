"""Dataclasses whose methods are written when they are first used.

`dataclasses.dataclass` writes and compiles some six methods of a class when its module is imported. A command uses
few of the classes that it imports, and of these mostly `__init__`. `dataclass` here takes the options `eq`, `repr`
and `frozen`, and gives a class that behaves alike; `fields`, `replace`, `asdict` and `is_dataclass` know it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, eq=True, repr=True, frozen=False):  # noqa: A002  (its name in the standard library)
        """A class as a dataclass. Its fields are looked at when one of its methods is first called."""
        return _declared(cls, eq, repr, frozen) if cls else lambda kind: _declared(kind, eq, repr, frozen)


_FIELDS = "__dataclass_fields__"


def _declared(cls: Any, eq: bool, shown: bool, frozen: bool) -> Any:
    own = vars(cls)
    written = {"__init__": _init_frozen if frozen else _init}
    if shown:
        written["__repr__"] = _repr
    if eq:
        written["__eq__"] = _eq
        # A class that has `__eq__` and no `__hash__` of its own has None there.
        if own.get("__hash__") is None:
            if frozen:
                cls.__hash__ = _first(cls, "__hash__", _hash)
            elif "__eq__" not in own:
                cls.__hash__ = None
    if "__init__" not in own:
        cls.__signature__ = _Signature()
    for name, write in written.items():
        if name not in own:
            setattr(cls, name, _first(cls, name, write))
    if frozen:
        cls.__setattr__ = _refuse_to_set
        cls.__delattr__ = _refuse_to_delete
    setattr(cls, _FIELDS, _Fields(cls))
    return cls


def _first(cls: type, name: str, write: Callable[[type], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that writes the real one, puts it in its own place and calls it."""

    def method(*args: Any, **named: Any) -> Any:
        real = write(cls)
        real.__qualname__ = method.__qualname__
        real.__module__ = cls.__module__
        setattr(cls, name, real)
        return real(*args, **named)

    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


class _Fields:
    """Fields of a class, in place of which the mapping of them is put when somebody asks."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, _instance: object, _owner: type) -> dict[str, Field[Any]]:
        cls = self._cls
        found: dict[str, Field[Any]] = {}
        for base in cls.__mro__[:0:-1]:
            found |= getattr(base, _FIELDS, {})
        own = _own_fields(cls)
        for name, item in own.items():
            if isinstance(vars(cls).get(name), Field):
                if item.default is MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, item.default)
        setattr(cls, _FIELDS, found | own)
        return found | own


def _own_fields(cls: type) -> dict[str, Field[Any]]:
    """The fields that a class adds or changes: those of a dataclass without methods that has its annotations."""
    annotations = vars(cls).get("__annotations__", {})
    body = {name: vars(cls)[name] for name in annotations if name in vars(cls)}
    # A description of its own keeps `dataclasses` from making one.
    same = {"__annotations__": annotations, "__module__": cls.__module__, "__doc__": "fields"}
    bare = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False)
    own: dict[str, Field[Any]] = getattr(bare(type(cls.__name__, (), body | same)), _FIELDS)
    return own


class _Signature:
    """The parameters of a class, which its `__init__` does not tell before it is written."""

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None:
            raise AttributeError("__signature__")
        from inspect import signature

        whole = signature(_init(owner))
        return whole.replace(parameters=list(whole.parameters.values())[1:])


_MADE = object()


def _init(cls: Any, frozen: bool = False) -> Callable[..., Any]:
    known: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    head, body = ["self"], []
    for item in fields(cls):
        name, value = item.name, item.name
        if item.default_factory is not MISSING:
            known[f"_make_{name}"] = item.default_factory
            known[f"_default_{name}"] = _MADE
            value = f"_make_{name}() if {name} is _MADE else {name}" if item.init else f"_make_{name}()"
        elif item.default is not MISSING:
            known[f"_default_{name}"] = item.default
        if item.init:
            head.append(f"{name}=_default_{name}" if f"_default_{name}" in known else name)
        elif item.default_factory is MISSING:
            continue
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec(f"def __init__({', '.join(head)}):\n " + "\n ".join(body or ["pass"]), known)
    written: Callable[..., Any] = known["__init__"]
    return written


def _init_frozen(cls: type) -> Callable[..., Any]:
    return _init(cls, frozen=True)


def _repr(cls: Any) -> Callable[..., Any]:
    shown = [item.name for item in fields(cls) if item.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    return __repr__


def _compared(cls: Any) -> Callable[[Any], Any]:
    """Values of the fields that are compared, as a tuple."""
    names = [item.name for item in fields(cls) if item.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _eq(cls: type) -> Callable[..., Any]:
    values = _compared(cls)

    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: type) -> Callable[..., Any]:
    values = _compared(cls)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    if _is_fixed(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_fixed(record: Any, name: str) -> bool:
    """True for all attributes of a dataclass; a class that merely inherits from one may have others."""
    return _FIELDS in vars(type(record)) or name in getattr(record, _FIELDS)
