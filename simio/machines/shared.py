"""One source for both engines: a shared function is plain Python to one and compiled into the other.

Shared functions use int64 arithmetic only, on values that stay below 2**63, so that Python's unbounded integers
and the compiled ones cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

FUNCTIONS: dict[Callable[..., Any], None] = {}
"""Every shared function, in order of definition; the compiled engine's sources compile them when they need to."""


def switch(parameters: str, branches: Sequence[tuple[Callable[..., int], str]]) -> Callable[..., int]:
    """A function of a number and `parameters` that calls the branch of that number, with the branch's own; else -1.

    Machine code cannot call what a table names, so that the source of such a function is written here.
    """
    lines = [f"def switch(number, {parameters}):"]
    for number, (_, own) in enumerate(branches):
        lines += [f"    if number == {number}:", f"        return f{number}({own})"]
    scope: dict[str, Any] = {f"f{number}": branch for number, (branch, _) in enumerate(branches)}
    exec("\n".join([*lines, "    return -1"]), scope)
    made: Callable[..., int] = scope["switch"]
    return made


def shared(function: _Function) -> _Function:
    """Let the compiled engine call a function too; calls from Python run the Python source."""
    FUNCTIONS[function] = None
    return function


def parameters(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters. `inspect.signature` takes twenty times as long, at each start."""
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])
