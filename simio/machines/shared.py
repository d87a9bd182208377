"""One source for both engines: a shared function is plain Python to one and compiled into the other.

Shared functions use int64 arithmetic only, on values that stay below 2**63, so that Python's unbounded integers
and the compiled ones cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

FUNCTIONS: dict[Callable[..., Any], None] = {}
"""Every shared function, in order of definition; the compiled engine's sources compile them when they need to."""


def shared(function: _Function) -> _Function:
    """Let the compiled engine call a function too; calls from Python run the Python source."""
    FUNCTIONS[function] = None
    return function
