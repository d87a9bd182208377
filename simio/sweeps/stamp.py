"""Identity of this simio: a version does not distinguish two states of a checkout."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from simio.loading.catalogue import data_root
from simio.version import VERSION


@cache
def code_stamp() -> str:
    """A hash of simio's own code."""
    return _stamp(Path(__file__).parents[1], "*.py")


@cache
def stamp() -> str:
    """The version, and a hash of simio's code and of the catalogue."""
    both = code_stamp() + _stamp(data_root("simio.models"), "*.yaml")
    return f"{VERSION} {hashlib.sha256(both.encode()).hexdigest()[:16]}"


def _stamp(folder: Path, pattern: str) -> str:
    digest = hashlib.sha256(VERSION.encode())
    for path in sorted(folder.rglob(pattern)):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()
