"""One source for both engines: a shared function is plain Python to one and compiled into the other.

Shared functions use int64 arithmetic only, on values that stay below 2**63, so that Python's unbounded integers
and the compiled ones cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])


def shared(function: _Function) -> _Function:
    """Mark a function as callable from the compiled engine; calls from Python run the Python source."""
    from numba.extending import register_jitable

    return register_jitable(function)
