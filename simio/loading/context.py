"""State that all steps of reading a scenario share: the catalogue, problems, and parts built so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from simio.errors import Place, quote
from simio.loading.catalogue import Catalogue
from simio.loading.problems import ProblemList, join, place_of
from simio.loading.yamltree import Node

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
Built = tuple[Any, tuple[object, ...]]
"""A built object, and the nodes, or a datasheet, that it was built from."""


@dataclass
class Context:
    """The state of reading one scenario in `folder`.

    The trees of cases share every node that `vary` does not touch, so `built` keeps what was built from a node by the
    identity of the node. `known` has what was built, without a problem, for another configuration of the file.
    `dropped` holds the keys that would vary if their values had no problem.
    """

    catalogue: Catalogue
    folder: Path
    problems: ProblemList = field(default_factory=ProblemList)
    dropped: set[str] = field(default_factory=set)
    known: Mapping[tuple[Any, ...], Built] = field(default_factory=dict)
    built: dict[tuple[Any, ...], Built] = field(default_factory=dict)

    def once(self, label: tuple[str, ...], nodes: tuple[object, ...], build: Callable[[], T]) -> T:
        """The result of `build` for these nodes, built the first time only; the label sets apart its uses."""
        key = (*label, *map(id, nodes))
        made = self.built.get(key)
        if made is None:
            # Holding the nodes keeps their identities from being given to others.
            made = self.built[key] = self.known.get(key) or (build(), nodes)
        result: T = made[0]
        return result

    def items(
        self, section: Node, path: str, build: Callable[[Context, str, Node, Place], T], what: str = "a mapping"
    ) -> dict[str, T]:
        """The results of `build` for each entry of a mapping, given its name, node and place; by name."""
        check_names(self, section, path)
        made = {}
        for name, node in self.problems.mapping(section, path, what).items():
            make = partial(build, self, name, node, place_of(section, name))
            made[name] = self.once((path, name), (node,), make)
        return made


def check_names(ctx: Context, section: Node, path: str) -> None:
    """Note keys that cannot be names: a dot separates names in a key path and in an endpoint."""
    for name in section.entries:
        if not _NAME.fullmatch(name):
            expected = "a name of letters, digits, '_' and '-' that begins with a letter or '_'"
            ctx.problems.add(join(path, name), quote(name), expected, place=place_of(section, name))
