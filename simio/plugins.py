"""Installed plug-ins: packages that add kinds of parts and workloads.

A plug-in declares an entry point of the group ``simio.components``.  It names either a function, which is
called without arguments and registers what it brings, or a module, which registers when it is imported.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType

from simio.errors import SimioError

GROUP = "simio.components"


@cache
def load_plugins() -> tuple[str, ...]:
    """Import every plug-in, once a process, in order of name; returns their names."""
    found = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    for point in found:
        _load(point)
    return tuple(point.name for point in found)


def _load(point: EntryPoint) -> None:
    # A plug-in is somebody else's code and may fail in any way; the user is told which one it was.
    try:
        loaded = point.load()
        if callable(loaded) and not isinstance(loaded, ModuleType):
            loaded()
    except Exception as error:
        raise SimioError(
            f"plug-in '{point.name}' ({point.value}) cannot be loaded: {type(error).__name__}: {error}"
        ) from error
