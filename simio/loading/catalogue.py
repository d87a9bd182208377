"""The catalogue of parts: datasheets in `models/<class>/<part>.yaml`, each value with its unit and origin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from os.path import isfile
from pathlib import Path

from simio.description.sheets import CATEGORIES, sheet_kinds
from simio.errors import Problem, ScenarioError, SimioError, did_you_mean, nearest, quote
from simio.files import note_input
from simio.loading.datasheet import (
    BASES,
    HOST_GROUPS,
    HOST_OPTIONAL,
    HOST_PARTS,
    CatalogueEntry,
    ValueEntry,
    read_datasheet,
)
from simio.loading.problems import a, one_of, there_are
from simio.loading.yamltree import Node, parse_yaml, value_text
from simio.plugins import load_plugins
from simio.reading import read_file
from simio.units import UnitError, parse

__all__ = ["BASES", "Catalogue", "CatalogueEntry", "UnknownPart", "ValueEntry", "catalogue", "names", "sheet"]

OWN = ("./", "../", "/")
"""Beginnings of names that are files of the user's own."""
FEW = 16
"""Parts of a class that a message names, where none is like the name that it is about."""
SHORTEST = 3
"""Letters of a name that others are searched for."""
_NAME = re.compile(r"[a-z]+/[A-Za-z0-9][A-Za-z0-9._-]*")
_FOLDERS = {folder: category for category, folder in CATEGORIES.items()}


class UnknownPart(LookupError):
    """No datasheet has this name; carries found, expected and a hint, as a problem does."""

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        super().__init__(found, expected, hint)
        self.found, self.expected, self.hint = found, expected, hint


class Catalogue:
    """The datasheets under a folder; each file is read when it is first needed, and again after it changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[tuple[Path, str], tuple[tuple[int, int], CatalogueEntry]] = {}

    def names(self, category: str | None = None) -> list[str]:
        """The names of all datasheets, or of those of one category, sorted."""
        folders = [CATEGORIES[category]] if category else CATEGORIES.values()
        found = (path for folder in folders for path in (self.root / folder).glob("*.yaml"))
        return sorted(f"{path.parent.name}/{path.stem}" for path in found)

    def matching(self, word: str) -> list[str]:
        """The names of the datasheets whose name or title contains a word, in any case."""
        sheets = map(self.sheet, self.names())
        return [each.name for each in sheets if word.casefold() in f"{each.name} {each.title}".casefold()]

    def sheet(self, name: str) -> CatalogueEntry:
        """The datasheet of this name, or in the file `./part.yaml`.

        Raises SimioError if there is none, ScenarioError if it has problems.
        """
        if name.startswith(OWN):
            return self._own(name)
        category = _FOLDERS.get(name.partition("/")[0])
        if category is None or name not in self.names(category):
            near = _near(name, self.names()) or "`simio models` lists those that there are"
            raise SimioError(f"found the unknown model {quote(name)}; {near}")
        return self.find(name, category)

    def _own(self, name: str) -> CatalogueEntry:
        """The datasheet in a file, of the first category that has its kind and takes its values."""
        node = parse_yaml(read_file(name), name)
        written = node.entries.get("kind")
        kind = written.value if written else None
        fitting = [each for each in CATEGORIES if isinstance(kind, str) and kind in sheet_kinds(each)]
        if not fitting:
            raise ScenarioError([_kindless(node, written)])
        for category in fitting[:-1]:
            with suppress(ScenarioError):
                return self.find(name, category)
        return self.find(name, fitting[-1])

    def find(self, name: str, category: str, beside: Path | None = None) -> CatalogueEntry:
        """The datasheet `name` of a part of one category.

        `./part.yaml` is a file relative to the folder `beside`. Raises UnknownPart or ScenarioError.
        """
        if name.startswith(OWN):
            path = (beside or Path()) / name
            if not isfile(path):
                raise UnknownPart(f"{quote(name)}, which is not a file", f"a datasheet of {a(category)}")
            try:
                return self._entry(path, name, category)
            except ScenarioError as error:
                if is_near(path, beside, self.root):
                    raise
                expected, hint = f"a datasheet of {a(category)}", f"simio models {display(path)} shows what is wrong"
                raise UnknownPart(f"{quote(name)}, which has {_problems(error)}", expected, hint) from None
        folder = CATEGORIES[category]
        path = self.root / f"{name}.yaml"
        if _NAME.fullmatch(name) and name.partition("/")[0] == folder and isfile(path):
            return self._entry(path, name, category)
        raise self._unknown(name, category)

    def _unknown(self, name: str, category: str) -> UnknownPart:
        known = self.names(category)
        if name in self.names():
            other = _FOLDERS[name.partition("/")[0]]
            return UnknownPart(f"{quote(name)}, which is {a(other)}", a(category), there_are(known))
        if name.endswith((".yaml", ".yml")):
            return UnknownPart(quote(name), f"{a(category)} model", f"write './{name}' for a file beside this one")
        few = len(known) <= FEW
        near = (
            self._of_another_class(name)
            or _in_place_of_a_size(name, category)
            or _near(name, known)
            or (there_are(known) if few else f"`simio models --class {category}` lists them")
        )
        expected = f"{a(category)} model of the catalogue, or a file as './my-{category}.yaml'"
        return UnknownPart(f"the unknown model {quote(name)}", expected, near)

    def _of_another_class(self, name: str) -> str:
        """A hint for a name whose last part is that of a part of another class; '' for any other."""
        own = name.partition("/")[2]
        found = [each for each in self.names() if own and each.partition("/")[2] == own]
        return f"{quote(found[0])} is {a(_FOLDERS[found[0].partition('/')[0]])}" if found else ""

    def _entry(self, path: Path, name: str, category: str) -> CatalogueEntry:
        try:
            status = path.stat()
        except OSError:
            status = None
        # Calibration and notebooks rewrite datasheets, so the file itself says whether it was read.
        stamp = (status.st_mtime_ns, status.st_size) if status else (0, 0)
        known = self._read.get((path, category))
        if known and status and known[0] == stamp:
            note_input(path)
            return known[1]
        shown = display(path)
        entry = read_datasheet(parse_yaml(read_file(path), shown), name, category, path)
        self._read[path, category] = (stamp, entry)
        return entry

    def check(self) -> list[Problem]:
        """The problems of all datasheets, and of hosts that refer to missing parts."""
        return list(self._check())

    def _check(self) -> Iterator[Problem]:
        for name in self.names():
            try:
                entry = self.sheet(name)
            except ScenarioError as error:
                yield from error.problems
                continue
            yield from self._check_parts(entry)

    def _check_parts(self, entry: CatalogueEntry) -> Iterator[Problem]:
        for path, node, category in part_references(entry):
            try:
                self.find(str(node.value), category, entry.file.parent)
            except UnknownPart as unknown:
                yield Problem(f"parts.{path}", unknown.found, unknown.expected, unknown.hint, node.place)
            except ScenarioError:
                pass  # reported when that datasheet itself is checked


def part_references(entry: CatalogueEntry) -> Iterator[tuple[str, Node, str]]:
    """The parts of a host: key path, node of the model's name, category."""
    for category in (*HOST_PARTS, *HOST_OPTIONAL):
        if category in entry.parts:
            yield category, _model_node(entry.nodes[category]), category
    for group, category in HOST_GROUPS.items():
        for key in entry.parts.get(group, {}):
            yield f"{group}.{key}", _model_node(entry.nodes[group].entries[key]), category


