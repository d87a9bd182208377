"""The compiled engine's loop and machines as machine code: compiled once by numba, kept, and loaded by LLVM alone.

Starting numba takes longer than most runs. So the loop and each family of machine functions are compiled to object
files, each when a program first needs it, which are kept in a folder of the user's own and loaded without numba from
then on. The folder's name holds a hash of every source that goes into them and of the processor, so that a change of
any of them compiles anew, and two versions of simio, Python or numba, or two kinds of machine with one home, never
share code.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from simio.engines import layout
from simio.engines.outcome import Ints
from simio.errors import SimioError
from simio.files import cache_base, write_whole
from simio.machines import door
from simio.plugins import load_plugins
from simio.program.garbage import uncollected

Entry = Callable[..., int]
Announce = Callable[[str], Any]
Object = tuple[bytes, dict[str, Any]]

LOOP = "loop"
"""The object that is no family of machine functions."""
_SECONDS = {"tcp": 11, "disk": 9, LOOP: 7, "network": 4, "parts": 3, "volume": 2}
"""What compiling takes, to share it out."""
_families: dict[str, Any] = {}
"""Families that are loaded, with what keeps their code."""
_table = np.zeros(1, dtype=np.int64)
"""Their addresses, a row each; made anew when one comes."""
_codes: dict[int, int] = {}
"""Codes of the functions of these families, by their numbers in programs."""
_entry: Entry | None = None
_loading = Lock()


def entry(announce: Announce | None = None, families: Iterable[str] | None = None) -> Entry:
    """The loop: called with the addresses of the tables in `layout.TABLES`, it returns a status.

    It can call machine functions of these families, or of all. `announce` is called before a compilation starts.
    """
    global _entry
    with _loading:
        wanted = door.families() if families is None else families
        missing = sorted(set(wanted) - _families.keys())
        if _entry is None or missing:
            objects = _objects(missing if _entry else [*missing, LOOP], announce)
            for name in missing:
                _load_family(name, *objects[name])
            if _entry is None:
                engine, address = _load(*objects[LOOP])
                _entry = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(layout.TABLES))(address)
                _entry.engine = engine  # type: ignore[attr-defined]  # the code lives as long as what can call it
        return _entry


def _load_family(name: str, code: bytes, symbols: dict[str, Any]) -> None:
    global _table
    row = len(_families)
    _families[name], address = _load(code, symbols)
    _table = np.append(_table[:row], address)
    _codes.update((number, (row << layout.PLACE) + place) for place, number in enumerate(symbols["functions"]))


def addresses() -> Ints:
    """Addresses of the families that are loaded: the loop's table `families`."""
    return _table


def code(number: int) -> int:
    """The code of a machine function of a loaded family in the engine's own steps, from its number in a program's."""
    return _codes[number]


def _objects(names: Sequence[str], announce: Announce | None) -> dict[str, Object]:
    """Object code of these names, as it is kept or compiled now."""
    folder = cache_folder()
    kept = {name: _read(folder, name) for name in names}
    missing = [name for name, known in kept.items() if known is None]
    if announce and missing:
        announce("compiling the engine (once for this version; up to a minute) …")
    mine, others = _shared_out(missing)
    with _compiling_elsewhere(others):
        kept |= {name: _made(folder, name) for name in mine}
    return {name: known or _read(folder, name) or _made(folder, name) for name, known in kept.items()}


def _made(folder: Path, name: str) -> Object:
    code, symbols = _compile(name)
    _keep(folder, name, code, symbols)
    return code, symbols


