"""What every step of reading a scenario shares: the catalogue, the faults found, and what was understood
already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from .catalogue import Catalogue
from .faults import FaultList
from .yamltree import Node

T = TypeVar("T")


@dataclass
class Context:
    """The state of reading one scenario.

    ``folder`` is that of the scenario file.  The trees of the cases share every node that ``vary`` does not
    touch, so what was built from a node is kept by the identity of the node.  ``dropped`` holds the keys
    that would vary if their values had no fault.
    """

    catalogue: Catalogue
    folder: Path
    faults: FaultList = field(default_factory=FaultList)
    dropped: set[str] = field(default_factory=set)
    _built: dict[tuple[Any, ...], tuple[Any, tuple[Node, ...]]] = field(default_factory=dict)

    def once(self, label: tuple[str, ...], nodes: tuple[Node, ...], build: Callable[[], T]) -> T:
        """The result of ``build`` for these nodes, built the first time only; the label tells uses apart."""
        key = (*label, *map(id, nodes))
        if key not in self._built:
            # Holding the nodes keeps their identities from being given to others.
            self._built[key] = (build(), nodes)
        result: T = self._built[key][0]
        return result