def _model_node(node: Node) -> Node:
    return node.entries["model"] if node.kind == "map" else node


def display(path: Path) -> str:
    """A path as messages show it: relative to the working directory if it lies below, else in full."""
    try:
        return str(path.resolve().relative_to(Path.cwd().resolve()))
    except ValueError:
        return str(path)


def is_near(path: Path, beside: Path | None, *roots: Path) -> bool:
    """True if a file is in the folder of the scenario that names it, the working directory, or one of `roots`.

    Messages quote no other file: a scenario of somebody else could name one to have it shown.
    """
    whole = path.resolve()
    return any(whole.is_relative_to(folder.resolve()) for folder in (beside or Path(), Path(), *roots))


def _problems(error: ScenarioError) -> str:
    number = len(error.problems)
    return "a problem" if number == 1 else f"{number} problems"


def _kindless(node: Node, written: Node | None) -> Problem:
    """The problem of a file whose `kind` is that of no part."""
    if written is None:
        hint = "it is a scenario, which simio show prints" if {"hosts", "workload"} <= node.entries.keys() else ""
        return Problem("kind", "nothing", "the kind of a part, such as 'ethernet' of a link", hint, node.place)
    kinds = list(dict.fromkeys(kind for category in CATEGORIES for kind in sheet_kinds(category)))
    near = did_you_mean(value_text(written), kinds)
    return Problem("kind", f"the unknown kind {quote(value_text(written))}", one_of(kinds, near), near, written.place)


def _in_place_of_a_size(name: str, category: str) -> str:
    """A hint for `memory: 512 GiB`; '' for any other name."""
    if category == "memory":
        with suppress(UnitError):
            parse(name, "size")
            return "a memory has rates and no size; the page cache may fill `cache` of a file system"
    return ""


def _near(name: str, known: list[str]) -> str:
    """`did you mean 'disks/x'?` for the part whose name contains the given one, or else is spelt alike."""
    folder, _, own = name.casefold().rpartition("/")
    names = [each for each in known if not folder or each.startswith(f"{folder}/")] or known
    holding = [each for each in names if len(own) >= SHORTEST and own in each.partition("/")[2]]
    if holding:
        return f"did you mean {quote(min(holding, key=len))}?"
    for among in (names, known):
        tails = {each.partition("/")[2]: each for each in reversed(among)}
        if near := nearest(own, tails):
            return f"did you mean {quote(tails[near])}?"
    return ""


def data_root(package: str) -> Path:
    """The folder of a data package such as `simio.models`, or that of the checkout if it is not installed."""
    found = find_spec(package)
    if found and found.submodule_search_locations:
        return Path(found.submodule_search_locations[0])
    return Path(__file__).resolve().parents[2] / package.rpartition(".")[2]


@cache
def catalogue() -> Catalogue:
    """The catalogue of simio itself."""
    load_plugins()
    return Catalogue(data_root("simio.models"))


def names(category: str | None = None) -> list[str]:
    """The names of all datasheets of the catalogue, or of those of one category, sorted."""
    return catalogue().names(category)


def matching(word: str) -> list[str]:
    """The names of the datasheets of the catalogue whose name or title contains a word, in any case."""
    return catalogue().matching(word)


def sheet(name: str) -> CatalogueEntry:
    """The datasheet of this name in the catalogue. Raises SimioError if there is none."""
    return catalogue().sheet(name)
