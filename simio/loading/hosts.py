"""Hosts: a model of the catalogue or the likeness of another host, with the values that a scenario overrides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from simio.description.model import Adapter, Host, Part, fits
from simio.errors import Place, quote
from simio.loading.catalogue import CatalogueEntry
from simio.loading.context import Context, check_names
from simio.loading.datasheet import HOST_GROUPS, HOST_OPTIONAL, HOST_PARTS
from simio.loading.keypaths import as_mapping, mapping, merge
from simio.loading.likeness import lineage
from simio.loading.parts import build_part, find_entry, part_of
from simio.loading.problems import a, place_of
from simio.loading.yamltree import Node

_PARTS = (*HOST_PARTS, *HOST_OPTIONAL, *HOST_GROUPS)


class HostSite(NamedTuple):
    """A host, or None if it has a problem, and its adapters, or None if they cannot be known.

    An adapter with a problem stands without its part.
    """

    host: Host | None
    adapters: Mapping[str, Part | None] | None


def build_hosts(ctx: Context, section: Node) -> dict[str, HostSite]:
    """The hosts of a scenario by name."""
    check_names(ctx, section, "hosts")
    nodes = {name: as_mapping(node) for name, node in ctx.problems.mapping(section, "hosts").items()}
    sites: dict[str, HostSite] = {}
    for name, node in nodes.items():
        known = lineage(ctx, name, nodes, "hosts", "host", "a host with model or like")
        place = place_of(section, name)

        def build(name: str = name, known: tuple[Node, ...] | None = known, place: Place = place) -> HostSite:
            return _host(ctx, name, known, place) if known else HostSite(None, None)

        sites[name] = ctx.once(("host", name), known or (node,), build)
    return sites


def _host(ctx: Context, name: str, known: tuple[Node, ...], place: Place) -> HostSite:
    path = f"hosts.{name}"
    own = reduce(merge, known)
    entry = find_entry(ctx, own, "host", path, place)
    if entry is None:
        return HostSite(None, None)
    before = ctx.problems.noted
    parts = mapping({key: node for key, node in entry.nodes.items() if key in _PARTS}, place)
    given = mapping({k: n for k, n in own.entries.items() if k in _PARTS}, own.place, dict(own.key_places))
    whole = merge(parts, _known_members(ctx, given, parts, path))
    part = part_of(ctx, entry, name, own, path, place, (*_PARTS, "like"))
    single = {
        category: _part(
            ctx,
            f"{name}.{category}",
            category,
            whole.entries[category],
            f"{path}.{category}",
            place_of(whole, category),
        )
        for category in (*HOST_PARTS, *(category for category in HOST_OPTIONAL if category in whole.entries))
    }
    buses = _group(ctx, name, "buses", whole)
    adapters = _group(ctx, name, "adapters", whole, ("bus",))
    seats = _seats(ctx, name, whole)
    _check_links(ctx, buses, single.get("root") is not None, whole, path)
    _check_members(ctx, whole, path)
    if ctx.problems.noted > before or part is None:
        return HostSite(None, adapters)
    made = {key: Adapter(item, seats[key]) for key, item in adapters.items() if item is not None}
    fitted = {key: item for key, item in buses.items() if item is not None}
    host = _assembled(name, entry, part, single, fitted, made)
    if host.cpus % host.cpu.sheet.threads:
        ctx.problems.add(
            f"{path}.cpus",
            f"{host.cpus} with two hardware threads a core (cpu.smt)",
            "an even number",
            place=place_of(own, "cpus"),
        )
    return HostSite(host, adapters)


def _known_members(ctx: Context, given: Node, parts: Node, path: str) -> Node:
    """The overrides without buses and adapters that the host's model lacks, each of which is noted.

    An entry with a model of its own adds a bus or an adapter; without one it can only be a slip.
    """
    for group, category in HOST_GROUPS.items():
        section = given.entries.get(group)
        if section is None or section.kind != "map":
            continue
        known = parts.entries[group].entries if group in parts.entries else {}
        kept = {}
        for key, node in section.entries.items():
            over = as_mapping(node)
            if key in known or over.kind != "map" or "model" in over.entries:
                kept[key] = node
            else:
                ctx.problems.unknown(f"{path}.{group}.{key}", key, known, place_of(section, key), category)
        section = replace(section, value=kept)
        given = replace(given, value={**given.entries, group: section})
    return given


def _check_members(ctx: Context, whole: Node, path: str) -> None:
    """Note buses and adapters that share a name with another part of the host."""
    owners = dict.fromkeys((*HOST_PARTS, *HOST_OPTIONAL), "a part of every host")
    for group, category in HOST_GROUPS.items():
        section = whole.at((group,)) if group in whole.entries else None
        for key in section.entries if section is not None else ():
            if key in owners and section is not None:
                found = f"{quote(key)}, the name of {owners[key]}"
                place = place_of(section, key)
                ctx.problems.add(f"{path}.{group}.{key}", found, "a name of its own", place=place)
            owners.setdefault(key, f"a {category} of the host")


def _check_links(ctx: Context, buses: Mapping[str, Part | None], root: bool, whole: Node, path: str) -> None:
    """Note PCI Express links without a root complex, and those behind no other link, or behind themselves."""
    if not any(bus is not None and hasattr(bus.sheet, "behind") for bus in buses.values()):
        return
    from simio.description.sheets.pcie import PcieBusSheet

    links = {key: bus for key, bus in buses.items() if bus is not None and fits(bus, PcieBusSheet)}
    for key, link in links.items():
        place = place_of(whole.entries["buses"], key)
        if not root and "root" not in whole.entries:
            expected = "the name of a root complex, such as roots/xeon-e5-v3"
            ctx.problems.add(f"{path}.root", "nothing", expected, f"bus {quote(key)} ends in it", place)
            root = True
        above, seen = link.sheet.behind, {key}
        while above in links and above not in seen:
            seen.add(above)
            above = links[above].sheet.behind
        if (named := link.sheet.behind) not in (*links, "root"):
            known = [other for other in links if other != key]
            ctx.problems.unknown(f"{path}.buses.{key}.behind", named, known, place, "PCI Express bus")
        elif above == key:
            ctx.problems.add(
                f"{path}.buses.{key}.behind", f"{quote(key)} itself at the end", "the root at the end", place=place
            )


def _assembled(
    name: str,
    entry: CatalogueEntry,
    part: Part,
    single: Mapping[str, Part | None],
    buses: Mapping[str, Part],
    adapters: Mapping[str, Adapter],
) -> Host:
    cpu, memory, kernel = single["cpu"], single["memory"], single["kernel"]
    assert cpu is not None
    assert memory is not None
    assert kernel is not None
    return Host(
        name,
        entry.name,
        entry.title,
        part.sheet.cpus,
        cpu,
        memory,
        kernel,
        buses,
        adapters,
        part,
        single.get("stack"),
        single.get("root"),
    )


def _part(
    ctx: Context, name: str, category: str, node: Node, path: str, place: Place, reserved: tuple[str, ...] = ()
) -> Part | None:
    node = as_mapping(node)
    if not ctx.problems.mapping(node, path, f"the name of {a(category)} model, or a mapping with values to override"):
        return None
    return build_part(ctx, name, category, node, path, place, reserved)


def _group(
    ctx: Context, host: str, group: str, whole: Node, reserved: tuple[str, ...] = ()
) -> dict[str, Part | None]:
    """The buses or adapters of a host; None stands for one with a problem."""
    if group not in whole.entries:
        return {}
    node, path = whole.entries[group], f"hosts.{host}.{group}"
    check_names(ctx, node, path)
    return {
        key: _part(ctx, f"{host}.{key}", HOST_GROUPS[group], item, f"{path}.{key}", place_of(node, key), reserved)
        for key, item in ctx.problems.mapping(node, path).items()
    }


def _seats(ctx: Context, host: str, whole: Node) -> dict[str, str]:
    """The bus of each adapter."""
    if "adapters" not in whole.entries:
        return {}
    group = whole.entries["adapters"]
    known = whole.entries["buses"].entries if "buses" in whole.entries else {}
    seats = {}
    for key, item in group.entries.items():
        path, bus = f"hosts.{host}.adapters.{key}.bus", as_mapping(item).entries.get("bus")
        if bus is None:
            expected = f"a bus of the host: {', '.join(known)}"
            ctx.problems.add(path, "nothing", expected, "this key is required", place_of(group, key))
            continue
        seat = ctx.problems.text(bus, path, "the name of a bus")
        if seat is not None and seat not in known:
            ctx.problems.unknown(path, seat, known, bus.place, "bus")
        elif seat is not None:
            seats[key] = seat
    return seats
