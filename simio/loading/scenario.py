"""Reading a scenario file: every case of it, or every fault in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from simio.description.model import (
    Case,
    Disk,
    Host,
    Link,
    Report,
    Run,
    Scenario,
    Switch,
    System,
    Volume,
    Workload,
)  # fmt: skip
from simio.description.quantities import FROM_TEXT
from simio.errors import Problem, SimioError
from simio.loading.catalogue import Catalogue, catalogue, data_root
from simio.loading.context import Built, Context
from simio.loading.devices import build_disks, build_switches, check_distinct, expanded
from simio.loading.fault_injection import build_faults, with_faults
from simio.loading.hosts import build_hosts
from simio.loading.keypaths import empty
from simio.loading.links import Inventory, build_links, join_links
from simio.loading.measured import assign_rows, read_tables
from simio.loading.problems import place_of
from simio.loading.tables import Table
from simio.loading.vary import Sections, Trees, apply, described, expand, read_sets, texts
from simio.loading.volumes import build_volumes
from simio.loading.workloads import Ways, build_workloads, check_calls, check_references, check_routes
from simio.loading.yamlfiles import read_file
from simio.loading.yamltree import Node, parse_yaml
from simio.plugins import load_plugins

KEYS = (
    "title", "about", "hosts", "disks", "volumes", "switches", "links", "workload", "faults", "run", "report",
    "vary", "measured",
)  # fmt: skip
_PLACES = ("hosts", "disks", "volumes", "switches", "links")
_LISTS = ("links", "faults")
_REQUIRED = {"hosts": "a mapping of hosts", "workload": "a mapping of workloads"}

MOST_KEPT = 512
"""Things that configurations were made of and the file is not, kept for the next ones."""

M = TypeVar("M", bound=BaseModel)


def load(
    path: str | PathLike[str],
    sets: Sequence[str] = (),
    *,
    parts: Catalogue | None = None,
    tables: Path | None = None,
) -> Scenario:
    """The scenario in a file, with each ``key.path=value`` of ``sets`` written over it.

    ``parts`` and ``tables`` stand in for the catalogue and the folder of measured tables that simio comes
    with. Raises ScenarioError with every fault of the file and of what it refers to.
    """
    return Source(path, parts=parts, tables=tables).scenario(sets)


class Source:
    """A scenario file that is read once, for many configurations of it.

    ``text`` stands in for what the file holds and ``folder`` for where it lies; ``parts`` and ``tables`` are as in
    `load`.  Datasheets and tables are looked up when a configuration first needs them.  Raises ScenarioError where
    the text is no scenario.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        text: str | None = None,
        parts: Catalogue | None = None,
        tables: Path | None = None,
        folder: Path | None = None,
    ) -> None:
        load_plugins()
        self.path = str(path)
        self.folder = folder or Path(path).parent
        self.text = read_file(path) if text is None else text
        self.root = parse_yaml(self.text, self.path)
        self.parts = parts
        self.studies = tables or data_root("simio.validation")
        self._measured: tuple[tuple[Table, ...], tuple[Problem, ...]] | None = None
        self._known: dict[tuple[Any, ...], Built] | None = None
        self._recent: dict[tuple[Any, ...], None] = {}
        """Of what is known, what is not of the file as it stands, that which was not used for longest first."""
        self._sections = Sections(self.root)
        ctx = self._context()
        ctx.faults.mapping(self.root, "", f"a scenario with the keys {', '.join(KEYS)}")
        ctx.faults.raise_any()

    def scenario(self, sets: Sequence[str] = (), only: int | None = None) -> Scenario:
        """The scenario with each ``key.path=value`` of ``sets`` written over it.

        With ``only``, just the case of this index, whatever is wrong with the others.  Raises ScenarioError with
        every fault, and SimioError where there is no such case.
        """
        if only is not None:
            self._learn()
        ctx = self._context()
        _check_top(ctx, self.root)
        settings = read_sets(ctx, self.root, sets)
        root = self._sections.apply(settings, sets)
        varied = self._sections.cases(ctx, root, {setting.key for setting in settings})
        trees, told = Trees(root, varied), varied.texts
        if only is not None and not 0 <= only < len(trees):
            ctx.faults.raise_any()
            raise SimioError(f"there is no case {only + 1}: the scenario has {len(trees)}")
        title = _text(ctx, root, "title")
        systems = {}
        for index in range(len(trees)) if only is None else (only,):
            known = len(ctx.faults)
            systems[index] = _system(ctx, trees[index], title)
            if index:
                places = {setting.value.place for setting in varied.settings[index]}
                ctx.faults.explain(known, f"with {described(told[index])}", places)
        found = self._tables(ctx)
        rows, pooled = assign_rows(ctx, found, trees, strict=not sets)
        ctx.faults.forget_missing(ctx.dropped)
        ctx.faults.raise_any()
        self._keep(ctx.built)
        cases = tuple(
            Case(index, dict(told[index]), system, rows[index])
            for index, system in systems.items()
            if system is not None
        )
        about = _text(ctx, root, "about")
        tables = tuple(table.table for table in found)
        return Scenario(self.path, title, about, cases, self.text, tables, pooled)

    def settings(self, sets: Sequence[str] = ()) -> list[dict[str, str]]:
        """What sets the cases apart with these settings, without building them: a value as text for each key.

        Raises ScenarioError for faults of ``vary`` or of the settings.
        """
        ctx = self._context()
        settings = read_sets(ctx, self.root, sets)
        varied = expand(ctx, apply(self.root, settings), {setting.key for setting in settings})
        ctx.faults.raise_any()
        return [texts(case) for case in varied]

    def _context(self) -> Context:
        return Context(self.parts or catalogue(), self.folder, known=self._known or {})

    def _learn(self) -> None:
        """Build the file as it stands, so that configurations build only what they change."""
        if self._known is None:
            ctx = self._context()
            _system(ctx, self.root, "")
            self._known = {} if len(ctx.faults) else ctx.built

    def _keep(self, built: Mapping[tuple[Any, ...], Built]) -> None:
        """Remember what a configuration without a fault was made of, for those that have some of it, too."""
        if self._known is None:
            return
        for key in built:
            if key in self._recent or key not in self._known:
                self._recent.pop(key, None)
                self._recent[key] = None
        self._known |= built
        while len(self._recent) > MOST_KEPT:
            oldest = next(iter(self._recent))
            del self._recent[oldest], self._known[oldest]

    def _tables(self, ctx: Context) -> tuple[Table, ...]:
        """The measured tables, read once."""
        if self._measured is None:
            apart = self._context()
            found = read_tables(apart, self.root.entries.get("measured"), self.studies, Path(self.path).stem)
            self._measured = tuple(found), tuple(apart.faults)
        ctx.faults.extend(self._measured[1])
        return self._measured[0]