def _shared_out(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """What to compile in this process and what in another, which take equally long; on one CPU all in this one."""
    mine: list[str] = []
    others: list[str] = []
    if (os.cpu_count() or 1) < 2:
        return list(names), others
    for name in sorted(names, key=lambda name: -_SECONDS.get(name, 1)):
        first, second = (sum(_SECONDS.get(each, 1) for each in half) for half in (mine, others))
        (mine if first <= second else others).append(name)
    return mine, others


@contextmanager
def _compiling_elsewhere(names: Sequence[str]) -> Iterator[None]:
    """Let another process compile and keep these; what it did not do is missing in the end."""
    if not names:
        yield
        return
    code = "import sys; from simio.engines.native import keep; keep(sys.argv[1:])"
    process = None
    with suppress(OSError):
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


def keep(names: Iterable[str]) -> None:
    """Compile these and keep them, for whoever needs them next."""
    folder = cache_folder()
    for name in names:
        _made(folder, name)


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


def _read(folder: Path, name: str) -> Object | None:
    """Kept object code and its symbols, or None where the entry is missing, damaged, or in another's place."""
    path = _path(folder, name)
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode() != _checksum(path, content):
            return None
        symbols, _, code = content.partition(b"\n")
        return code, json.loads(symbols)
    except (OSError, ValueError):
        return None


def _keep(folder: Path, name: str, code: bytes, symbols: dict[str, Any]) -> None:
    """Keep object code for the next start; without a place to write, the next start compiles again."""
    path = _path(folder, name)
    content = json.dumps(symbols).encode() + b"\n" + code
    with suppress(SimioError):
        write_whole(path, _checksum(path, content).encode() + b"\n" + content)


def _checksum(path: Path, content: bytes) -> str:
    """Hash of all that an entry holds and of what it is for: its folder says of which sources and processor it is."""
    return hashlib.sha256(f"{path.parent.name}/{path.name}\n".encode() + content).hexdigest()


def _path(folder: Path, name: str) -> Path:
    """The entry of an object."""
    return folder / f"{_file(name)}.code"


def _file(name: str) -> str:
    """Name of an object's entry: one that code of plug-ins is in has a hash of their sources."""
    foreign = [package for package in door.packages(name) if package != "simio"]
    if not foreign:
        return name
    digest = hashlib.sha256()
    for source in (source for package in foreign for source in _sources(package)):
        digest.update(source.read_bytes())
    return f"{name}-{digest.hexdigest()[:16]}"


def _sources(package: str) -> list[Path]:
    """The files of a package, or the one of a module."""
    module = sys.modules[package]
    folders = sorted(Path(folder) for folder in getattr(module, "__path__", []))
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))] or [Path(str(module.__file__))]


def _compile(name: str) -> Object:
    """Compile the loop or a family with numba; object code, its entry and the symbols that it refers to."""
    import numba

    # Loops here are short and their trip counts unknown: vectorising them takes time and gains none.
    numba.config.LOOP_VECTORIZE = numba.config.SLP_VECTORIZE = 0  # type: ignore[attr-defined]
    with uncollected():  # a tenth of the time that compiling takes
        functions = [] if name == LOOP else _functions(name)
        if name == LOOP:
            from simio.engines.entry import entry as made
        else:
            from simio.engines.families import compiled_family

            made = compiled_family(functions)
    text = made.inspect_llvm()
    code = _target_machine().emit_object(_closed(text, made.native_name))
    outside = re.findall(r'^declare [^@]*@"?([\w.$]+)"?\(', text, flags=re.MULTILINE)
    outside += re.findall(r'^@"?([\w.$]+)"? = external', text, flags=re.MULTILINE)
    return code, {
        "entry": made.native_name,
        "outside": [name for name in outside if not name.startswith("llvm.")],
        "functions": [function.number for function in functions],
    }


def _functions(family: str) -> Sequence[door.Machine]:
    """The functions of a family, which another process may not have loaded yet where a plug-in has brought it."""
    if family not in door.families():
        load_plugins()
    return door.families()[family]


def _closed(text: str, entry: str) -> Any:
    """The module of which nothing but its entry is called from outside, optimised for that.

    numba keeps each function callable: none loses an argument, is inlined where it is called once, or is known never
    to fail.
    """
    import llvmlite.binding as llvm

    module = _module(text)
    for function in module.functions:
        if not function.is_declaration and function.name != entry:
            function.linkage = llvm.Linkage.internal
    builder = llvm.create_pass_builder(_target_machine(), llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return module


def _load(code: bytes, symbols: dict[str, Any]) -> tuple[Any, int]:
    """Load object code into this process; what keeps it there, and the address of its entry."""
    import llvmlite.binding as llvm

    _declare(symbols["outside"])
    engine = llvm.create_mcjit_compiler(_module(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(symbols["entry"])


def _declare(names: Iterable[str]) -> None:
    """Let LLVM know where these symbols are."""
    import llvmlite.binding as llvm

    for name in names:
        llvm.add_symbol(name, _address(name))


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
