"""How the compiled engine's functions are compiled; importing this imports numba."""

from __future__ import annotations

from numba import njit
from numba.extending import register_jitable

from simio.machines import calls, random  # noqa: F401  (their shared functions are registered below)
from simio.machines.shared import FUNCTIONS

# Without reference counting (_nrt): tables outlive every call, and counting references to them around each helper
# costs more than the helpers do. Without wrappers: nothing but the engine's own loop calls these functions.
OPTIONS = {"error_model": "numpy", "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
for function in FUNCTIONS:
    # Said explicitly, since numba hands the options of an inlined caller down: inlined into one another as a whole,
    # the functions of a disk would take minutes to compile.
    register_jitable(forceinline=False, **OPTIONS)(function)

compiled = njit(**OPTIONS)  # type: ignore[call-overload]
inlined = njit(forceinline=True, **OPTIONS)  # type: ignore[call-overload]
"""Inlined by LLVM into every caller."""
