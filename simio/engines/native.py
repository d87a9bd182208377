"""The compiled engine's loop and machines as machine code, loaded by LLVM alone.

Starting numba takes longer than most runs. So the loop and each family of machine functions are object files, each
made when a program first needs it: from the IR that comes with the package, or by numba where that does not fit. They
are kept (`simio.engines.kept`), and from then on loaded without either.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from simio.engines.compiling import LOOP, compile_ir
from simio.engines.kept import Object, cache_folder, keep, read
from simio.engines.llvm import emit, load
from simio.engines.outcome import Ints
from simio.engines.shipped import IR, fits, shipped_ir, shipped_size
from simio.extras import needs
from simio.machines import door

Entry = Callable[..., int]
Announce = Callable[[str], Any]
_families: dict[str, Any] = {}
"""Families that are loaded, with what keeps their code."""
_functions: dict[int, int] = {}
"""Addresses of the functions of these families, by their numbers in programs."""
_entry: Entry | None = None
_steps = np.zeros(0, dtype=np.int64)
"""Addresses of threaded code, in the order of `threaded.names`."""
_loading = Lock()


def entry(announce: Announce | None = None, families: Iterable[str] | None = None) -> Entry:
    """The loop: called with the address of `control` (`layout`), it returns a status.

    It can call machine functions of these families, or of all. `announce` is called before a compilation starts.
    """
    global _entry, _steps
    with _loading:
        wanted = door.families() if families is None else families
        missing = sorted(set(wanted) - _families.keys())
        if _entry is None or missing:
            objects = _objects(missing if _entry else [*missing, LOOP], announce)
            for name in missing:
                _load_family(name, *objects[name])
            if _entry is None:
                engine, (address, *steps) = load(*objects[LOOP])
                _steps = np.array(steps, dtype=np.int64)
                _entry = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(address)
                _entry.engine = engine  # type: ignore[attr-defined]  # the code lives as long as what can call it
        return _entry


def compiles() -> bool:
    """True where numba has to compile some of the engine, as the package has no IR for it here."""
    return not all(map(fits, [LOOP, *door.families()]))


def _load_family(name: str, code: bytes, symbols: dict[str, Any]) -> None:
    _families[name], places = load(code, symbols)
    _functions.update(zip(symbols["functions"], places, strict=True))


def function_address(number: int) -> int:
    """Address of a machine function of a loaded family, from its number in programs."""
    return _functions[number]


def step_addresses() -> Ints:
    """Addresses of threaded code, in the order of `threaded.names`."""
    return _steps


def _objects(names: Sequence[str], announce: Announce | None) -> dict[str, Object]:
    """Object code of these names, as it is kept or made now."""
    folder = cache_folder()
    found = {name: read(folder, name) for name in names}
    for name in [name for name, known in found.items() if known is None]:
        if ir := shipped_ir(name):
            found[name] = _made(folder, name, ir)
    missing = [name for name, known in found.items() if known is None]
    if missing:
        needs("numba", "the engine, to be compiled for a plug-in or this platform,")
    if announce and missing:
        announce("compiling the engine (once for this version; up to a minute) …")
    mine, others = _shared_out(missing)
    with _compiling_elsewhere(others):
        found |= {name: _made(folder, name, compile_ir(name)) for name in mine}
    return {
        name: known or read(folder, name) or _made(folder, name, compile_ir(name)) for name, known in found.items()
    }


def _made(folder: Path, name: str, ir: IR) -> Object:
    """Object code from IR, which is kept from now on."""
    text, symbols = ir
    code = emit(text, symbols)
    keep(folder, name, code, symbols)
    return code, symbols


def _shared_out(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """The sources for this process and those for another, which take equally long; on one CPU all for this one."""
    mine: list[str] = []
    others: list[str] = []
    if (os.cpu_count() or 1) < 2:
        return list(names), others
    work = {name: shipped_size(name) for name in names}
    for name in sorted(names, key=lambda name: -work[name]):
        first, second = (sum(work[each] for each in half) for half in (mine, others))
        (mine if first <= second else others).append(name)
    return mine, others


@contextmanager
def _compiling_elsewhere(names: Sequence[str]) -> Iterator[None]:
    """Let another process compile and keep these; what it did not do is missing in the end."""
    if not names:
        yield
        return
    code = "import sys; from simio.engines.native import compile_and_keep; compile_and_keep(sys.argv[1:])"
    process = None
    with suppress(OSError):
        import subprocess

        process = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *names],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        yield
        if process:
            process.wait()
    finally:
        if process:
            process.kill()
            process.wait()


def compile_and_keep(names: Iterable[str]) -> None:
    """Compile these and keep them, for whoever needs them next."""
    folder = cache_folder()
    for name in names:
        _made(folder, name, compile_ir(name))
