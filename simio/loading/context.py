"""What every step of reading a scenario shares: the catalogue, the problems found, and what was understood
already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from simio.loading.catalogue import Catalogue
from simio.loading.problems import ProblemList

T = TypeVar("T")
Built = tuple[Any, tuple[object, ...]]
"""What was built, and the nodes, or a datasheet, that it was built from."""


@dataclass
class Context:
    """The state of reading one scenario.

    `folder` is that of the scenario file.  The trees of the cases share every node that `vary` does not
    touch, so what was built from a node is kept by the identity of the node in `built`.  `dropped` holds the keys
    that would vary if their values had no problem.  `known` is what was built from these nodes before, without
    a problem, for another configuration of the same file.
    """

    catalogue: Catalogue
    folder: Path
    problems: ProblemList = field(default_factory=ProblemList)
    dropped: set[str] = field(default_factory=set)
    known: Mapping[tuple[Any, ...], Built] = field(default_factory=dict)
    built: dict[tuple[Any, ...], Built] = field(default_factory=dict)

    def once(self, label: tuple[str, ...], nodes: tuple[object, ...], build: Callable[[], T]) -> T:
        """The result of `build` for these nodes, built the first time only; the label tells uses apart."""
        key = (*label, *map(id, nodes))
        found = self.built.get(key)
        if found is None:
            # Holding the nodes keeps their identities from being given to others.
            found = self.built[key] = self.known.get(key) or (build(), nodes)
        result: T = found[0]
        return result