def _check_top(ctx: Context, root: Node) -> None:
    ctx.faults.unknown_keys(root, KEYS, "")
    for key, what in {"title": "a text", **_REQUIRED}.items():
        if key not in root.entries:
            ctx.faults.add(key, "nothing", what, "this key is required", root.place)
    for key, what in _REQUIRED.items():
        node = root.entries.get(key)
        if node is not None and (node.value is None or node.value == {}):
            ctx.faults.add(key, "nothing", what, place=place_of(root, key))


def _text(ctx: Context, root: Node, key: str) -> str:
    return (ctx.faults.text(root.entries[key], key) or "").strip() if key in root.entries else ""


def _section(ctx: Context, root: Node, key: str) -> Node:
    """A section of the scenario; one that is left out or left empty counts as without entries."""
    node = root.entries.get(key)
    if node is not None and node.value is not None:
        return node
    without = Node("list", [], root.place) if key in _LISTS else empty(root.place)
    return ctx.once(("without", key), (), lambda: without)


@dataclass(frozen=True)
class _Topology:
    """What is there: for the system, and for checking what the workloads refer to."""

    hosts: Mapping[str, Host]
    disks: Mapping[str, Disk]
    switches: Mapping[str, Switch]
    links: tuple[Link, ...]
    volumes: Mapping[str, Volume]
    inventory: Inventory
    ways: Ways
    complete: bool


def _topology(ctx: Context, root: Node) -> _Topology:
    hosts = build_hosts(ctx, _section(ctx, root, "hosts"))
    groups = build_disks(ctx, _section(ctx, root, "disks"))
    volumes = build_volumes(ctx, _section(ctx, root, "volumes"), groups)
    switches = build_switches(ctx, _section(ctx, root, "switches"))
    links_node = _section(ctx, root, "links")
    specs = build_links(ctx, links_node)
    check_distinct(ctx, root, groups)
    inventory = Inventory(hosts, switches, groups, volumes)
    links, complete = join_links(ctx, specs, inventory)
    # Where a link has a fault, that there is no way around it is no news.
    whole = complete and links_node.kind == "list" and len(specs) == len(links_node.elements)
    return _Topology(
        {name: site.host for name, site in hosts.items() if site.host},
        expanded(groups),
        {name: switch for name, switch in switches.items() if switch},
        tuple(links),
        {name: volume for name, volume in volumes.items() if volume},
        inventory,
        Ways(links, inventory.switches),
        whole,
    )


def _check_workloads(ctx: Context, section: Node, workloads: Mapping[str, Workload | None], there: _Topology) -> None:
    check_references(ctx, section, there.inventory)
    check_calls(ctx, section, workloads, there.inventory)
    if there.complete:
        check_routes(ctx, section, workloads, there.ways, there.inventory)


def _system(ctx: Context, root: Node, title: str) -> System | None:
    """The system of one case, or None if it has a fault."""
    nodes = tuple(_section(ctx, root, key) for key in _PLACES)
    there = ctx.once(("topology",), nodes, lambda: _topology(ctx, root))
    section = _section(ctx, root, "workload")
    workloads = build_workloads(ctx, section)
    ctx.once(("routes",), (*nodes, section), lambda: _check_workloads(ctx, section, workloads, there))
    faults = build_faults(ctx, _section(ctx, root, "faults"), there.inventory, there.links, there.complete, workloads)
    run, report = _values(ctx, root, "run", Run), _values(ctx, root, "report", Report)
    if len(ctx.faults) or run is None or report is None:
        return None
    system = System(
        title,
        there.hosts,
        there.disks,
        there.switches,
        there.links,
        {name: workload for name, workload in workloads.items() if workload},
        run,
        report,
        there.volumes,
        faults,
    )
    return with_faults(system) if faults else system


def _values(ctx: Context, root: Node, key: str, model: type[M]) -> M | None:
    node = _section(ctx, root, key)

    def build() -> M | None:
        if node.kind != "map":
            ctx.faults.mapping(node, key)
            return None
        try:
            return model.model_validate(node.plain(), context=FROM_TEXT)
        except ValidationError as error:
            ctx.faults.model(error, model, node, key, place_of(root, key))
            return None

    return ctx.once((key,), (node,), build)
