"""The places of a scenario's values, and the key paths that a key on its own may stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from simio.description.model import Report, Run
from simio.errors import Place
from simio.loading.keypaths import item_name
from simio.loading.problems import join, keys_of, place_of
from simio.loading.yamltree import Node
from simio.workloads import workload_kinds


class Whereabouts(Mapping[str, Place]):
    """The place of each component, workload and fault, and of each key of one, by key path; found when first used."""

    def __init__(self, root: Node) -> None:
        self._root = root

    @cached_property
    def _found(self) -> dict[str, Place]:
        return dict(_places(self._root))

    def __getitem__(self, path: str) -> Place:
        return self._found[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[type[dict[str, Place]], tuple[dict[str, Place]]]:
        return dict, (self._found,)


def _places(root: Node) -> Iterator[tuple[str, Place]]:
    for section, node in root.entries.items():
        yield section, place_of(root, section)
        for name, item in _items(section, node):
            path = join(section, name)
            yield path, node.key_places.get(name, item.place)
            # A reader looks for a mistake where the value stands.
            yield from ((join(path, key), value.place) for key, value in item.entries.items())


def _items(section: str, node: Node) -> Iterator[tuple[str, Node]]:
    if node.kind == "list":
        yield from ((item_name(item, index, section), item) for index, item in enumerate(node.elements))
    yield from node.entries.items()


def whole_path(root: Node, key: str) -> str:
    """`did you mean workload.reader.block?` for a key that some workload, run or report takes, or an empty text."""
    found = [f"{name}.{key}" for name, model in (("run", Run), ("report", Report)) if key in keys_of(model)]
    section, kinds = root.entries.get("workload"), workload_kinds()
    for name, node in section.entries.items() if section is not None else ():
        kind = node.entries.get("kind")
        model = kinds.get(str(kind.value) if kind is not None else name)
        if model is not None and key in keys_of(model):
            found.append(f"workload.{name}.{key}")
    return f"did you mean {' or '.join(found)}?" if found else ""
