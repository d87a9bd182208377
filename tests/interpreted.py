"""The compiled engine run as Python, for what looks into its source: coverage and mutants.

Under `NUMBA_DISABLE_JIT=1` its functions are Python, but object code that is kept would be loaded all the same, and
what is not would be compiled. Here the loop is called as Python instead, on the same tables.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
import pytest

Words = ctypes.POINTER(ctypes.c_int64)


def interpret(patch: pytest.MonkeyPatch) -> None:
    """From now on, `simio.engines.compiled` runs the loop's source."""
    patch.setattr(numba, "cfunc", lambda *_, **__: lambda function: function)
    from simio.engines import compiled, kernel
    from simio.machines.calls import call

    def called(function: int, words: Any, size: int, *rest: int) -> int:
        return call(function, numba.carray(words, (size,)), *map(int, rest))

    def loop(*addresses: int) -> int:
        # Sums of marks wrap, as they do compiled.
        with np.errstate(over="ignore"):
            return int(kernel.entry(*(ctypes.cast(address, Words) for address in addresses)))

    patch.setattr(kernel, "call", called)
    patch.setattr(compiled, "entry", lambda *_: loop)
