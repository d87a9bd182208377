"""Compilation of the compiled engine's functions; importing this imports numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import register_jitable

from simio.machines import random  # noqa: F401  (its shared functions are registered below)
from simio.machines.shared import FUNCTIONS

# Without reference counting (_nrt): tables outlive every call, and counting references to them around each helper
# costs more than the helpers do. Without wrappers: nothing but the engine's own loop calls these functions.
OPTIONS = {"error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_registered: set[Callable[..., Any]] = set()


def register_shared() -> None:
    """Let compiled functions call every shared function that has been defined."""
    for function in FUNCTIONS.keys() - _registered:
        # Said explicitly, since numba hands the options of an inlined caller down: inlined into one another as a
        # whole, the functions of a disk would take minutes to compile.
        register_jitable(forceinline=False, **OPTIONS)(function)
        _registered.add(function)


register_shared()
compiled = njit(**OPTIONS)  # type: ignore[call-overload]
INLINED = {"forceinline": True, **OPTIONS}
inlined = njit(**INLINED)  # type: ignore[call-overload]
"""Inlined by LLVM into every caller."""
