"""Joining links: the ports of their ends, which must exist, be free and take the kind of link."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from simio.description.bonding import members
from simio.description.model import Link, Part, Switch, Volume
from simio.errors import did_you_mean, quote
from simio.loading.context import Context
from simio.loading.devices import DiskGroup
from simio.loading.hosts import HostSite
from simio.loading.links import LinkSpec
from simio.loading.problems import a, one_of, place_of


@dataclass(frozen=True)
class Inventory:
    """All that a link can end at and a workload can name; None stands for a component with a problem."""

    hosts: Mapping[str, HostSite]
    switches: Mapping[str, Switch | None]
    disks: Mapping[str, DiskGroup]
    volumes: Mapping[str, Volume | None] = field(default_factory=dict)

    @cached_property
    def disk_names(self) -> dict[str, DiskGroup]:
        """Each single disk with its group."""
        return {name: group for group in self.disks.values() for name in group.members}


def join_links(ctx: Context, specs: list[LinkSpec], inventory: Inventory) -> tuple[list[Link], bool]:
    """The links between ports, and whether all links are known; ends that cannot be joined are noted."""
    links: list[Link] = []
    complete = True
    used: dict[str, str] = {}
    for spec in specs:
        ends = [
            ports for index in range(len(spec.ends)) if (ports := _ports(ctx, spec, index, inventory)) is not None
        ]
        if len(ends) < len(spec.ends) or not _fits(ctx, spec, inventory):
            complete = False
            continue
        joined = _joined(ctx, spec, ends)
        _check_free(ctx, spec, ends, joined, used, inventory)
        if spec.part is None:
            complete = False
            continue
        for ports in joined:
            name = spec.name if len(joined) == 1 else _member(spec, *ports)
            link = Link(name, replace(spec.part, name=name), ports, spec.length)
            links += members(link, spec.bond) if spec.bond else [link]
    _count_ports(ctx, specs, links, inventory)
    return links, complete


def _joined(ctx: Context, spec: LinkSpec, ends: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The ports of each link that a link as written stands for."""
    if spec.shared:
        return _bus(ctx, spec, ends)
    if spec.part is None and any(len(ports) > 1 for ports in ends):
        # One link may join them all, or one each.
        return []
    return [] if len(ends) != 2 else _pairs(ctx, spec, ends[0], ends[1])


