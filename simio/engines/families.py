"""Machine functions as object code of their own: one object for each family, which the loop calls by its name.

Compiling them takes longer than compiling the loop, and few programs need all.
"""

from __future__ import annotations

from typing import Any

from numba import cfunc, types

from simio.engines.jit import inlined
from simio.machines.calls import FAMILIES, PREFIX

TABLE = types.CPointer(types.int64)
_SIGNATURE = types.int64(types.int64, TABLE, *[types.int64] * 4)
_disk = types.ExternalFunction(f"{PREFIX}disk", _SIGNATURE)
_media = types.ExternalFunction(f"{PREFIX}media", _SIGNATURE)
_parts = types.ExternalFunction(f"{PREFIX}parts", _SIGNATURE)
_tcp = types.ExternalFunction(f"{PREFIX}tcp", _SIGNATURE)
_volume = types.ExternalFunction(f"{PREFIX}volume", _SIGNATURE)
_network = types.ExternalFunction(f"{PREFIX}network", _SIGNATURE)


@inlined
def call(function, words, base, now, a, b):
    """Value of a machine function, from the object of its family (`simio.machines.calls.family`)."""
    if function < 16:
        return _disk(function, words, base, now, a, b)
    if 32 <= function < 48:
        return _tcp(function, words, base, now, a, b)
    if 48 <= function < 80:
        return _network(function, words, base, now, a, b)
    if function >= 120:
        return _volume(function, words, base, now, a, b)
    if function >= 96:
        return _media(function, words, base, now, a, b)
    return _parts(function, words, base, now, a, b)


def compiled_family(name: str) -> Any:
    """A family behind a C interface: function, address of the machines' state, base, time, a and b.

    Machines see the state as a pointer: an array is seven words to each of their functions, and each index is checked
    for being counted from the end.
    """
    family = FAMILIES[name]

    def entry(function, words, base, now, a, b):
        return family(function, words, base, now, a, b)

    return cfunc(_SIGNATURE, error_model="numpy", _nrt=False)(entry)  # type: ignore[call-arg]
