"""Machine functions as object code of their own: one object for each family, whose functions the loop calls.

Compiling them takes longer than compiling the loop, and few programs need all. A step of the engine's own table names
a function by its row in the table of addresses (`code`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import cfunc, types
from numba.extending import intrinsic

from simio.engines.jit import inlined, register_shared
from simio.machines.door import Machine
from simio.machines.shared import switch

TABLE = types.CPointer(types.int64)
_SIGNATURE = types.int64(types.int64, TABLE, *[types.int64] * 4)


@intrinsic
def _at(_typing, address, words, base, now, a, b):
    """Value of the machine function that is at an address."""

    def generate(context, builder, _signature, arguments):
        values = [context.get_value_type(kind) for kind in _SIGNATURE.args[1:]]
        kind = ir.FunctionType(context.get_value_type(_SIGNATURE.return_type), values)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return types.int64(types.int64, *_SIGNATURE.args[1:]), generate


@inlined
def call(code, functions, words, base, now, a, b):
    """Value of a machine function, by its code; `functions` are the addresses of those that are loaded."""
    return _at(functions[code], words, base, now, a, b)


def compiled_family(functions: Sequence[Machine]) -> Any:
    """A family behind a C interface: place of the function, address of the machines' state, base, time, a and b.

    It is taken apart into its functions when object code is made of it (`simio.engines.llvm`).

    Machines see the state as a pointer: an array is seven words to each of their functions, and each index is checked
    for being counted from the end.
    """
    register_shared()
    dispatch = switch("state, base, now, a, b", [(one.function, ", ".join(one.parameters)) for one in functions])
    return cfunc(_SIGNATURE, error_model="numpy", _nrt=False)(dispatch)  # type: ignore[call-arg]