def _bus(ctx: Context, spec: LinkSpec, ends: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """All ports on the one link, each once."""
    known: dict[str, str] = {}
    good = True
    for index, (end, ports) in enumerate(zip(spec.ends, ends, strict=True)):
        twice = [port for port in ports if port in known]
        if twice:
            one = known[twice[0]]
            found = (
                f"{quote(end)} again" if one == end else f"{quote(twice[0])} in both {quote(one)} and {quote(end)}"
            )
            _note(ctx, spec, found, "each end once", at=index)
            good = False
        known.update(dict.fromkeys(ports, end))
    most = spec.part.sheet.joins if spec.part else None
    if most is not None and len(known) > most and spec.part:
        expected = f"at most the {most} devices of {spec.part.model}, adapters included"
        _note(ctx, spec, f"{len(known)} ends", expected)
        good = False
    return [tuple(known)] if good and len(known) > 1 else []


def _member(spec: LinkSpec, first: str, second: str) -> str:
    return f"{spec.name}.{second if first in spec.ends else first}"


def _note(ctx: Context, spec: LinkSpec, found: str, expected: str, hint: str = "", at: int | None = None) -> None:
    """Note a problem of the end at an index, or of all ends together."""
    between = spec.node.entries["between"]
    place = place_of(spec.node, "between") if at is None else between.elements[at].place
    ctx.problems.add(f"links.{spec.name}.between", found, expected, hint, place)


def _ports(ctx: Context, spec: LinkSpec, index: int, inventory: Inventory) -> tuple[str, ...] | None:
    """The ports that an end of a link stands for, or None if it is unknown."""
    end = spec.ends[index]
    owner, _, adapter = end.partition(".")
    if owner in inventory.hosts and adapter:
        adapters = inventory.hosts[owner].adapters
        if adapters is None or adapter in adapters:
            return (end,)
        adds = f"'adapters: {{{adapter}: {{model: …, bus: …}}}}' in host {quote(owner)} adds it"
        _no_end(ctx, spec, index, end, [f"{owner}.{name}" for name in adapters], adds)
        return None
    if owner in inventory.hosts:
        names = [f"{owner}.{name}" for name in inventory.hosts[owner].adapters or ()]
        expected = "an adapter of the host, " + (one_of(names) if names else f"as '{owner}.adapter'")
        _note(ctx, spec, quote(end), expected, at=index)
        return None
    if end in inventory.disks:
        return inventory.disks[end].members
    if end in inventory.switches or end in inventory.disk_names:
        return (end,)
    if end in inventory.volumes:
        _note(ctx, spec, f"the volume {quote(end)}", "its disks", at=index)
        return None
    known = [f"{name}.{key}" for name, site in inventory.hosts.items() for key in site.adapters or ()]
    _no_end(ctx, spec, index, end, [*known, *inventory.switches, *inventory.disks])
    return None


def _no_end(ctx: Context, spec: LinkSpec, index: int, end: str, known: list[str], hint: str = "") -> None:
    near = did_you_mean(end, known)
    expected = (
        f"host.adapter, a switch or a disk: {one_of(known, near)}" if known else "host.adapter, a switch or a disk"
    )
    _note(ctx, spec, f"the unknown end {quote(end)}", expected, near or hint, index)


def _end_part(end: str, inventory: Inventory) -> Part | None:
    """The part at an end, or None if that has a problem of its own."""
    owner, _, adapter = end.partition(".")
    if owner in inventory.hosts:
        return (inventory.hosts[owner].adapters or {}).get(adapter)
    switch = inventory.switches.get(end)
    if switch is not None:
        return switch.part
    group = inventory.disks.get(end) or inventory.disk_names.get(end)
    return group.part if group else None


def _fits(ctx: Context, spec: LinkSpec, inventory: Inventory) -> bool:
    """True if the parts at all ends take this kind of link; a part with a problem of its own counts as fitting."""
    good = True
    for index, end in enumerate(spec.ends):
        part = _end_part(end, inventory)
        if part is None or spec.part is None:
            continue
        if spec.part.sheet.remote and (end in inventory.disks or end in inventory.disk_names):
            continue
        kinds = part.sheet.links(part.kind)
        if spec.part.kind not in kinds:
            found = f"{a(spec.part.kind)} link ({spec.part.model}) at {quote(end)}"
            expected = f"{a(' or '.join(kinds))} link for {part.model}"
            _note(ctx, spec, found, expected, at=index)
            good = False
        elif (slower := _too_fast(part, spec.part)) is not None:
            rate, most = (f"{float(8 * each / 10**9):g} Gbit/s" for each in slower)
            found = f"a link of {rate} ({spec.part.model}) at {quote(end)}"
            expected = f"at most the {most} of {part.model}"
            hint = f"for an adapter like it, but faster, set hosts.{end.replace('.', '.adapters.')}.speed to {rate}"
            _note(ctx, spec, found, expected, hint, index)
            good = False
    return good


def _too_fast(part: Part, link: Part) -> tuple[Fraction, Fraction] | None:
    """The rate of a link and that of the fastest one that fits the ports of an adapter, if the link is too fast."""
    rate, most = getattr(link.sheet, "rate", None), getattr(part.sheet, "speed", None)
    return (rate, most) if rate and most and rate > most else None


def _pairs(ctx: Context, spec: LinkSpec, first: tuple[str, ...], second: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The two ports of each link: one link, or one for each disk of a group."""
    if len(first) > 1 and len(second) > 1:
        _note(ctx, spec, "a group of disks at both ends", "a group of disks at one end only")
        return []
    if spec.ends[0] == spec.ends[1]:
        _note(ctx, spec, f"{quote(spec.ends[0])} at both ends", "two different ends", at=1)
        return []
    return [(a, b) for a in first for b in second]


def _check_free(
    ctx: Context,
    spec: LinkSpec,
    ends: list[tuple[str, ...]],
    joined: list[tuple[str, ...]],
    used: dict[str, str],
    inventory: Inventory,
) -> None:
    """Note ends whose ports have a link already; the ports of a switch are counted later."""
    if spec.part is not None and spec.part.sheet.remote:
        return
    times = Counter(port for ports in joined for port in ports)
    for index, ports in enumerate(ends):
        twice = []
        for port in ports:
            if port in inventory.switches or port not in times:
                continue
            if used.setdefault(port, spec.name) != spec.name or times[port] > 1:
                twice.append(port)
        if not twice:
            continue
        found = f"{quote(twice[0])}, whose port {used[twice[0]]} has already"
        hint = "put a switch between them"
        if used[twice[0]] == spec.name:
            found = f"a link for each of {len(joined)} disks at {quote(twice[0])}"
        elif spec.shared:
            hint = ""
        _note(ctx, spec, found, "one link a port", hint, index)


def _count_ports(ctx: Context, specs: list[LinkSpec], links: list[Link], inventory: Inventory) -> None:
    for name, switch in inventory.switches.items():
        ports = switch.part.sheet.joins if switch else None
        number = sum(link.ends.count(name) for link in links)
        if ports is None or number <= ports:
            continue
        last = [spec for spec in specs if name in spec.ends][-1]
        _note(ctx, last, f"{number} links at {quote(name)}", f"at most its {ports} ports", at=last.ends.index(name))
