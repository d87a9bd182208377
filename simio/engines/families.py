"""Machine functions as object code of their own: one object for each family, whose functions the loop calls.

Compiling them takes longer than compiling the loop, and few programs need all. A step of the engine's own table names
a function by its row in the table of addresses (`code`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import cfunc, types

from simio.engines.jit import register_shared
from simio.machines.door import Machine
from simio.machines.shared import switch

TABLE = types.CPointer(types.int64)
_SIGNATURE = types.int64(types.int64, TABLE, *[types.int64] * 4)


def compiled_family(functions: Sequence[Machine]) -> Any:
    """A family behind a C interface: place of the function, address of the machines' state, base, time, a and b.

    It is taken apart into its functions when object code is made of it (`simio.engines.llvm`).

    Machines see the state as a pointer: an array is seven words to each of their functions, and each index is checked
    for being counted from the end.
    """
    register_shared()
    dispatch = switch("state, base, now, a, b", [(one.function, ", ".join(one.parameters)) for one in functions])
    return cfunc(_SIGNATURE, error_model="numpy", _nrt=False)(dispatch)  # type: ignore[call-arg]
