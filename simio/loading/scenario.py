"""Reading a scenario file: every case of it, or every problem in it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

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
from simio.errors import Problem, SimioError
from simio.loading.catalogue import Catalogue, catalogue, data_root
from simio.loading.context import Built, Context
from simio.loading.devices import build_disks, build_switches, check_distinct, expanded
from simio.loading.hosts import build_hosts
from simio.loading.joining import Inventory, join_links
from simio.loading.keypaths import empty
from simio.loading.links import build_links
from simio.loading.measured import assign_rows, read_tables
from simio.loading.problems import place_of
from simio.loading.ready import near_ready
from simio.loading.tables import Table
from simio.loading.trees import Cases, Trees, apply, apply_once
from simio.loading.vary import described, expand, read_sets, texts
from simio.loading.whereabouts import Whereabouts, whole_path
from simio.loading.workloads import build_workloads, check_calls, check_references, check_routes
from simio.loading.yamltree import Node, parse_yaml
from simio.plugins import load_plugins
from simio.reading import read_file
from simio.topology import Reachability

if TYPE_CHECKING:
    from simio.description.faults import InjectedFault

KEYS = (
    "title", "about", "hosts", "disks", "volumes", "switches", "links", "workload", "faults", "run", "report",
    "vary", "measured",
)  # fmt: skip
_PLACES = ("hosts", "disks", "volumes", "switches", "links")
_LISTS = ("links", "faults")
_REQUIRED = {"hosts": "a mapping of hosts", "workload": "a mapping of workloads"}

MOST_KEPT = 512
"""Things that earlier configurations were built from, kept for the next ones."""

M = TypeVar("M", bound=BaseModel)


def load(
    path: str | PathLike[str],
    sets: Sequence[str] = (),
    *,
    parts: Catalogue | None = None,
    tables: Path | None = None,
) -> Scenario:
    """The scenario in a file, with each `key.path=value` of `sets` written over it.

    `parts` and `tables` replace the catalogue and the folder of measured tables of simio. Raises ScenarioError with
    every problem of the file and of the files that it names.
    """
    return ScenarioFile(path, parts=parts, tables=tables).scenario(sets)


class ScenarioFile:
    """A scenario file that is read once, for many configurations of it.

    `text` replaces the content of the file and `folder` its folder; `parts` and `tables` are as in `load`. Datasheets
    and tables are read when a configuration first needs them. Raises ScenarioError if the text is no scenario.
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
        self.text = read_file(path, near_ready(self.path)) if text is None else text
        self.root = parse_yaml(self.text, self.path)
        self.parts = parts
        self.studies = tables or data_root("simio.validation")
        self._measured: tuple[tuple[Table, ...], tuple[Problem, ...]] | None = None
        self._known: OrderedDict[tuple[Any, ...], Built] = OrderedDict()
        ctx = self._context()
        ctx.problems.mapping(self.root, "", f"a scenario with the keys {', '.join(KEYS)}")
        ctx.problems.raise_any()

    def scenario(self, sets: Sequence[str] = (), only: int | None = None) -> Scenario:
        """The scenario with each `key.path=value` of `sets` written over it.

        With `only`, just the case of this index, whatever is wrong with the others. Raises ScenarioError with every
        problem, and SimioError if there is no such case.
        """
        ctx = self._context()
        _check_top(ctx, self.root)
        settings = read_sets(ctx, self.root, sets)
        root = apply_once(ctx, self.root, settings, sets)
        varied = Cases(expand(ctx, root, {setting.key for setting in settings}))
        trees = Trees(ctx, root, varied)
        if only is not None and not 0 <= only < len(trees):
            ctx.problems.raise_any()
            raise SimioError(f"there is no case {only + 1}: the scenario has {len(trees)}")
        title = _text(ctx, root, "title")
        systems = {}
        for index in range(len(trees)) if only is None else (only,):
            known = len(ctx.problems)
            systems[index] = _system(ctx, trees[index], title)
            if index:
                places = {setting.value.place for setting in varied.settings[index]}
                ctx.problems.explain(known, f"with {described(texts(varied.settings[index]))}", places)
        tables_read = self._tables(ctx)
        rows, pooled = assign_rows(ctx, tables_read, trees, strict=not sets)
        ctx.problems.forget_missing(ctx.dropped)
        ctx.problems.raise_any()
        if only is not None:
            self._keep(ctx.built)
        cases = tuple(
            Case(index, texts(varied.settings[index]), system, rows[index])
            for index, system in systems.items()
            if system is not None
        )
        about = _text(ctx, root, "about")
        tables = tuple(table.table for table in tables_read)
        return Scenario(self.path, title, about, cases, self.text, tables, pooled)

    def settings(self, sets: Sequence[str] = ()) -> list[dict[str, str]]:
        """The settings that set the cases apart, without building them: a value as text for each key.

        Raises ScenarioError for problems of `vary` or of the settings.
        """
        ctx = self._context()
        settings = read_sets(ctx, self.root, sets)
        varied = expand(ctx, apply(self.root, settings), {setting.key for setting in settings})
        ctx.problems.raise_any()
        return [texts(case) for case in varied]

    def with_parts(self, parts: Catalogue) -> ScenarioFile:
        """The same file with another catalogue; the parsed file and tables are shared."""
        other = copy(self)
        other.parts, other._known = parts, OrderedDict()
        return other

    def with_sections(self, sections: Mapping[str, Node]) -> ScenarioFile:
        """The same file with other sections in the place of its own.

        Keys of these vary no more, and measured rows, which belong to the scenario as it is written, are left out.
        """
        other = copy(self)
        entries = {key: node for key, node in self.root.entries.items() if key != "measured"} | dict(sections)
        if "vary" in entries:
            entries["vary"] = _without(entries["vary"], sections)
            if not any(grid.entries for grid in (entries["vary"], *entries["vary"].elements)):
                del entries["vary"]
        other.root = replace(self.root, value=entries)
        other._measured, other._known = None, OrderedDict()
        return other

    def _context(self) -> Context:
        return Context(self.parts or catalogue(), self.folder, known=self._known)

    def _keep(self, built: Mapping[tuple[Any, ...], Built]) -> None:
        """Remember the sources of a configuration; forget the least recently used one."""
        for key, made in built.items():
            self._known[key] = made
            self._known.move_to_end(key)
        while len(self._known) > MOST_KEPT + len(built):
            self._known.popitem(last=False)

    def _tables(self, ctx: Context) -> tuple[Table, ...]:
        """The measured tables, read once."""
        if self._measured is None:
            apart = self._context()
            tables = read_tables(apart, self.root.entries.get("measured"), self.studies, Path(self.path).stem)
            self._measured = tuple(tables), tuple(apart.problems)
        ctx.problems.extend(self._measured[1])
        return self._measured[0]


