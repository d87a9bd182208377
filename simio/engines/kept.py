"""Object code that is kept in a folder of the user's own, by name.

The folder's name holds a hash of every source that goes into the code and of the processor. So a change of any of
them makes it anew, and two versions of simio, Python or numba, or two kinds of machine with one home, share no code.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from simio.engines.sources import source_hash
from simio.errors import SimioError
from simio.files import cache_base, write_whole
from simio.machines import door

Object = tuple[bytes, dict[str, Any]]
"""Object code, and its symbols: its entry, those outside that it refers to, and the functions of a family."""


def cache_folder() -> Path:
    """The folder of compiled code: $SIMIO_CACHE, or simio under the user's cache folder; made if need be.

    Where that cannot be written (a read-only home), a folder of the user's own under the temporary one.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    if found := _in(cache_base(), user):
        return found
    # It takes as long to import as ten modules of a run.
    import tempfile

    return _in(Path(tempfile.gettempdir()) / f"simio-{user}", user) or Path(tempfile.mkdtemp(prefix="simio-"))


def _in(root: Path, user: int) -> Path | None:
    """The folder of compiled code below another, made if need be; None where that is not the user's own to write."""
    parts = (root, root / "compiled", root / "compiled" / source_hash())
    with suppress(OSError):
        for part in parts:
            part.mkdir(parents=True, exist_ok=True, mode=0o700)
        if all(_own(part, user) for part in parts) and os.access(parts[-1], os.W_OK | os.X_OK):
            return parts[-1]
    return None


def _own(folder: Path, user: int) -> bool:
    """True if only this user (or root) can put code into a folder, from which it is run."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid in (user, 0) and not status.st_mode & 0o022


def read(folder: Path, name: str) -> Object | None:
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


def keep(folder: Path, name: str, code: bytes, symbols: dict[str, Any]) -> None:
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
    return folder / f"{file_name(name)}.code"


def file_name(name: str) -> str:
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
