"""Disks and switches of a scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce

from simio.description.model import Disk, Part, Switch
from simio.errors import Place, quote
from simio.loading.context import Context, check_names
from simio.loading.keypaths import as_mapping, merge
from simio.loading.likeness import lineage
from simio.loading.parts import build_part
from simio.loading.problems import join, node_text, place_of
from simio.loading.yamltree import Node

MOST_DISKS = 10_000


@dataclass(frozen=True)
class DiskGroup:
    """A group of like disks: its key, how many there are, and the part, or None if that has a problem."""

    name: str
    count: int
    part: Part | None
    file_system: Part | None = None

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names of the disks: the group's own for one disk, else numbered from 1."""
        if self.count == 1:
            return (self.name,)
        return tuple(f"{self.name}{number}" for number in range(1, self.count + 1))


def build_disks(ctx: Context, section: Node) -> dict[str, DiskGroup]:
    """The groups of disks by key."""
    return ctx.items(
        section, "disks", _group, "a mapping of disks, such as 'd: {model: disks/fc-15k-2002, count: 4}'"
    )


def _group(ctx: Context, name: str, given: Node, place: Place) -> DiskGroup:
    path, node = f"disks.{name}", as_mapping(given, place)
    count = node.entries.get("count")
    number = 1
    if count is not None:
        if isinstance(count.value, int) and not isinstance(count.value, bool) and 1 <= count.value <= MOST_DISKS:
            number = count.value
        else:
            expected = f"a whole number of disks from 1 to {MOST_DISKS}"
            ctx.problems.add(f"{path}.count", node_text(count), expected, place=count.place)
    if node.kind != "map":
        ctx.problems.mapping(node, path, "the name of a disk model, or a mapping with model")
        return DiskGroup(name, number, None)
    part = build_part(ctx, name, "disk", node, path, place, ("count", "file_system"))
    return DiskGroup(name, number, part, build_file_system(ctx, name, node, path))


def build_file_system(ctx: Context, name: str, node: Node, path: str) -> Part | None:
    """The file system on a disk or volume, if it has one: the name of a model, or a mapping with overrides."""
    given = node.entries.get("file_system")
    if given is None:
        return None
    path = f"{path}.file_system"
    mapped = as_mapping(given, given.place)
    if not ctx.problems.mapping(mapped, path, "the name of a file system, or a mapping with model"):
        return None
    return build_part(ctx, f"{name}.file_system", "filesystem", mapped, path, given.place)


def expanded(groups: dict[str, DiskGroup]) -> dict[str, Disk]:
    """The single disks of all groups that have no problem."""
    disks = {}
    for group in groups.values():
        for number, name in enumerate(group.members if group.part else (), 1):
            part = group.part
            assert part is not None
            last = 1 < number == group.count
            disks[name] = Disk(name, group.name, replace(part, name=name), group.file_system, last=last)
    return disks


def build_switches(ctx: Context, section: Node) -> dict[str, Switch | None]:
    """The switches by name; None stands for one with a problem."""
    check_names(ctx, section, "switches")
    what = "a mapping of switches, such as 'fabric: {model: switches/fc-2g}'"
    nodes = {name: as_mapping(node) for name, node in ctx.problems.mapping(section, "switches", what).items()}
    made: dict[str, Switch | None] = {}
    for name, node in nodes.items():
        known = lineage(ctx, name, nodes, "switches", "switch", "the name of a switch model, or a mapping with model")
        make = partial(_switch, ctx, name, known, place_of(section, name))
        made[name] = ctx.once(("switches", name), known or (node,), make)
    return made


def _switch(ctx: Context, name: str, known: tuple[Node, ...] | None, place: Place) -> Switch | None:
    if known is None:
        return None
    part = build_part(ctx, name, "switch", reduce(merge, known), f"switches.{name}", place, ("like",))
    return Switch(name, part) if part is not None else None


def check_distinct(ctx: Context, root: Node, groups: dict[str, DiskGroup]) -> None:
    """Note hosts, switches, disks and volumes of one name: a link or a workload could mean either."""
    owners: dict[str, str] = {}
    for section in ("hosts", "switches", "disks", "volumes"):
        node = root.at((section,))
        for key in node.entries if section in root.entries else ():
            members = groups[key].members if section == "disks" and key in groups else ()
            for name in dict.fromkeys((key, *members)):
                path = join(section, key)
                if owners.setdefault(name, path) != path:
                    found = f"{quote(name)}, also a name of {owners[name]}"
                    ctx.problems.add(path, found, "a name of its own", place=place_of(node, key))