def _without(vary: Node, sections: Collection[str]) -> Node:
    """The variations, without the keys of some sections."""
    if vary.kind == "list":
        return replace(vary, value=[_without(grid, sections) for grid in vary.elements])
    if vary.kind != "map":
        return vary
    return replace(vary, value={k: n for k, n in vary.entries.items() if k.partition(".")[0] not in sections})


def _check_top(ctx: Context, root: Node) -> None:
    ctx.problems.unknown_keys(root, KEYS, "", lambda key: whole_path(root, key))
    for key, what in {"title": "a text", **_REQUIRED}.items():
        if key not in root.entries:
            ctx.problems.add(key, "nothing", what, "this key is required", root.place)
    for key, what in _REQUIRED.items():
        node = root.entries.get(key)
        if node is not None and (node.value is None or node.value == {}):
            ctx.problems.add(key, "nothing", what, place=place_of(root, key))


def _text(ctx: Context, root: Node, key: str) -> str:
    return (ctx.problems.text(root.entries[key], key) or "").strip() if key in root.entries else ""


def _section(ctx: Context, root: Node, key: str) -> Node:
    """A section of the scenario; one that is missing or empty has no entries."""
    node = root.entries.get(key)
    if node is not None and node.value is not None:
        return node
    without = Node("list", [], root.place) if key in _LISTS else empty(root.place)
    return ctx.once(("without", key), (), lambda: without)


