"""Measured tables in a folder of the user's own, named by file or folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os.path import isdir
from pathlib import Path

from simio.errors import SimioError, quote
from simio.loading.catalogue import OWN
from simio.loading.tables import own_name
from simio.loading.yamltree import Node, parse_yaml
from simio.reading import read_file
from simio.studies.rows import Library


def with_own(studies: Sequence[str]) -> tuple[Library, list[str]]:
    """The library with the tables that `studies` name by their files, and the names of all that are chosen.

    `./table.yaml` is a table, `./scenario.yaml` stands for the tables that it names, and a folder for all in it.
    Raises SimioError for a file or a folder without a table, and ScenarioError for one that cannot be read.
    """
    own: dict[str, Path] = {}
    names: list[str] = []
    for study in studies:
        if not _is_own(study):
            names.append(study)
            continue
        found = list(_tables(Path(study)))
        if not found:
            raise SimioError(f"no measured table in {quote(study)}: expected a file with rows, or a folder with some")
        for path in found:
            name = own_name(path)
            if own.setdefault(name, path).resolve() != path.resolve():
                raise SimioError(
                    f"found two tables {quote(name)}, {own[name]} and {path}; expected names that differ"
                )
            names.append(name)
    return Library(own=own), list(dict.fromkeys(names))


def _is_own(study: str) -> bool:
    if study.startswith((*OWN, "/")) or study in (".", "..") or study.endswith((".yaml", ".yml", "/")):
        return True
    # A folder of the user's own needs no mark, unless simio has a study of that name.
    return isdir(study) and study.partition("/")[0] not in {name.partition("/")[0] for name in Library().names}


def _tables(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for file in sorted(path.glob("*.yaml")):
            if "rows" in _keys(file):
                yield file
        return
    keys = _keys(path)
    if "rows" in keys:
        yield path
    named = keys.get("measured")
    for item in () if named is None else named.elements or (named,):
        if isinstance(item.value, str) and item.value.startswith(OWN):
            yield path.parent / item.value


def _keys(path: Path) -> dict[str, Node]:
    return parse_yaml(read_file(path), str(path)).entries
