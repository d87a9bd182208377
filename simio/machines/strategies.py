"""Strategies: interchangeable algorithms of a machine, one of which a word of its state names.

    CONTROLS = Strategies[Strategy]("congestion control", c.CONTROL, "tcp")

    @CONTROLS.operation
    def increase(state: NDArray, base: int, acked: int) -> int:
        \"""The window after an acknowledgement; by default, it stays.\"""
        return state[base + c.CWND]

    CONTROLS.add(Strategy("cubic", [increase, threshold]))

A call of an operation runs the function of its name that the chosen strategy has, or else the operation's own body.
The code of that call is a chain of comparisons, written anew for each strategy that is added: compiled code is
faster, and compiled sooner, with these than with pointers to functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import CodeType, FunctionType
from typing import Any, Generic, TypeVar, cast

from simio.machines.door import extend, number_of_name
from simio.machines.shared import parameters, shared

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Strategy:
    """An algorithm: its name, and its functions, each of the name of the operation that it implements."""

    def __init__(self, name: str, functions: Iterable[Callable[..., Any]]) -> None:
        self.name = name
        self.functions = {function.__name__: function for function in functions}

    @property
    def number(self) -> int:
        """The word that stands for it in a state, which depends on its name alone."""
        return number_of_name(self.name)


_Strategy = TypeVar("_Strategy", bound=Strategy)
_importing: list[str] = []
_waiting: dict[Strategies[Any], None] = {}


class Strategies(Generic[_Strategy]):
    """The strategies of one kind, and the operations that they implement."""

    def __init__(self, kind: str, word: int, *families: str) -> None:
        """Strategies of machine functions of `families`; the word at offset `word` holds the number of one."""
        self.kind = kind
        for family in families:
            extend(family, self._packages)
        self._word = word
        self._strategies: dict[str, _Strategy] = {}
        self._operations: dict[str, Callable[..., Any]] = {}
        self._required: set[str] = set()

        def known(state: Any, base: int) -> bool:
            return False

        self.known = shared(known)
        """Shared function: whether the word of a state stands for a strategy at all."""

    def __iter__(self) -> Iterator[str]:
        """Names of the strategies, sorted."""
        return iter(sorted(self._strategies))

    def __getitem__(self, name: str) -> _Strategy:
        """The strategy of a name; raises KeyError if there is none."""
        return self._strategies[name]

    def required(self, function: _Function) -> _Function:
        """Declare an operation that every strategy implements; its parameters are `state, base, ...`."""
        self._required.add(function.__name__)
        return self._declared(function)

    def operation(self, function: _Function) -> _Function:
        """Declare an operation that a strategy may leave to the body given here."""
        shared(function)
        return self._declared(function)

    def _declared(self, default: _Function) -> _Function:
        name = default.__name__
        operation = FunctionType(default.__code__, {"default": default}, name)
        operation.__doc__, operation.__module__ = default.__doc__, default.__module__
        self._operations[name] = operation
        self._write(name)
        return cast(_Function, shared(operation))

    def add(self, strategy: _Strategy) -> _Strategy:
        """Make a strategy available; its functions must be `shared`.

        Raises ValueError for a name or number that another has, for a function that is no operation or has other
        parameters, and for a required operation that is missing.
        """
        who = f"{self.kind} {strategy.name!r}"
        if strategy.number in (other.number for other in self._strategies.values()):
            raise ValueError(f"{who}: another has this name, or its number")
        if missing := self._required - strategy.functions.keys():
            raise ValueError(f"{who}: operation {min(missing)!r} is missing")
        for name, function in strategy.functions.items():
            if name not in self._operations:
                raise ValueError(f"{who}: there is no operation {name!r}")
            wanted = _parameters(self._operations[name])
            if _parameters(function) != wanted:
                raise ValueError(f"{who}: the parameters of {name!r} must be {wanted}")
        self._strategies[strategy.name] = strategy
        self._write_all()
        return strategy

    def remove(self, name: str) -> None:
        """Take a strategy away again; raises KeyError if there is none of this name."""
        del self._strategies[name]
        self._write_all()

    def _packages(self) -> set[str]:
        """The top-level packages of all functions."""
        functions = (function for strategy in self._strategies.values() for function in strategy.functions.values())
        return {function.__module__.partition(".")[0] for function in functions}

    def _write_all(self) -> None:
        """Write the code of every operation, but while strategies are imported, once these are all there."""
        if _importing:
            _waiting[self] = None
            return
        for name in self._operations:
            self._write(name)
        self.known.__code__ = _code("known", "state, base", [f"return {self._is(self._strategies.values())}"])

    def _write(self, name: str) -> None:
        """Write the code of an operation."""
        operation = self._operations[name]
        arguments = _parameters(operation)
        branches: dict[Callable[..., Any], list[_Strategy]] = {}
        for strategy in self._strategies.values():
            if name in strategy.functions:
                branches.setdefault(strategy.functions[name], []).append(strategy)
        lines = []
        for place, (function, strategies) in enumerate(branches.items()):
            operation.__globals__[f"function_{place}"] = function
            call = f"return function_{place}({arguments})"
            # Of a required operation, the last strategies are those that are left.
            last = name in self._required and place == len(branches) - 1
            lines += [call] if last else [f"if {self._is(strategies)}:", f"    {call}"]
        if name not in self._required or not branches:
            lines.append(f"return default({arguments})")
        operation.__code__ = _code(name, arguments, lines)

    def _is(self, strategies: Iterable[_Strategy]) -> str:
        """An expression: whether the chosen strategy is one of these."""
        return " or ".join(f"state[base + {self._word}] == {strategy.number}" for strategy in strategies) or "False"


def _code(name: str, arguments: str, lines: Iterable[str]) -> CodeType:
    scope: dict[str, Any] = {}
    exec("\n    ".join([f"def {name}({arguments}):", *lines]), scope)
    code: CodeType = scope[name].__code__
    return code


def _parameters(function: Callable[..., Any]) -> str:
    return ", ".join(parameters(function))


def import_all(package: str) -> None:
    """Import every module of a package, in order of name: each file adds what it declares."""
    _importing.append(package)
    try:
        for module in sorted(iter_modules(import_module(package).__path__), key=lambda module: module.name):
            import_module(f"{package}.{module.name}")
    finally:
        _importing.pop()
    while _waiting and not _importing:
        _waiting.popitem()[0]._write_all()