class _Components(NamedTuple):
    """The components: for the system, and for checks of what workloads refer to."""

    hosts: Mapping[str, Host]
    disks: Mapping[str, Disk]
    switches: Mapping[str, Switch]
    links: tuple[Link, ...]
    volumes: Mapping[str, Volume]
    inventory: Inventory
    reachability: Reachability
    complete: bool


def _components(ctx: Context, root: Node) -> _Components:
    hosts = build_hosts(ctx, _section(ctx, root, "hosts"))
    groups = build_disks(ctx, _section(ctx, root, "disks"))
    volumes: Mapping[str, Volume | None] = {}
    if "volumes" in root.entries:
        # It takes as long to import as ten other modules.
        from simio.loading.volumes import build_volumes

        volumes = build_volumes(ctx, _section(ctx, root, "volumes"), groups)
    switches = build_switches(ctx, _section(ctx, root, "switches"))
    links_node = _section(ctx, root, "links")
    specs = build_links(ctx, links_node)
    check_distinct(ctx, root, groups)
    inventory = Inventory(hosts, switches, groups, volumes)
    links, complete = join_links(ctx, specs, inventory)
    # A link with a problem joins nothing, so missing routes would be a second report of it.
    whole = complete and links_node.kind == "list" and len(specs) == len(links_node.elements)
    return _Components(
        {name: site.host for name, site in hosts.items() if site.host},
        expanded(groups),
        {name: switch for name, switch in switches.items() if switch},
        tuple(links),
        {name: volume for name, volume in volumes.items() if volume},
        inventory,
        Reachability(links, inventory.switches),
        whole,
    )


def _check_workloads(
    ctx: Context, section: Node, workloads: Mapping[str, Workload | None], parts: _Components
) -> None:
    check_references(ctx, section, parts.inventory)
    check_calls(ctx, section, workloads, parts.inventory)
    if parts.complete:
        check_routes(ctx, section, workloads, parts.reachability, parts.inventory)


def _system(ctx: Context, root: Node, title: str) -> System | None:
    """The system of one case, or None if it has a problem."""
    nodes = tuple(_section(ctx, root, key) for key in _PLACES)
    parts = ctx.once(("components",), nodes, lambda: _components(ctx, root))
    section = _section(ctx, root, "workload")
    workloads = build_workloads(ctx, section)
    ctx.once(("routes",), (*nodes, section), lambda: _check_workloads(ctx, section, workloads, parts))
    injected = _section(ctx, root, "faults")
    faults: tuple[InjectedFault, ...] = ()
    if "faults" in root.entries:
        from simio.loading.fault_injection import build_faults

        faults = build_faults(ctx, injected, parts.inventory, parts.links, parts.complete, workloads)
    run, report = _values(ctx, root, "run", Run), _values(ctx, root, "report", Report)
    if len(ctx.problems) or run is None or report is None:
        return None
    system = System(
        title,
        parts.hosts,
        parts.disks,
        parts.switches,
        parts.links,
        {name: workload for name, workload in workloads.items() if workload},
        run,
        report,
        parts.volumes,
        faults,
        ctx.once(("places",), (*nodes, section, injected), lambda: Whereabouts(root)),
    )
    if not faults:
        return system
    from simio.loading.fault_injection import with_faults

    return with_faults(system)


def _values(ctx: Context, root: Node, key: str, model: type[M]) -> M | None:
    node = _section(ctx, root, key)

    return ctx.once((key,), (node,), lambda: ctx.problems.read(model, node, key, place_of(root, key)))
