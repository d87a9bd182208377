"""Resources that one row may stand for: those that are as busy, and of a bond only members that are equally busy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from simio.program.steps import Bond
from simio.result.model import ResourceUse
from simio.wording import without_digits

APART = 0.1
"""Largest difference of utilisation between resources that share a row."""


def told_apart(uses: Collection[ResourceUse], bonds: Iterable[Bond]) -> Callable[[ResourceUse], str]:
    """A key that differs for resources of one pattern of names that are not about as busy as one another.

    The two directions of a link between `s1` and `s2` are of one pattern, and so are a disk that is read and one that
    is not.
    """
    members = {name for bond in bonds for name in bond.resources}
    levels: dict[tuple[str, bool], float] = {}
    found: dict[tuple[str, bool], str] = {}
    for use in sorted(uses, key=lambda use: -use.utilisation):
        pattern = without_digits(use.name), use.lock
        if use.name in members or levels.get(pattern, 2.0) - use.utilisation > APART:
            levels[pattern] = use.utilisation
        found[use.name, use.lock] = f"{levels[pattern]:.1%}"
    return lambda use: found[use.name, use.lock]
