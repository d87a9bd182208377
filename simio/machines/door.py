"""The functions that a CALL step can name: declared once, where they stand.

    @machine("network")
    def enter(state: NDArray, base: int, amount: int) -> int:
        ...

declares a machine function of the family `network`; `p.call(answer, queue.enter, offset, amount)` emits a step that
calls it. A function takes the machines' state, the offset of its own machine, the present time in ps if its next
parameter is called `now`, and up to two integers. It returns an integer; a negative one means that the machine
refuses, which ends the run with an error.

The number of a function follows from its name, which is its module (below `simio.machines`) and its own. A family is
what is compiled together: a program needs the families of the functions that it calls. The functions of one family
belong to one package, so that a plug-in has families of its own.
"""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from simio.machines.shared import parameters, shared

Called = Callable[..., int]
"""A machine function."""
_Function = TypeVar("_Function", bound=Called)

ROOM = "simio.machines"
"""The package of simio's own machines; a name leaves it out."""
ARGUMENTS = 2
"""Integers that a CALL step passes, at most."""


@dataclass(frozen=True)
class Machine:
    """A declared machine function: its family, its name, the number in a program's steps, and how it is called."""

    function: Called
    family: str
    name: str
    number: int
    timed: bool
    """True if it takes the present time."""
    arguments: int
    word: int | None = None
    """The word of the machine's state that is its whole answer, where an engine may look at it without a call."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Its parameters in order, of `state`, `base`, `now`, `a` and `b`."""
        return ("state", "base", *(["now"] if self.timed else []), *("a", "b")[: self.arguments])


class UnknownMachineError(ValueError):
    """A number or function that nobody declared as a machine function."""


_BY_NUMBER: dict[int, Machine] = {}
_BY_FUNCTION: dict[Called, Machine] = {}
_PACKAGES: dict[str, str] = {}
"""Families, and the packages that declare their functions."""
_EXTENSIONS: dict[str, list[Callable[[], Iterable[str]]]] = {}


def machine(family: str, word: int | None = None) -> Callable[[_Function], _Function]:
    """Declare a function that CALL steps can name, as one of a family; what it calls is `shared`.

    With `word`, it does nothing but answer with that word of the machine's state.
    Raises ValueError for parameters that a CALL step cannot pass, a family of another package, and a name whose
    number another function has.
    """

    def declare(function: _Function) -> _Function:
        made = _declaration(family, function, word)
        package = function.__module__.partition(".")[0]
        owner = _PACKAGES.setdefault(family, package)
        if owner != package:
            raise ValueError(f"{made.name}: machine family {family!r} belongs to {owner}; choose another name")
        other = _BY_NUMBER.get(made.number)
        if other and other.name != made.name:
            raise ValueError(f"{made.name} and {other.name} come to the same number; rename one of them")
        _BY_NUMBER[made.number] = _BY_FUNCTION[function] = made
        return shared(function)

    return declare


def _declaration(family: str, function: Called, word: int | None) -> Machine:
    name = f"{function.__module__.removeprefix(f'{ROOM}.')}.{function.__qualname__}"
    given = parameters(function)
    timed = given[2:3] == ["now"]
    arguments = len(given) - (3 if timed else 2)
    if given[:2] != ["state", "base"] or not 0 <= arguments <= ARGUMENTS:
        raise ValueError(f"{name}: a machine function takes state, base, now if it wants, and up to two integers")
    return Machine(function, family, name, number_of_name(name), timed, arguments, word)


def number_of_name(name: str) -> int:
    """The number of the function of this name: 31 bits of its SHA-256, so that it depends on nothing else."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


def number_of(function: Called) -> int:
    """The number of a machine function; raises UnknownMachineError if it was never declared."""
    try:
        return _BY_FUNCTION[function].number
    except (KeyError, TypeError):
        raise UnknownMachineError(f"{function!r} is no machine function; declare it with @machine") from None


def numbered(number: int) -> Machine:
    """The machine function of a number; raises UnknownMachineError if there is none.

    A program may come from another process, so that all machines of simio, and then those of plug-ins, are imported
    if need be.
    """
    if number not in _BY_NUMBER:
        import_machines()
    if number not in _BY_NUMBER:
        from simio.plugins import load_plugins

        load_plugins()
    try:
        return _BY_NUMBER[number]
    except KeyError:
        raise UnknownMachineError(f"no machine function has number {number}") from None


@cache
def import_machines() -> None:
    """Import every machine of simio."""
    for module in pkgutil.walk_packages(import_module(ROOM).__path__, f"{ROOM}."):
        import_module(module.name)


def families() -> dict[str, Sequence[Machine]]:
    """All functions that have been declared, by family, each family in order of name."""
    import_machines()
    found: dict[str, list[Machine]] = {family: [] for family in _PACKAGES}
    for one in sorted(_BY_NUMBER.values(), key=lambda one: one.name):
        found[one.family].append(one)
    return dict(found)


def extend(family: str, packages: Callable[[], Iterable[str]]) -> None:
    """Note that functions of a family call code of other top-level packages, too: those that `packages` gives."""
    _EXTENSIONS.setdefault(family, []).append(packages)


def packages(family: str) -> list[str]:
    """The top-level packages that a family is compiled from: the one that declares its functions comes first."""
    owner = _PACKAGES.get(family, ROOM.partition(".")[0])
    others = {package for packages in _EXTENSIONS.get(family, []) for package in packages()}
    return [owner, *sorted(others - {owner})]


def call(function: int | Called, state: Any, base: int, now: int, a: int = 0, b: int = 0) -> int:
    """Value of a machine function, given itself or by its number; negative if the machine refuses."""
    called = numbered(function) if isinstance(function, int) else _BY_FUNCTION[function]
    given = (now, a, b) if called.timed else (a, b)
    return called.function(state, base, *given[: called.timed + called.arguments])
