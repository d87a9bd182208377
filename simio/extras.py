"""Packages that only some commands need, and the extra of an installation that brings each."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from simio.errors import SimioError

EXTRAS: Mapping[str, str] = {
    "dash": "explore",
    "distributed": "cluster",
    "numba": "compile",
    "pandas": "notebook",
    "plotly": "html",
    "pyarrow": "notebook",
    "scipy": "fit",
}
"""The extra that each package is in."""


def needs(package: str, what: str) -> None:
    """Raise SimioError with the command that installs a package if `what` cannot do without it and it is missing."""
    if find_spec(package) is None:
        raise SimioError(f"{what} needs {package}; install it with pip install 'simio[{EXTRAS[package]}]'")
