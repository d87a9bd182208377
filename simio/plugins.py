"""Installed plug-ins: packages that add kinds of parts and workloads.

A plug-in declares an entry point of the group ``simio.components``.  It names either a function, which is
called without arguments and registers what it brings, or a module, which registers when it is imported.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from simio.errors import SimioError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "simio.components"


@cache
def load_plugins() -> tuple[str, ...]:
    """Import every plug-in, once a process, in order of name; returns their names."""
    if not _group_is_named():
        return ()
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    for point in found:
        _load(point)
    return tuple(point.name for point in found)


def _group_is_named() -> bool:
    """False if no installed distribution names the group, so that importlib.metadata, slow to import, is not needed.

    True where a distribution may be in something else than a folder.
    """
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)
        except FileNotFoundError:
            continue
        except OSError:
            return True
        for name in names:
            if name.endswith((".egg", ".egg-link", ".egg-info")):
                return True
            if name.endswith(".dist-info") and _holds_group(os.path.join(folder, name, "entry_points.txt")):
                return True
    return False


def _holds_group(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False


def _load(point: EntryPoint) -> None:
    # A plug-in is somebody else's code and may fail in any way; the message names the one that did.
    try:
        loaded = point.load()
        if callable(loaded) and not isinstance(loaded, ModuleType):
            loaded()
    except Exception as error:
        raise SimioError(
            f"plug-in '{point.name}' ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
