"""The loop, and the families of machine functions, as object code of their own.

Compiling the families takes longer than compiling the loop, and few programs need all. A step of the engine's own
table names a function by its address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import cfunc, types

from simio.engines import threaded
from simio.engines.jit import register_shared
from simio.engines.kernel import next_event, pass_limit, run
from simio.engines.operations import OPERATIONS
from simio.engines.tables import WORDS
from simio.machines.door import Machine
from simio.machines.shared import switch

_SIGNATURE = types.int64(types.int64, WORDS, *[types.int64] * 4)


def compiled_family(functions: Sequence[Machine]) -> Any:
    """A family behind a C interface: place of the function, address of the machines' state, base, time, a and b.

    Machines see the state as a pointer: an array is seven words to each of their functions, and each index is checked
    for being counted from the end.
    """
    register_shared()
    return _behind([(one.function, ", ".join(one.parameters)) for one in functions])


def compiled_loop() -> Any:
    """The loop, and the operations that threaded code calls, behind the same interface; the state is `control`."""
    operations = [(OPERATIONS[operation], "state, base, now") for operation in threaded.OPERATIONS]
    return _behind([(run, "state"), (next_event, "state"), (pass_limit, "state"), *operations])


def _behind(functions: Sequence[tuple[Any, str]]) -> Any:
    """A function that is taken apart when object code is made of it (`simio.engines.llvm`)."""
    dispatch = switch("state, base, now, a, b", functions)
    return cfunc(_SIGNATURE, error_model="numpy", _nrt=False)(dispatch)  # type: ignore[call-arg]
