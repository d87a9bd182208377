"""Sources that decide what the compiled engine's code is, and their hash."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

ROOTS = ("engines/compiling.py", "engines/entry.py", "engines/families.py")
"""Modules that make the code; with all machines and with what any of these imports they are its sources."""

_IMPORT = re.compile(r"^from simio\.(?P<module>[\w.]+) import (?P<names>\([^)]*\)|.*)$", re.MULTILINE)


def code_hash() -> str:
    """Hash of the sources that the loop and simio's own machine functions are compiled from."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path, source in sorted(_sources(package).items()):
        digest.update(path.relative_to(package).as_posix().encode() + source)
    return digest.hexdigest()


def source_hash() -> str:
    """Hash of everything that decides what the object code is: sources, versions and processor."""
    import llvmlite.binding as llvm

    versions = (sys.version, version("numba"), version("llvmlite"))
    emitting = Path(__file__).with_name("llvm.py").read_text()
    machine = (llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return hashlib.sha256("\n".join((code_hash(), emitting, *versions, *machine)).encode()).hexdigest()[:16]


def _sources(package: Path) -> dict[Path, bytes]:
    waiting = [*(package / root for root in ROOTS), *(package / "machines").rglob("*.py")]
    found: dict[Path, bytes] = {}
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = path.read_bytes()
            waiting += _imported(found[path].decode(), package)
    return found


def _imported(text: str, package: Path) -> Iterator[Path]:
    """Files of the package that a source imports as it is loaded; later imports by functions are no part of code."""
    for found in _IMPORT.finditer(text):
        parts = found["module"].split(".")
        for name in ("", *re.findall(r"\w+", found["names"])):
            module = package.joinpath(*parts, name).with_suffix(".py")
            if module.exists():
                yield module
