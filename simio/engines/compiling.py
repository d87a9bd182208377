"""Intermediate representation of LLVM (IR) that numba makes of the loop and of families of machine functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from simio.engines import threaded
from simio.engines.llvm import linked, place, with_places
from simio.machines import door
from simio.plugins import load_plugins
from simio.program.garbage import uncollected

LOOP = "loop"
"""The object that is no family of machine functions."""


def compile_ir(name: str) -> tuple[str, dict[str, Any]]:
    """IR of the loop or a family by numba, and its symbols.

    These are its entry, those outside, functions of the family, places, and what is called from outside.
    """
    import numba

    # Loops here are short and their trip counts unknown: vectorising them takes time and gains none.
    numba.config.LOOP_VECTORIZE = numba.config.SLP_VECTORIZE = 0  # type: ignore[attr-defined]
    with uncollected():  # a tenth of the time that compiling takes
        from simio.engines.families import compiled_family, compiled_loop
        from simio.engines.intermediate import intermediate

        functions = [] if name == LOOP else _functions(name)
        made = compiled_loop() if name == LOOP else compiled_family(functions)
    places = [place(number) for number in range(len(functions) or threaded.FIRST_PLACE + len(threaded.OPERATIONS))]
    text = with_places(made.inspect_llvm(), made.native_name, len(places))
    if name == LOOP:
        text = linked(text, intermediate())
    outside = re.findall(r'^declare [^@]*@"?([\w.$]+)"?\(', text, flags=re.MULTILINE)
    outside += re.findall(r'^@"?([\w.$]+)"? = external', text, flags=re.MULTILINE)
    return text, {
        "entry": made.native_name,
        "outside": [name for name in outside if not name.startswith("llvm.")],
        "functions": [function.number for function in functions],
        "places": places,
        "called": [place(0), *threaded.names()] if name == LOOP else places,
    }


def _functions(family: str) -> Sequence[door.Machine]:
    """The functions of a family, which another process may not have loaded yet where a plug-in has brought it."""
    if family not in door.families():
        load_plugins()
    return door.families()[family]
