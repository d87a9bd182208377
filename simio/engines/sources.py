"""Sources that decide what the compiled engine's code is, and their hash."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from simio.errors import SimioError
from simio.files import cache_base, write_whole

ROOTS = ("engines/compiling.py", "engines/families.py", "engines/intermediate.py")
"""Modules that make the code; with all machines and with what any of these imports they are its sources."""

SETTLED = 2 * 10**9
"""Age in ns from which a file's time shows each later change."""

PROCESSORS = "/proc/cpuinfo"
OF_PROCESSOR = {"vendor_id", "cpu family", "model", "model name", "stepping", "flags"}
"""Linux tells these of each processor of x86-64, beside what changes from moment to moment."""

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(r"^from simio\.(?P<module>[\w.]+) import (?P<names>\([^)]*\)|.*)$", re.MULTILINE)


def code_hash() -> str:
    """Hash of the sources that the loop and simio's own machine functions are compiled from.

    It is noted beside the compiled code, with the time and the size of each source, as Python does for its bytecode:
    to read them all again takes a twentieth of a short run.
    """
    note = cache_base() / "compiled" / f"sources-{hashlib.sha256(str(_PACKAGE).encode()).hexdigest()[:16]}"
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        noted = json.loads(note.read_bytes())
        if noted["stamps"] == _stamps(noted["stamps"]):
            return str(noted["hash"])
    digest = hashlib.sha256()
    found = _sources()
    stamps = _stamps({*found, *(os.path.dirname(module) for module in found)})
    for module, source in sorted(found.items()):
        digest.update(module.encode() + source)
    if max(changed for changed, _ in stamps.values()) < time.time_ns() - SETTLED:
        with suppress(OSError, SimioError):
            write_whole(note, json.dumps({"stamps": stamps, "hash": digest.hexdigest()}).encode())
    return digest.hexdigest()


def _stamps(paths: Iterable[str]) -> dict[str, list[int]]:
    """The last change of each file or folder of the package, in ns, and its size, which for a folder is 0."""
    stamps = {}
    for path in paths:
        status = os.stat(f"{_PACKAGE}/{path}")
        stamps[path] = [status.st_mtime_ns, status.st_size if path.endswith(".py") else 0]
    return stamps


def source_hash() -> str:
    """Hash of everything that decides what the object code is: sources, versions and processor."""
    versions = (sys.version, _version("numba"), _version("llvmlite"))
    emitting = Path(_PACKAGE, "engines", "llvm.py").read_text()
    return hashlib.sha256("\n".join((code_hash(), emitting, *versions, *_processor())).encode()).hexdigest()[:16]


def _processor() -> tuple[str, ...]:
    """The platform, the processor's model and what it can do: by the kernel, as LLVM takes long to load."""
    with suppress(OSError), open(PROCESSORS, encoding="utf-8") as file:
        first = itertools.takewhile(str.strip, file)
        if lines := [line for line in first if line.partition("\t")[0].strip(": \n") in OF_PROCESSOR]:
            return (sys.platform, os.uname().machine, *lines)
    import llvmlite.binding as llvm

    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _version(package: str) -> str:
    """A text that only one version of an installed package has; "" where it is not installed.

    `importlib.metadata` takes 7% of a short run to import. So it is asked only where a package has no module of its
    version, as numba and llvmlite have.
    """
    found = find_spec(package)
    if found is None or found.origin is None:
        return ""
    with suppress(OSError):
        return Path(found.origin).with_name("_version.py").read_text()
    from importlib.metadata import version

    return version(package)


def _sources() -> dict[str, bytes]:
    """The source of each module that goes into the code, by its place in the package."""
    machines = (path.relative_to(_PACKAGE).as_posix() for path in (_PACKAGE / "machines").rglob("*.py"))
    waiting = [*ROOTS, *machines]
    found: dict[str, bytes] = {}
    while waiting:
        module = waiting.pop()
        if module not in found:
            with open(f"{_PACKAGE}/{module}", "rb") as file:
                found[module] = file.read()
            waiting += _imported(found[module].decode())
    return found


def _imported(text: str) -> Iterator[str]:
    """Modules of the package that a source imports as it is loaded; what functions import is no part of the code."""
    for found in _IMPORT.finditer(text):
        place = found["module"].replace(".", "/")
        for module in (f"{place}.py", *(f"{place}/{name}.py" for name in re.findall(r"\w+", found["names"]))):
            if os.path.exists(f"{_PACKAGE}/{module}"):
                yield module
