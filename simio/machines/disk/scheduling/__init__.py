"""Which command a free arm turns to: a policy a file, which has the policy's name.

A policy has a shared function `cost(state, base, now, here, sector, writes)`: the price of going from track `here` to
a sector for a read or a write. The command of least cost is served first, and of equals the oldest. A policy that
says `IN_ORDER = True` serves all commands in order of arrival: none is served out of the buffer before its turn, and
without a write cache the arm is given away after each write.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

NAMES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))
"""The policies by name; the disk's state has the place in this list."""


def in_order(name: str) -> bool:
    """Whether a policy serves commands in order of arrival."""
    return bool(getattr(_policy(name), "IN_ORDER", False))


def costs() -> list[Callable[..., int]]:
    """The cost of each policy, in order of `NAMES`."""
    return [_policy(name).cost for name in NAMES]


def _policy(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
