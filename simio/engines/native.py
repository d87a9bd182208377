"""The compiled engine's loop as machine code: compiled once by numba, kept, and loaded by LLVM alone.

Starting numba takes longer than most runs. So the loop is compiled to an object file, which is kept in a folder
of the user's own and loaded without numba from then on. The folder's name holds a hash of every source that goes
into it and of the processor, so that a change of any of them compiles anew, and two versions of simio, Python or
numba, or two kinds of machine with one home, never share code.
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from simio.engines import layout
from simio.errors import SimioError
from simio.files import cache_base, write_whole

Entry = Callable[..., int]
Announce = Callable[[str], Any]

_OBJECT = "loop.o"
_SYMBOLS = "loop.json"
_entry: Entry | None = None


def entry(announce: Announce | None = None) -> Entry:
    """The loop: called with the addresses of the tables in `layout.TABLES`, it returns a status.

    `announce` is told before a compilation starts.
    """
    global _entry
    if _entry is None:
        folder = cache_folder()
        kept = _read(folder)
        if kept is None:
            if announce:
                announce("compiling the engine (once for this version; up to a minute) …")
            kept = _compile()
            _keep(folder, *kept)
        _entry = _load(*kept)
    return _entry


def source_hash() -> str:
    """Hash of everything that decides what the compiled code is."""
    import llvmlite.binding as llvm

    versions = (sys.version, version("numba"), version("llvmlite"))
    machine = (llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest = hashlib.sha256("\n".join((*versions, *machine)).encode())
    package = Path(__file__).parent.parent
    for room in ("machines", "engines"):
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled code is kept: $SIMIO_CACHE, or simio under the user's cache folder; made if need be.

    Where that cannot be written (a read-only home), a folder of the user's own under the temporary one.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    for root in (cache_base(), Path(tempfile.gettempdir()) / f"simio-{user}"):
        parts = (root, root / "compiled", root / "compiled" / source_hash())
        with suppress(OSError):
            for part in parts:
                part.mkdir(parents=True, exist_ok=True, mode=0o700)
            if all(_own(part, user) for part in parts):
                with tempfile.TemporaryFile(dir=parts[-1]):
                    return parts[-1]
    return Path(tempfile.mkdtemp(prefix="simio-"))


def _own(folder: Path, user: int) -> bool:
    """Whether only this user (or root) can put code into a folder, from which it is run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid in (user, 0) and not status.st_mode & 0o022


def _read(folder: Path) -> tuple[bytes, dict[str, Any]] | None:
    """The kept object code and its symbols, or None where either is missing or damaged."""
    try:
        symbols = json.loads((folder / _SYMBOLS).read_text())
        code = (folder / _OBJECT).read_bytes()
    except (OSError, ValueError):
        return None
    return (code, symbols) if hashlib.sha256(code).hexdigest() == symbols.get("sha256") else None


def _keep(folder: Path, code: bytes, symbols: dict[str, Any]) -> None:
    """Keep object code for the next start; without a place to write, the next start compiles again."""
    with suppress(SimioError):
        write_whole(folder / _OBJECT, code)
        write_whole(folder / _SYMBOLS, json.dumps(symbols))


def _compile() -> tuple[bytes, dict[str, Any]]:
    """Compile the loop with numba; object code, the loop's symbol and the symbols it refers to."""
    import numba

    # Loops here are short and their trip counts unknown: vectorising them takes time and gains none.
    numba.config.LOOP_VECTORIZE = numba.config.SLP_VECTORIZE = 0  # type: ignore[attr-defined]
    collecting = gc.isenabled()
    gc.disable()  # a tenth of the time that compiling takes
    try:
        from simio.engines import kernel
    finally:
        if collecting:
            gc.enable()
    text = kernel.entry.inspect_llvm()
    code = _target_machine().emit_object(_module(text))
    outside = re.findall(r'^declare [^@]*@"?([\w.$]+)"?\(', text, flags=re.MULTILINE)
    outside += re.findall(r'^@"?([\w.$]+)"? = external', text, flags=re.MULTILINE)
    return code, {
        "entry": kernel.entry.native_name,
        "outside": [name for name in outside if not name.startswith("llvm.")],
        "sha256": hashlib.sha256(code).hexdigest(),
    }


def _load(code: bytes, symbols: dict[str, Any]) -> Entry:
    """Load object code into this process."""
    import llvmlite.binding as llvm

    for name in symbols["outside"]:
        llvm.add_symbol(name, _address(name))
    engine = llvm.create_mcjit_compiler(_module(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(layout.TABLES))
    function = kind(engine.get_function_address(symbols["entry"]))
    function.engine = engine  # type: ignore[attr-defined]  # the code lives as long as what can call it
    return function


@cache
def _unused() -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(lambda: 0)


def _address(name: str) -> int:
    """Address of a symbol that the object code refers to.

    numba's wrapper names functions of Python and of numba's runtime for exceptions and reference counts. The
    loop raises none and counts none, so that where a name is not to be had a function that does nothing serves.
    """
    for library in (ctypes.pythonapi, ctypes.CDLL(None) if os.name == "posix" else ctypes.pythonapi):
        with suppress(AttributeError):
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
    return ctypes.cast(_unused(), ctypes.c_void_p).value or 0


@cache
def _initialised() -> None:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> Any:
    """LLVM's code generator for this processor, as numba sets it up for code that is run in place."""
    import llvmlite.binding as llvm

    _initialised()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
        codemodel="jitdefault",
    )


def _module(text: str) -> Any:
    import llvmlite.binding as llvm

    _initialised()
    return llvm.parse_assembly(text)
