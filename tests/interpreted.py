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
    from simio.engines import compiled, entry, kernel, prepared, registers
    from simio.engines import layout as c
    from simio.machines.door import call

    state, words = c.TABLES.index("state"), len(c.TABLES) - 1

    def advance(*tables: Any) -> int:
        # Machines get the table of their state, not its address: what lies beyond it is an error.
        return kernel.advance(*tables[:words], tables[state], *tables[words + 1 :])

    def loop(*addresses: int) -> int:
        # Sums of marks wrap, as they do compiled.
        with np.errstate(over="ignore"):
            return int(entry.entry(*(ctypes.cast(address, Words) for address in addresses)))

    def copy(table: Any, to: int, source: int) -> None:
        row = table.reshape(-1)
        row[int(to) : int(to) + registers.TOGETHER] = row[int(source) : int(source) + registers.TOGETHER]

    patch.setattr(entry, "advance", advance)
    patch.setattr(registers, "_copy", copy)
    patch.setattr(kernel, "call", lambda number, _, table, *rest: call(int(number), table, *map(int, rest)))
    patch.setattr(prepared, "code", lambda number: number)
    patch.setattr(compiled, "entry", lambda *_: loop)
